import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesApi } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { type AdmissionRecorder, recordAdmission } from './admission-recorder.ts';
import { type AdmissionRequest, deployment, NAMESPACES } from './admission-requests.ts';
import { giveEntriesTheirOwnPaths, KUSTOMIZATION, kubectl } from './installation.ts';
import { MUTATING_REQUESTS } from './mutating-requests.ts';
import { VALIDATING_REQUESTS } from './validating-requests.ts';

const PERSON = { user: 'jane', groups: ['people'] };

let cluster: ControlPlane;
let recorder: AdmissionRecorder;

before(async () => {
  const authority = createCertificateAuthority();
  recorder = await recordAdmission(authority.servingCertificate({ dns: ['rwo-guard.rwo-guard.svc'], ips: [] }));
  cluster = await startControlPlane();
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  await giveEntriesTheirOwnPaths(cluster.api, authority.certificate);
  const endpoints = [{ port: recorder.port }];
  await cluster.publishWebhookService({ namespace: 'rwo-guard', service: 'rwo-guard', endpoints });
  for (const [name, labels] of Object.entries(NAMESPACES)) {
    const prefixed = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`rwo-guard.dev/${key}`, value]));
    await cluster.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: prefixed } });
  }
  await until('every entry is in force', async () => {
    for (const namespace of ['unset', 'enforce', 'mutate']) {
      await cluster.api.create(deployment(namespace), { dryRun: true });
    }
    return new Set(recorder.take().map(({ entry }) => entry)).size === 3;
  });
});

after(async () => {
  recorder.close();
  await cluster.stop();
});

for (const request of [...VALIDATING_REQUESTS, ...MUTATING_REQUESTS]) {
  test(`${request.name} ${request.reaches.length === 0 ? 'reaches no entry' : `reaches ${request.reaches.join(' and ')}`}`, async () => {
    assert.deepEqual(await entriesReachedBy(request), request.reaches.map((entry) => `${entry}.rwo-guard.dev`).sort());
  });
}

test('no match condition ever failed', async () => {
  const { body } = await cluster.api.request<string>('GET', '/metrics');
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
  return cluster.apiAs({ user, groups: [...groups, 'system:authenticated', 'system:masters'] });
}
