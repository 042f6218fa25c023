import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callChecks } from '../../src/doctor/call-checks.ts';
import type { Calls } from '../../src/doctor/installation.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { configurations, counts, entry, installation, SETTINGS, told } from './installations.ts';

const ENTRY = 'enforce.rwo-guard.dev';
const PODS = 'kubectl -n rwo-guard get pods -l app.kubernetes.io/name=rwo-guard -o wide';
const ONLY = configurations([entry(ENTRY)], []);

type Outcome = Calls['probes'][number]['outcome'];

/** What is told of one entry that was asked, where nothing can be counted. */
function toldOf(outcome: Outcome, more: Parameters<typeof installation>[0] = {}): readonly string[] {
  const unread = unknown('/metrics of the API server may not be read: permission missing');
  const calls = { probes: [{ entry: ENTRY, outcome }], before: unread, after: unread } as const;
  const all = told(callChecks(installation({ configurations: ONLY, calls, ...more })));
  return all.filter((line) => !line.includes('/metrics'));
}

const SILENT = `problem: ${ENTRY} did not answer a dry run, which went through unjudged`;
const fast = { type: 'unanswered', namespace: 'shop', milliseconds: 20 } as const;

test('an answer in time is in order, and a slow one is told', () => {
  const answered = (milliseconds: number) => toldOf({ type: 'answered', namespace: 'shop', milliseconds });
  assert.deepEqual(answered(1400), []);
  assert.deepEqual(answered(1600), [
    `warning: ${ENTRY} answered a dry run in shop within 1.6 s of 3 s => kubectl -n rwo-guard logs -l app.kubernetes.io/name=rwo-guard --prefix --tail=50`,
  ]);
});

test('no answer is told with what stands in its way', () => {
  assert.deepEqual(toldOf(fast, { service: known({ ready: known(0) }) }), [
    `${SILENT}: no replica is ready => ${PODS}`,
  ]);
  assert.deepEqual(toldOf(fast), [`${SILENT}: the call was refused, or its certificate not accepted => ${PODS}`]);
  const [slow] = toldOf({ ...fast, milliseconds: 3050 });
  assert.match(
    slow ?? '',
    /unjudged after 3\.0 s: the control plane does not reach the pods, or they hang => open the port/,
  );
});

test('a wrong caBundle and missing client certificates are told as reasons', () => {
  const { certificates } = installation();
  const wrong = { kind: '', configuration: '', entry: ENTRY, agrees: false, strange: 1 };
  const status = { ...(certificates.known ? certificates.value : assert.fail()), caBundles: [wrong] };
  assert.deepEqual(toldOf(fast, { certificates: known(status) }), [
    `${SILENT}: its caBundle is wrong => see certificates above`,
  ]);
  const [line] = toldOf(fast, { settings: { ...SETTINGS, clientAuthentication: {} } });
  assert.match(line ?? '', /the API server may show no client certificate => configure the API server/);
});

test('what the API server says of a call that failed closed is told, and a firewall is known by it', () => {
  const failed = (message: string) => toldOf({ type: 'failed', namespace: 'shop', message });
  assert.deepEqual(failed('connection refused'), [`problem: ${ENTRY} cannot be called: connection refused => ${PODS}`]);
  assert.match(failed('dial tcp 10.0.0.1:8443: i/o timeout')[0] ?? '', /=> open the port, on private GKE/);
});

test('what could not be asked is not seen, and no problem', () => {
  assert.deepEqual(toldOf({ type: 'unclear', because: 'you may not create Deployments' }), [
    `not-seen: whether ${ENTRY} is reached: you may not create Deployments`,
  ]);
});

test('counts that may not be read are not seen, with the command for whoever may', () => {
  const unread = unknown('/metrics of the API server may not be read: permission missing');
  const calls = { probes: [], before: unread, after: unread };
  assert.deepEqual(told(callChecks(installation({ configurations: ONLY, calls }))), [
    'not-seen: calls so far, silent failures and errors of match conditions: /metrics of the API server may not be read: permission missing => kubectl get --raw /metrics | grep apiserver_admission_webhook_fail_open_count',
  ]);
});

const LABELS = `name="${ENTRY}",operation="CREATE",rejected="false",type="validating"`;
const ABOUT = `name="${ENTRY}",type="validating"`;

/** What one API server counted. */
function counted({
  calls = 100,
  failedOpen = 0,
  failedClosed = 0,
  matchErrors = 0,
  slow = 0,
  startedAt = '1',
}): Calls['before'] {
  const bucket = (le: string, value: number) =>
    `apiserver_admission_webhook_admission_duration_seconds_bucket{${LABELS},le="${le}"} ${value}`;
  return known(
    counts(
      '# HELP apiserver_admission_webhook_request_total [ALPHA] Admission webhook request total',
      `process_start_time_seconds ${startedAt}`,
      `apiserver_admission_webhook_request_total{code="200",${LABELS}} ${calls}`,
      `apiserver_admission_webhook_request_total{code="200",${LABELS.replace(ENTRY, 'other.example.com')}} 7`,
      `apiserver_admission_webhook_fail_open_count{${ABOUT}} ${failedOpen}`,
      `apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",rejection_code="0",${LABELS}} ${failedClosed}`,
      `apiserver_admission_webhook_rejection_count{error_type="no_error",rejection_code="403",${LABELS}} 9`,
      `apiserver_admission_match_condition_evaluation_errors_total{kind="webhook",${LABELS}} ${matchErrors}`,
      bucket('0.1', calls - slow),
      bucket('2.5', calls),
      bucket('+Inf', calls),
    ),
  );
}

function toldOfCounts(before: Calls['before'], after: Calls['before']): readonly string[] {
  return told(callChecks(installation({ configurations: ONLY, calls: { probes: [], before, after } })));
}

const GREP = 'kubectl get --raw /metrics | grep rwo-guard.dev | grep -E';

test('calls that failed at some time are a warning, and a problem where they fail now', () => {
  const past = counted({ failedOpen: 3 });
  assert.deepEqual(toldOfCounts(past, past), [
    `warning: ${ENTRY} was called 100 times since this API server started, 3 failed and went through unjudged, 99 % took at most 0.1 s of 3 s => see whether it grows: ${GREP} 'fail_open_count|rejection_count'`,
  ]);
  const [now] = toldOfCounts(past, counted({ failedOpen: 4, calls: 101 }));
  assert.match(now ?? '', /^problem: calls of enforce\.rwo-guard\.dev failed while this looked, 1 of 1 => /);
});

test('what another API server counted is not compared', () => {
  const [first] = toldOfCounts(counted({}), counted({ failedOpen: 4, startedAt: '2' }));
  assert.match(first ?? '', /^warning: .* 4 failed and went through unjudged/);
});

test('errors of match conditions are told', () => {
  const errors = counted({ matchErrors: 2 });
  assert.deepEqual(toldOfCounts(errors, errors), [
    `warning: match conditions of ${ENTRY} failed 2 times since this API server started: such requests went through unjudged => ${GREP} match_condition_evaluation_errors_total`,
  ]);
});

test('two slow calls of a hundred are told, and one is not', () => {
  assert.deepEqual(toldOfCounts(counted({ slow: 1 }), counted({ slow: 1 })), []);
  assert.deepEqual(toldOfCounts(counted({ slow: 2 }), counted({ slow: 2 })), [
    `warning: ${ENTRY} was called 100 times since this API server started, 99 % took at most 2.5 s of 3 s => ${GREP} webhook_admission_duration_seconds_bucket`,
  ]);
});

test('an API server that never called it has seen nothing', () => {
  assert.deepEqual(toldOfCounts(known(counts()), known(counts())), [
    `not-seen: how long ${ENTRY} takes: the API server that was asked has not called it`,
  ]);
});

test('a call that failed since is told once where our own dry run was the one', () => {
  const probes = [{ entry: ENTRY, outcome: fast }] as const;
  const calls = { probes, before: counted({}), after: counted({ failedOpen: 1, calls: 101 }) };
  const lines = told(callChecks(installation({ configurations: ONLY, calls })));
  assert.deepEqual(lines, [`${SILENT}: the call was refused, or its certificate not accepted => ${PODS}`]);
});

test('requests that were refused because the call failed are told, and denials are none', () => {
  const past = counted({ failedClosed: 2 });
  const [line] = toldOfCounts(past, past);
  assert.match(line ?? '', /^warning: .*, 2 failed and were refused, 99 %/);
});
