import { type CallCounts, type EntryCounts, NO_CALLS, nearlyAllWithin } from './call-counts.ts';
import { type Check, type Group, notSeen, ok, problem, warning } from './check.ts';
import type { Entry } from './entry.ts';
import { entriesOf, type Installation } from './installation.ts';
import type { Probed } from './probed.ts';

/** Does the API server reach each entry in time, and did it so far? */
export function callChecks(installation: Installation): Group {
  const { probes, before, after } = installation.calls;
  const entries = entriesOf(installation);
  const checks = entries.flatMap((entry) => {
    const probed = probes.find((one) => one.entry === entry.name);
    return probed === undefined ? [] : [probeCheck(entry, probed, installation)];
  });
  if (!after.known) return { title: 'calls', checks: [...checks, unseen(after.because)] };
  const counts = entries.flatMap((entry) => countChecks(entry, before.known ? before.value : undefined, after.value));
  return { title: 'calls', checks: [...checks, ...counts] };
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
  const { service, certificates } = installation;
  if (service.known && service.value?.ready.known && service.value.ready.value === 0)
    return problem(`${says}: no replica is ready`, podsOf(installation));
  if (milliseconds >= entry.timeoutSeconds * 1000)
    return problem(`${says} after ${shortTime(milliseconds)}: ${NOT_REACHED}`, REACHABLE);
  const trusts = certificates.known
    ? certificates.value.caBundles.find(({ entry: name }) => name === entry.name)?.agrees
    : undefined;
  if (trusts === false) return problem(`${says}: its caBundle is wrong, see certificates`, 'mend the caBundle below');
  return problem(`${says}: the call was refused or its certificate was not accepted`, podsOf(installation));
}

const NOT_REACHED = 'the control plane does not reach the pods';
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

function countChecks(entry: Entry, before: CallCounts | undefined, after: CallCounts): readonly Check[] {
  const { name } = entry;
  const counts = after.get(name) ?? NO_CALLS;
  const earlier = before?.get(name) ?? NO_CALLS;
  const failed = [failedCheck(entry, counts, earlier), matchCheck(entry, counts, earlier)].filter(
    (check) => check !== undefined,
  );
  return [...failed, duration(entry, counts)];
}

const SINCE = 'since this API server started';
const WATCH = 'kubectl get --raw /metrics | grep rwo-guard.dev | grep -E';

/** What failed at some time may be over; what failed just now is not. */
function failedCheck({ name }: Entry, counts: EntryCounts, earlier: EntryCounts): Check | undefined {
  const { failedOpen, failedClosed } = counts;
  if (failedOpen + failedClosed === 0) return undefined;
  const what = [
    ...(failedOpen > 0 ? [`${failedOpen} went through unjudged`] : []),
    ...(failedClosed > 0 ? [`${failedClosed} were refused`] : []),
  ].join(' and ');
  const grows = failedOpen + failedClosed > earlier.failedOpen + earlier.failedClosed;
  const says = `calls of ${name} failed: ${what} ${SINCE}${grows ? ', the last one just now' : ''}`;
  return (grows ? problem : warning)(says, `${WATCH} 'fail_open_count|rejection_count'`);
}

function matchCheck({ name }: Entry, counts: EntryCounts, earlier: EntryCounts): Check | undefined {
  if (counts.matchErrors === 0) return undefined;
  const says = `match conditions of ${name} failed ${counts.matchErrors} times ${SINCE}: such requests went through unjudged`;
  const grows = counts.matchErrors > earlier.matchErrors;
  return (grows ? problem : warning)(says, `${WATCH} match_condition_evaluation_errors_total`);
}

function duration({ name, timeoutSeconds }: Entry, counts: EntryCounts): Check {
  const { requests, failedOpen, failedClosed } = counts;
  const within = nearlyAllWithin(counts);
  if (within === undefined)
    return notSeen(`how long ${name} takes: this API server has not called it since it started`);
  const failed = failedOpen + failedClosed === 0 ? ', none failed' : '';
  const says = `${requests} calls of ${name} ${SINCE}${failed}; 99 % took at most ${within} s of ${timeoutSeconds} s`;
  // The bounds are coarse, 0.5, 1, 2.5 and 10 s: the first above the half of three is near the end.
  if (within < timeoutSeconds * SLOW_SHARE) return ok(says);
  return warning(says, `${WATCH} webhook_admission_duration_seconds_bucket`);
}

function shortTime(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.ceil(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
