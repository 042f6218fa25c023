import type { EntryName } from '../doctor/entry.ts';
import { isAnswer, probeObject } from '../doctor/probe.ts';
import type { Probe, Probed } from '../doctor/probed.ts';
import { objectAt, stringAt, stringsAt } from '../objects/json.ts';
import { problemOf } from './api-error.ts';
import type { ApiWriter, Sent } from './connection.ts';

type Outcome = Probed['outcome'];

/** Asks each entry by dry runs, which the API server carries out up to where it would write, and waits for what it says. */
export async function probeEntries(
  connection: ApiWriter,
  planned: ReadonlyMap<EntryName, readonly Probe[]>,
  signal: AbortSignal,
): Promise<readonly Probed[]> {
  const probed: Probed[] = [];
  // One after the other: time that is spent waiting for a turn is not the webhook's.
  for (const [entry, places] of planned) probed.push({ entry, outcome: await firstClear(connection, places, signal) });
  return probed;
}

/** One namespace after the other, until one tells something. */
async function firstClear(connection: ApiWriter, places: readonly Probe[], signal: AbortSignal): Promise<Outcome> {
  let outcome: Outcome = { type: 'unclear', because: 'no namespace was found in which an answer would show' };
  for (const probe of places) {
    outcome = await outcomeOf(connection, probe, signal).catch((error: unknown) => ({
      type: 'unclear',
      because: problemOf(error).message,
    }));
    if (outcome.type !== 'unclear') return outcome;
  }
  return outcome;
}

async function outcomeOf(connection: ApiWriter, probe: Probe, signal: AbortSignal): Promise<Outcome> {
  const path = `/apis/apps/v1/namespaces/${probe.namespace}/deployments`;
  const query = { dryRun: 'All', fieldManager: 'rwo-guard-doctor' };
  const start = performance.now();
  const sent = await connection.send('POST', path, probeObject(probe), { signal, query });
  const milliseconds = performance.now() - start;
  const { namespace } = probe;
  if (isAnswer(probe, sent.warnings)) return { type: 'answered', namespace, milliseconds };
  if (isUnheard(probe, sent)) return { type: 'unanswered', namespace, milliseconds };
  const message = stringAt(sent.body, 'message') ?? `the API server answered ${sent.status}`;
  if (message.includes(`failed calling webhook "${probe.entry}"`)) return { type: 'failed', namespace, message };
  return { type: 'unclear', because: `a dry run in namespace ${namespace} was refused: ${message}` };
}

/** The Deployment went through as it is; the one for repairs is refused for what nobody took out of it. */
function isUnheard({ entry }: Probe, { status, body }: Sent): boolean {
  if (entry !== 'mutate.rwo-guard.dev') return status === 201;
  return status === 422 && (stringAt(body, 'message') ?? '').includes('spec.strategy.rollingUpdate');
}

/** Who we are, as the API server sees it. */
export async function ownIdentity(
  connection: ApiWriter,
  signal: AbortSignal,
): Promise<{ readonly username: string; readonly groups: readonly string[] }> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { body } = await connection.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review, {
    signal,
  });
  const user = objectAt(objectAt(body, 'status'), 'userInfo');
  return { username: stringAt(user, 'username') ?? '', groups: stringsAt(user, 'groups') };
}
