import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/cluster/api-error.ts';
import { readCallCounts } from '../../src/cluster/call-counts.ts';
import { readConfiguration, readNamespaces } from '../../src/cluster/read-installation.ts';
import { FakeApi, object, page } from './fake-api.ts';

const { signal } = new AbortController();
const VALIDATING = { kind: 'ValidatingWebhookConfiguration', name: 'rwo-guard' } as const;

test('thousands of namespaces are read page by page', async () => {
  const api = new FakeApi(({ query }) => {
    const from = Number(query.continue ?? 0);
    const items = Array.from({ length: Number(query.limit) }, (_, n) => object(`n${from + n}`));
    const next = from + items.length;
    return page(items, '1', next < 5000 ? String(next) : '');
  });
  const namespaces = await readNamespaces(api, signal);
  assert.ok(namespaces.known);
  assert.deepEqual([namespaces.value.length, api.lists.length], [5000, 20]);
});

test('what is not there is known, and what may not be read is not', async () => {
  const answering = (status: number) => new FakeApi(() => new ApiError('GET x', status, 'no'));
  assert.deepEqual(await readConfiguration(answering(404), VALIDATING, signal), { known: true, value: undefined });
  assert.deepEqual(await readConfiguration(answering(403), VALIDATING, signal), {
    known: false,
    because: 'ValidatingWebhookConfiguration rwo-guard may not be read: permission missing',
  });
});

test('a bug is no reason not to see', async () => {
  const api = new FakeApi(() => new TypeError('undefined is not a function'));
  await assert.rejects(readConfiguration(api, VALIDATING, signal), TypeError);
});

test('an entry has the defaults of the API where it says nothing', async () => {
  const api = new FakeApi(() => ({
    webhooks: [{ name: 'enforce.rwo-guard.dev', clientConfig: { url: 'https://x' } }],
  }));
  const read = await readConfiguration(api, VALIDATING, signal);
  assert.ok(read.known);
  const [entry] = read.value ?? [];
  assert.deepEqual(
    [entry?.failurePolicy, entry?.timeoutSeconds, entry?.service, entry?.hasCaBundle, entry?.namespaceSelector],
    ['Fail', 10, undefined, false, []],
  );
});

test('metrics are read line by line, wherever their bytes are cut', async () => {
  const text = [
    '# TYPE apiserver_admission_webhook_fail_open_count counter',
    'apiserver_admission_webhook_fail_open_count{name="advise.rwo-guard.dev",type="validating"} 3',
    'apiserver_admission_webhook_fail_open_count{name="other.example.com",type="validating"} 5',
    'process_start_time_seconds 1.5e+09',
  ].join('\n');
  const counts = await readCallCounts(metrics(text), signal);
  assert.ok(counts.known);
  assert.equal(counts.value.startedAt, '1.5e+09');
  assert.deepEqual(
    [...counts.value.entries].map(([name, { failedOpen }]) => [name, failedOpen]),
    [['advise.rwo-guard.dev', 3]],
  );
});

test('an answer without end is left, and its counts are not known', async () => {
  let read = 0;
  const endless = {
    async stream() {
      return (async function* () {
        for (;;) {
          read++;
          yield Buffer.from('process_start_time_seconds 1\n');
        }
      })();
    },
  };
  const counts = await readCallCounts(endless, signal, 1000);
  assert.deepEqual(counts, {
    known: false,
    because: '/metrics of the API server could not be read (UNREADABLE_ANSWER)',
  });
  assert.ok(read < 50, String(read));
});

/** An API server whose bytes come one by one. */
function metrics(text: string) {
  return {
    async stream() {
      return (async function* () {
        for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
      })();
    },
  };
}
