/**
 * Shows what a person at kubectl sees. Sends the AdmissionReviews that a real API server sent when the scenarios were
 * recorded, over HTTPS with the CA verified, and holds every answer against what kubectl printed then.
 */
import { type GuardResponse, startGuard } from './guard.ts';
import { pathOf, type RecordedRequest, type Recording, readRecording } from './recording.ts';
import { SCENARIOS } from './scenarios.ts';

const guard = await startGuard();
process.stdout.write(`rwo-guard serves ${guard.address} by the cluster in test/demo/cluster\n`);
let unexpected = 0;
let sent = 0;
try {
  for (const { id, title, kubectl } of SCENARIOS) {
    const recording = await readRecording(id);
    sent += recording.reviews.length;
    const said = await replay(recording, kubectl);
    process.stdout.write(`\n# ${title}\n$ kubectl ${kubectl.join(' ')}\n${said.join('\n')}\n`);
    if (!sameLines(said, recording)) {
      unexpected += 1;
      process.stdout.write(`!! expected, as recorded from a real API server:\n${recording.stderr}${recording.stdout}`);
    }
  }
} finally {
  await guard.stop();
}
process.stdout.write(
  `\n${sent} AdmissionReviews sent; ${SCENARIOS.length - unexpected} of ${SCENARIOS.length} scenarios answered as expected\n`,
);
process.exitCode = unexpected === 0 ? 0 : 1;

/** What kubectl would print, from the answers to the reviews of one command. */
async function replay({ reviews }: Recording, kubectl: readonly string[]): Promise<readonly string[]> {
  const said: string[] = [];
  for (const { entry, body } of reviews) {
    const response = await guard.review(pathOf(entry), body);
    if (response.uid !== body.request.uid) said.push(`!! the answer is for another request: ${response.uid}`);
    said.push(...(response.warnings ?? []).map((warning) => `Warning: ${warning}`));
    if (!response.allowed) said.push(refusal(entry, body.request, response, kubectl));
    else if (pathOf(entry) === '/validate') said.push(success(body.request));
  }
  return said;
}

function refusal(
  entry: string,
  { subResource }: RecordedRequest,
  { status }: GuardResponse,
  kubectl: readonly string[],
) {
  const attempt = subResource === 'scale' ? '' : `error when creating "${kubectl.at(-1)}": `;
  return `Error from server (${status?.reason}): ${attempt}admission webhook "${entry}" denied the request: ${status?.message}`;
}

function success({ resource, name, subResource, dryRun }: RecordedRequest): string {
  const kind = resource.resource.replace(/s$/, '');
  const done = subResource === 'scale' ? 'scaled' : 'created';
  return `${resource.group === '' ? kind : `${kind}.${resource.group}`}/${name} ${done}${dryRun ? ' (server dry run)' : ''}`;
}

/** kubectl prints warnings and errors to one stream and successes to the other, so their order is not compared. */
function sameLines(said: readonly string[], { stdout, stderr }: Recording): boolean {
  const recorded = `${stderr}${stdout}`.split('\n').filter((line) => line !== '');
  const lines = said.flatMap((text) => text.split('\n'));
  return lines.sort().join('\n') === recorded.sort().join('\n');
}
