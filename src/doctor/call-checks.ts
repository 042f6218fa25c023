import { type CallCounts, type EntryCounts, NO_CALLS, nearlyAllWithin } from './call-counts.ts';
import { type Check, type Group, notSeen, ok, problem, warning } from './check.ts';
import type { Entry } from './entry.ts';
import { entriesOf, type Installation } from './installation.ts';
import type { Probed } from './probed.ts';

/** Does the API server reach each entry in time, and did it so far? */
export function callChecks(installation: Installation): Group {
  const title = 'calls';
  const { probes, before, after } = installation.calls;
  const entries = entriesOf(installation);
  const checks = entries.flatMap((entry) => {
    const probed = probes.find((one) => one.entry === entry.name);
    return probed === undefined ? [] : [probeCheck(entry, probed, installation)];
  });
  if (!before.known) return { title, checks: [...checks, unseen(before.because)] };
  if (!after.known) return { title, checks: [...checks, unseen(after.because)] };
  // Several API servers behind one address: what another one counted before says nothing of this one.
  const isSame = before.value.startedAt === after.value.startedAt;
  const counts = { before: isSame ? before.value : after.value, after: after.value };
  const counted = entries.flatMap((entry) =>
    countChecks(
      entry,
      counts,
      probes.find((one) => one.entry === entry.name),
    ),
  );
  return { title, checks: [...checks, ...counted] };
}

function unseen(because: string): Check {
  const fix = 'kubectl get --raw /metrics | grep apiserver_admission_webhook_fail_open_count';
  return notSeen(`calls so far, silent failures and errors of match conditions: ${because}`, fix);
}

/** A share of the timeout that leaves nothing for a busier hour. */
const SLOW_SHARE = 0.5;

function probeCheck(entry: Entry, { outcome }: Probed, installation: Installation): Check {
  switch (outcome.type) {
    case 'answered': {
      const { namespace, milliseconds } = outcome;
      const says = `${entry.name} answered a dry run in ${namespace} within ${shortTime(milliseconds)} of ${entry.timeoutSeconds} s`;
      return milliseconds < entry.timeoutSeconds * 1000 * SLOW_SHARE ? ok(says) : warning(says, logsOf(installation));
    }
    case 'unanswered':
      return unanswered(entry, outcome.milliseconds, installation);
    case 'failed':
      return problem(`${entry.name} cannot be called: ${outcome.message}`, unreached(outcome.message, installation));
    case 'unclear':
      return notSeen(`whether ${entry.name} is reached: ${outcome.because}`);
    default:
      return outcome satisfies never;
  }
}

/** How long the API server tried tells what stood in its way; what it was told itself stands in its log alone. */
function unanswered(entry: Entry, milliseconds: number, installation: Installation): Check {
  const says = `${entry.name} did not answer a dry run, which went through unjudged`;
  const { service, certificates, settings } = installation;
  if (service.known && service.value?.ready.known && service.value.ready.value === 0)
    return problem(`${says}: no replica is ready`, podsOf(installation));
  if (milliseconds >= entry.timeoutSeconds * 1000)
    return problem(`${says} after ${shortTime(milliseconds)}: ${NOT_REACHED}`, REACHABLE);
  const trusts = certificates.known
    ? certificates.value.caBundles.find(({ entry: name }) => name === entry.name)?.agrees
    : undefined;
  if (trusts === false) return problem(`${says}: its caBundle is wrong`, 'see certificates above');
  if (settings.clientAuthentication !== undefined)
    return problem(`${says}: the API server may show no client certificate`, SHOW_CERTIFICATE);
  const because = trusts === true ? 'the call was refused' : 'the call was refused, or its certificate not accepted';
  return problem(`${says}: ${because}`, podsOf(installation));
}

const SHOW_CERTIFICATE = 'configure the API server as manifests/api-server shows, or take clientAuthentication off';
const NOT_REACHED = 'the control plane does not reach the pods, or they hang';
const REACHABLE =
  'open the port, on private GKE take 10250, on EKS with an overlay network the host network: chart values ports.webhook and hostNetwork';

function unreached(message: string, installation: Installation): string {
  return /timeout|deadline exceeded|no route to host/.test(message) ? REACHABLE : podsOf(installation);
}

function podsOf({ settings }: Installation): string {
  return `kubectl -n ${settings.service.namespace} get pods -l app.kubernetes.io/name=rwo-guard -o wide`;
}

function logsOf({ settings }: Installation): string {
  return `kubectl -n ${settings.service.namespace} logs -l app.kubernetes.io/name=rwo-guard --prefix --tail=50`;
}

/** What one API server has counted, before we asked; what failed at some time may be over. */
function countChecks(
  entry: Entry,
  { before, after }: { readonly before: CallCounts; readonly after: CallCounts },
  probed: Probed | undefined,
): readonly Check[] {
  const earlier = before.entries.get(entry.name) ?? NO_CALLS;
  const now = after.entries.get(entry.name) ?? NO_CALLS;
  const isTold = probed?.outcome.type === 'unanswered' || probed?.outcome.type === 'failed';
  const meanwhile = now.failedOpen + now.failedClosed - earlier.failedOpen - earlier.failedClosed;
  const failing = `calls of ${entry.name} failed while this looked, ${meanwhile} of ${now.requests - earlier.requests}`;
  return [
    ...(meanwhile > 0 && !isTold ? [problem(failing, `${COUNTED} 'fail_open_count|rejection_count'`)] : []),
    ...matchCheck(entry, earlier, now),
    total(entry, earlier, now),
  ];
}

const SINCE = 'since this API server started';
const COUNTED = 'kubectl get --raw /metrics | grep rwo-guard.dev | grep -E';

function matchCheck({ name }: Entry, earlier: EntryCounts, now: EntryCounts): readonly Check[] {
  if (now.matchErrors === 0) return [];
  const says = `match conditions of ${name} failed ${now.matchErrors} times ${SINCE}: such requests went through unjudged`;
  const grows = now.matchErrors > earlier.matchErrors;
  return [(grows ? problem : warning)(says, `${COUNTED} match_condition_evaluation_errors_total`)];
}

function total({ name, timeoutSeconds }: Entry, earlier: EntryCounts, now: EntryCounts): Check {
  const within = nearlyAllWithin(now);
  if (within === undefined) return notSeen(`how long ${name} takes: the API server that was asked has not called it`);
  const { failedOpen, failedClosed } = earlier;
  const failed = [
    ...(failedOpen > 0 ? [`${failedOpen} failed and went through unjudged`] : []),
    ...(failedClosed > 0 ? [`${failedClosed} failed and were refused`] : []),
  ];
  const time = `99 % took at most ${within} s of ${timeoutSeconds} s`;
  const says = [`${name} was called ${now.requests} times ${SINCE}`, ...failed, time].join(', ');
  if (failed.length > 0) return warning(says, `see whether it grows: ${COUNTED} 'fail_open_count|rejection_count'`);
  // The bounds are coarse, 0.5, 1, 2.5 and 10 s: the first above the half of three is near the end.
  if (within < timeoutSeconds * SLOW_SHARE) return ok(says);
  return warning(says, `${COUNTED} webhook_admission_duration_seconds_bucket`);
}

function shortTime(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.ceil(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
