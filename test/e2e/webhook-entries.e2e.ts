import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubernetesApi } from '../control-plane/kubernetes-api.ts';
import type { AdmissionRequest } from './admission-requests.ts';
import { installRecorded, type RecordedInstallation } from './installation.ts';
import { MUTATING_REQUESTS } from './mutating-requests.ts';
import { VALIDATING_REQUESTS } from './validating-requests.ts';

const PERSON = { user: 'jane', groups: ['people'] };

let installation: RecordedInstallation;

before(async () => {
  installation = await installRecorded();
});

after(() => installation.stop());

for (const request of [...VALIDATING_REQUESTS, ...MUTATING_REQUESTS]) {
  test(`${request.name} ${request.reaches.length === 0 ? 'reaches no entry' : `reaches ${request.reaches.join(' and ')}`}`, async () => {
    assert.deepEqual(await entriesReachedBy(request), request.reaches.map((entry) => `${entry}.rwo-guard.dev`).sort());
  });
}

test('no match condition ever failed', async () => {
  const { body } = await installation.cluster.api.request<string>('GET', '/metrics');
  const failed = body
    .split('\n')
    .filter((line) => line.startsWith('apiserver_admission_match_condition_evaluation_errors_total'));
  assert.deepEqual(
    failed.filter((line) => !line.endsWith(' 0')),
    [],
  );
  assert.match(body, /^apiserver_admission_match_condition_exclusions_total\{.*advise\.rwo-guard\.dev/m);
});

async function entriesReachedBy({ given, as = PERSON, send }: AdmissionRequest): Promise<readonly string[]> {
  const { cluster, recorder } = installation;
  const stored = given === undefined ? {} : await cluster.api.create(given);
  const api = apiAs(as);
  recorder.take();
  try {
    await send(api, stored);
  } finally {
    await api.close();
  }
  return recorder
    .take()
    .map(({ entry }) => entry)
    .sort();
}

/** May do everything, for what is asked here is not who may, but what becomes of it. */
function apiAs({ user, groups = [] }: NonNullable<AdmissionRequest['as']>): KubernetesApi {
  return installation.cluster.apiAs({ user, groups: [...groups, 'system:authenticated', 'system:masters'] });
}
