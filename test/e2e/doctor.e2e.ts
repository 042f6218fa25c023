import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import type { V1ClusterRole } from '@kubernetes/client-node';
import { until } from '../control-plane/until.ts';
import { type DeployedGuard, publish } from './deployed-guard.ts';
import { doctor, problemsOnce, type Seen, typed } from './doctor-commands.ts';
import { configurationKey } from './installation.ts';
import { type InstalledCluster, installIn } from './installed-cluster.ts';
import { documents, namespace } from './webhook-manifests.ts';

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'rwo-guard', name: 'rwo-guard' };
const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const VALIDATING = configurationKey('ValidatingWebhookConfiguration');

let installed: InstalledCluster;
let guard: DeployedGuard;

before(async () => {
  installed = await installIn('rwo-guard', [], { shop: { mode: 'enforce' }, repaired: { mutate: 'auto' } });
  guard = await installed.start();
  await readyReplicas(2);
});

after(async () => {
  await guard.stop();
  await installed.cluster.stop();
});

test('a healthy installation has no problem, and exit code 0', async () => {
  const { code, problems, says } = await doctor(installed.cluster);
  assert.deepEqual([code, problems], [0, []]);
  for (const entry of ['enforce', 'advise', 'mutate']) {
    assert.ok(
      says.some((line) => line.startsWith(`ok: ${entry}.rwo-guard.dev answered a dry run in `)),
      says.join('\n'),
    );
    assert.ok(says.some((line) => line.startsWith(`ok: the caBundle of ${entry}.rwo-guard.dev verifies it`)));
  }
  assert.ok(says.includes('ok: enforce: shop'));
  assert.deepEqual(
    says.filter((line) => line.startsWith('not-seen')),
    [],
  );
});

test('it leaves nothing behind', async () => {
  const left = await installed.typed('', 'get', 'deployments', '--all-namespaces', '--output', 'name');
  assert.equal(left, 'deployment.apps/rwo-guard\n');
});

test('mistyped labels are named, and the commands that it prints mend them', async () => {
  const typos = documents(namespace('typo', { mode: 'of' }), namespace('other-typo', { mod: 'enforce' }));
  await installed.typed(typos, 'apply', '-f', '-');
  await installed.typed('', 'annotate', 'namespace', 'probe', 'rwo-guard.dev/mutate=auto');
  const { code, problems } = await doctor(installed.cluster);
  assert.equal(code, 1);
  assert.deepEqual(
    problems.map(({ says }) => says),
    [
      'namespace other-typo has label rwo-guard.dev/mod=enforce, which says nothing, did you mean rwo-guard.dev/mode?',
      'namespace probe has rwo-guard.dev/mutate as an annotation, where only a label counts',
      'namespace typo has label rwo-guard.dev/mode=of, which is none of enforce, warn, audit, off, did you mean off?',
    ],
  );
  await mended(problems);
});

test('rights that somebody took away are named by what they are for, and given back', async () => {
  const { api } = installed.cluster;
  const role = { ...RBAC, kind: 'ClusterRole', name: 'rwo-guard-cluster-state' };
  const { rules = [] } = await api.get<V1ClusterRole>(role);
  await api.patch(role, 'merge', { rules: rules.filter(({ resources }) => !resources?.includes('nodes')) });
  await api.delete({ ...RBAC, kind: 'ClusterRoleBinding', name: 'rwo-guard-ca-bundle' });
  await api.delete({ ...RBAC, kind: 'Role', namespace: 'rwo-guard', name: 'rwo-guard-serving-certificate' });
  const problems = await problemsOnce(3, installed.cluster);
  assert.deepEqual(
    problems.map(({ says }) => says),
    [
      'rwo-guard/rwo-guard may not list, watch nodes: what depends on them is judged as claim-unknown, and not denied',
      'rwo-guard/rwo-guard may not get validatingwebhookconfigurations, mutatingwebhookconfigurations rwo-guard: no replica becomes ready',
      'rwo-guard/rwo-guard may not get, update secrets rwo-guard-tls; create secrets: certificates are not kept',
    ],
  );
  await mended(problems);
});

test('a caBundle that somebody spoiled is named, with the command that puts it right', async () => {
  // With this right the servers mend it by themselves, within seconds.
  const binding = { ...RBAC, kind: 'ClusterRoleBinding', name: 'rwo-guard-ca-injection' };
  await installed.cluster.api.delete(binding);
  const { certificateAuthority } = installed.cluster;
  const value = Buffer.from(certificateAuthority).toString('base64');
  await installed.cluster.api.patch(VALIDATING, 'json', [
    { op: 'replace', path: '/webhooks/1/clientConfig/caBundle', value },
  ]);
  const problems = await problemsOnce(3, installed.cluster);
  assert.deepEqual(
    problems.map(({ says }) => says),
    [
      'the caBundle of advise.rwo-guard.dev does not verify the certificate: its calls fail',
      'advise.rwo-guard.dev did not answer a dry run, which went through unjudged: its caBundle is wrong',
      'rwo-guard/rwo-guard may not patch validatingwebhookconfigurations, mutatingwebhookconfigurations rwo-guard: caBundle is never set or renewed',
    ],
  );
  await mended(problems.filter(({ fix }) => fix?.includes('kubectl')));
});

test('a server that nothing answers for is told by how long the API server waited', async () => {
  const silent = createServer(() => {}).listen(0);
  await once(silent, 'listening');
  const address = silent.address();
  assert.ok(address !== null && typeof address === 'object');
  await installed.cluster.publishWebhookService({
    namespace: 'rwo-guard',
    service: 'rwo-guard',
    endpoints: [{ port: address.port }],
  });
  await guard.stop();
  const { problems } = await doctor(installed.cluster);
  silent.close();
  assert.match(
    problems[0]?.says ?? '',
    /^enforce\.rwo-guard\.dev did not answer a dry run, which went through unjudged after 3\.\d s: the control plane/,
  );
  assert.match(problems[0]?.fix ?? '', /^open the port/);
});

test('a server that was stopped is named, and what the API server says of a call that failed closed', async () => {
  await installed.cluster.publishWebhookService({
    namespace: 'rwo-guard',
    service: 'rwo-guard',
    endpoints: guard.replicas.map(({ port }) => ({ port, ready: false })),
  });
  await readyReplicas(0);
  await installed.cluster.api.patch(VALIDATING, 'json', [
    { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
  ]);
  const failed = 'enforce.rwo-guard.dev cannot be called: Internal error occurred: failed calling webhook';
  const { problems, code } = await until('the policy to be in force', async () => {
    const seen = await doctor(installed.cluster);
    return seen.problems.some(({ says }) => says.startsWith(failed)) && seen;
  });
  assert.equal(code, 1);
  const [ready, service] = problems;
  assert.equal(ready?.says, '0 of 2 replicas are ready: nothing is judged');
  assert.equal(service?.says, 'Service rwo-guard/rwo-guard leads nowhere: no pod that it selects is ready');
  for (const { fix = '' } of [ready, service].filter((one) => one !== undefined)) await typed(fix, installed.cluster);
  assert.ok(
    problems.some(({ says }) =>
      says.startsWith(
        'advise.rwo-guard.dev did not answer a dry run, which went through unjudged: no replica is ready',
      ),
    ),
  );
});

test('started again, all is in order again', async () => {
  await installed.reinstall();
  guard = await installed.start();
  await readyReplicas(2);
  await problemsOnce(0, installed.cluster);
  await publish(installed.cluster, 'rwo-guard', guard.replicas);
});

test('who has few rights is told what was not seen, and is not told of problems', async () => {
  const person = await installed.cluster.person({ user: 'jane' }, []);
  const { code, problems, says } = await doctor(installed.cluster, person);
  assert.deepEqual([code, problems], [0, []]);
  const unseen = says.filter((line) => line.startsWith('not-seen'));
  for (const line of [
    'ValidatingWebhookConfiguration rwo-guard may not be read: permission missing',
    '/metrics of the API server may not be read: permission missing',
    'you may not ask what others may do',
  ])
    assert.ok(
      unseen.some((one) => one.includes(line)),
      unseen.join('\n'),
    );
});

test('configurations that a removal left over are told with the command that removes them', async () => {
  await installed.cluster.api.delete(DEPLOYMENT);
  const { problems } = await doctor(installed.cluster);
  assert.match(problems[0]?.says ?? '', /does not exist, and its webhook configurations are left over$/);
  await typed(problems[0]?.fix ?? '', installed.cluster);
  const [next] = (await doctor(installed.cluster)).problems;
  assert.match(next?.says ?? '', /rwo-guard is not installed here$/);
});

/** Types what is printed as remedies, and waits until nothing is wrong any more. */
async function mended(problems: Seen['problems']): Promise<void> {
  for (const { fix = '' } of problems) await typed(fix, installed.cluster);
  await problemsOnce(0, installed.cluster);
}

/** There are no controllers here that would count the pods. */
async function readyReplicas(ready: number): Promise<void> {
  const status = { replicas: 2, updatedReplicas: 2, readyReplicas: ready, availableReplicas: ready };
  await installed.cluster.api.patch(DEPLOYMENT, 'merge', { status }, { subresource: 'status' });
}
