import assert from 'node:assert/strict';
import { chmod, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { CLUSTER_RESOURCES } from '../control-plane/role.ts';
import { until } from '../control-plane/until.ts';
import { type Described, manifest } from '../forecast/scene.ts';
import { folderFor, start } from '../program.ts';

const PROGRAM = join(import.meta.dirname, '../../dist/rwo-guard.js');

/** Every kind of workload, once with a hazard and once without, as a person would write it. */
const VARIANTS: readonly (Described & { readonly rule?: string })[] = [
  { kind: 'Deployment', rule: 'rollout-deadlock' },
  { kind: 'Deployment', spec: { strategy: { type: 'Recreate' } } },
  { kind: 'StatefulSet', replicas: 2, rule: 'replicas-split' },
  { kind: 'StatefulSet', replicas: 1 },
  { kind: 'ReplicaSet', replicas: 2, rule: 'replicas-split' },
  { kind: 'ReplicaSet', replicas: 1 },
  { kind: 'DaemonSet', rule: 'replicas-split' },
  { kind: 'DaemonSet', pod: { nodeSelector: { 'kubernetes.io/hostname': 'a' } } },
  { kind: 'Job', spec: { parallelism: 2, completions: 2 }, rule: 'replicas-split' },
  { kind: 'Job' },
  { kind: 'CronJob', rule: 'claim-shared' },
  { kind: 'CronJob', spec: { concurrencyPolicy: 'Forbid' } },
];

/** An object with whatever fields its kind has. */
type Written = KubernetesObject & JsonObject;

/** Of each variant so many, which makes 300. */
const OF_EACH = 25;

let cluster: ControlPlane;
const expected: string[] = [];

before(async () => {
  cluster = await startControlPlane({ controllerManager: true });
  await createAll([
    ...['shop', 'zoo'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { team: name } },
    })),
    ...['a', 'b', 'c'].map((name) => ({
      ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name } } },
    })),
    { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'disk' }, spec: { attachRequired: true } },
    { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'disk' }, provisioner: 'disk' },
  ]);
  await createAll(
    VARIANTS.flatMap((variant, nth) => Array.from({ length: OF_EACH }, (_, n) => workload(variant, nth, n))).flat(),
  );
});

after(() => cluster?.stop());

function workload({ rule, ...variant }: (typeof VARIANTS)[number], nth: number, n: number): readonly Written[] {
  const kind = variant.kind ?? 'Deployment';
  const name = `${kind.toLowerCase()}-${nth}-${n}`;
  if (rule !== undefined) expected.push(`${kind} ${name}: ${rule}`);
  return [claim('shop', name), written({ ...variant, name, claims: [name] })];
}

/** A workload that the API server takes, with what people leave out. */
function written(described: Described): Written {
  const { kind = 'Deployment', name = 'web', claims = [], spec, pod } = described;
  const isRun = kind === 'Job' || kind === 'CronJob';
  const containers = [
    { name: 'app', image: 'app', volumeMounts: claims.map((claim) => ({ name: claim, mountPath: `/${claim}` })) },
  ];
  const more =
    kind === 'CronJob' ? { schedule: '0 0 1 1 *' } : isRun ? {} : { selector: { matchLabels: { app: name } } };
  return manifest({
    ...described,
    spec: { ...more, ...(kind === 'StatefulSet' && { serviceName: name }), ...spec },
    pod: { ...pod, containers, ...(isRun && { restartPolicy: 'Never' }) },
  }) as Written;
}

function claim(namespace: string, name: string, volumeName?: string): Written {
  const spec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'disk',
    resources: { requests: { storage: '1Gi' } },
  };
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: { ...spec, volumeName },
  };
  return object;
}

async function createAll(objects: readonly Written[]): Promise<void> {
  const waiting = [...objects];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await cluster.api.create(next);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

interface Scanned {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function scan(t: TestContext, kubeconfig: string, ...args: readonly string[]): Promise<Scanned> {
  return start(t, ['scan', '--kubeconfig', kubeconfig, ...args], [PROGRAM]).ended;
}

interface Document {
  readonly findings: readonly {
    readonly rule: string;
    readonly resource: { readonly kind: string; readonly name: string };
    readonly now?: { readonly state: string; readonly because: string };
  }[];
  readonly inconclusive: readonly { readonly resource: { readonly name: string }; readonly because: string }[];
  readonly unseen: readonly { readonly list: string; readonly because: string }[];
  readonly summary: Readonly<Record<string, number>>;
}

async function scanned(t: TestContext, kubeconfig: string, ...args: readonly string[]): Promise<Document> {
  const { stdout, stderr } = await scan(t, kubeconfig, '--format', 'json', ...args);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

test('of 300 workloads of all kinds every hazard is found, and nothing else', async (t) => {
  await until('each Deployment has its ReplicaSet', async () => {
    const sets = await cluster.api.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }, { namespace: 'shop' });
    return sets.length === 4 * OF_EACH;
  });
  const { findings, inconclusive, unseen, summary } = await scanned(t, cluster.adminKubeconfig);
  const found = findings.map(({ rule, resource }) => `${resource.kind} ${resource.name}: ${rule}`);
  assert.deepEqual(found.toSorted(), expected.toSorted());
  assert.equal(found.length, 150);
  assert.deepEqual([inconclusive, unseen], [[], []]);
  assert.deepEqual([summary.objects, summary.workloads], [600, 300]);
});

test('kubectl runs it by the name of a plugin', async (t) => {
  const folder = await folderFor(t);
  await chmod(PROGRAM, 0o755);
  await symlink(PROGRAM, join(folder, 'kubectl-rwo_guard'));
  const env = { PATH: `${folder}:${dirname(process.execPath)}` };
  const args = ['rwo-guard', 'scan', '--as-if', 'enforce'];
  const { code, stdout } = await cluster.kubectl(cluster.adminKubeconfig, args, { env });
  const [, row = ''] = /\n( {2}shop .*)\n/.exec(stdout) ?? [];
  assert.deepEqual(row.trim().split(/\s+/), ['shop', 'shop', 'default', '300', '100', '50', '0']);
  assert.equal(code, 1);
});

test('a caller who may not read volumes hears it, and what hangs on them stays open', async (t) => {
  const rules = CLUSTER_RESOURCES.map((rule) => ({
    ...rule,
    resources: rule.resources.filter((resource) => resource !== 'persistentvolumes'),
  }));
  const kubeconfig = await cluster.person({ user: 'without-volumes' }, rules);
  await createAll([volumeFor('zoo', 'bound'), claim('zoo', 'bound', 'zoo-bound')]);
  await cluster.api.create(written({ metadata: { namespace: 'zoo' }, name: 'bound', claims: ['bound'] }));
  const { findings, inconclusive, unseen } = await scanned(t, kubeconfig);
  assert.deepEqual(
    unseen.map(({ list, because }) => `${list}: ${because}`),
    ['persistentvolumes: permission missing (list)', 'runtimeclasses: permission missing (list)'],
  );
  assert.equal(findings.length, 150);
  assert.deepEqual(
    inconclusive.map(({ resource, because }) => `${resource.name}: ${because}`),
    ['bound: persistentvolumes cannot be read: permission missing (list)'],
  );
});

test('a caller with the rights of one namespace sees that one, and is told to name it', async (t) => {
  const apiGroup = 'rbac.authorization.k8s.io';
  const binding = {
    ...{ apiVersion: `${apiGroup}/v1`, kind: 'RoleBinding', metadata: { namespace: 'shop', name: 'viewer' } },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'system:aggregate-to-view' },
    subjects: [{ apiGroup, kind: 'User', name: 'viewer' }],
  };
  await cluster.api.create(binding);
  const kubeconfig = await cluster.kubeconfigFor({ user: 'viewer' });
  const { code, stdout, stderr } = await scan(t, kubeconfig);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(
    stderr,
    /^rwo-guard: none of deployments, .* may be listed: name by -n a namespace where they may be\n$/,
  );
  const { summary, unseen, inconclusive } = await scanned(t, kubeconfig, '-n', 'shop');
  assert.deepEqual([summary.objects, summary.workloads], [600, 300]);
  assert.ok(
    unseen.some(({ list, because }) => list === 'pods' && because === 'permission missing (list) outside shop'),
  );
  assert.ok(inconclusive.some(({ because }) => because.includes('nodes cannot be read: permission missing (list)')));
});

test('a rollout that hangs in Multi-Attach now comes first', async (t) => {
  const key = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'zoo', name: 'web' };
  await createAll([volumeFor('zoo', 'data'), claim('zoo', 'data', 'zoo-data')]);
  await cluster.api.create(written({ metadata: { namespace: 'zoo' }, name: 'web', claims: ['data'] }));
  const [old] = await podsOf('web', 1);
  await place(old, 'a', 'running');
  await cluster.api.create(attachment('zoo-data', 'a'));
  await cluster.api.patch(key, 'merge', { spec: { template: { metadata: { annotations: { change: '1' } } } } });
  const pods = await podsOf('web', 2);
  const next = pods.find(({ metadata }) => metadata?.name !== old?.metadata?.name);
  await place(next, 'b', 'waiting');

  const { findings } = await scanned(t, cluster.adminKubeconfig);
  const [first, second] = findings;
  assert.deepEqual([first?.rule, first?.resource.name, first?.now?.state], ['rollout-deadlock', 'web', 'struck']);
  assert.match(
    first?.now?.because ?? '',
    new RegExp(`^pod ${next?.metadata?.name} waits on b .* for data, which pod ${old?.metadata?.name} has on a$`),
  );
  assert.notEqual(second?.now?.state, 'struck');
  const { stdout } = await scan(t, cluster.adminKubeconfig, '-n', 'zoo', '--explain');
  assert.match(stdout, /^has struck\n.* runs on a, with data attached there/s);
});

function volumeFor(namespace: string, name: string): Written {
  const spec = {
    ...{
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: 'disk',
      claimRef: { namespace, name },
    },
    csi: { driver: 'disk', volumeHandle: `${namespace}-${name}` },
  };
  const object = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: `${namespace}-${name}` }, spec };
  return object;
}

function attachment(persistentVolumeName: string, nodeName: string): KubernetesObject {
  const spec = { attacher: 'disk', nodeName, source: { persistentVolumeName } };
  const object = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name: 'attached' }, spec };
  return object;
}

/** The pods that the controllers have made, once there are so many. */
function podsOf(app: string, count: number): Promise<readonly KubernetesObject[]> {
  return until(`there are ${count} pods of ${app}`, async () => {
    const pods = await cluster.api.list(
      { apiVersion: 'v1', kind: 'Pod' },
      { namespace: 'zoo', labelSelector: `app=${app}` },
    );
    return pods.length === count && pods;
  });
}

/** Does what the scheduler and a kubelet do. */
async function place(pod: KubernetesObject | undefined, nodeName: string, is: 'running' | 'waiting'): Promise<void> {
  const name = pod?.metadata?.name ?? '';
  const key = { apiVersion: 'v1', kind: 'Pod', namespace: 'zoo', name };
  const path = `/api/v1/namespaces/zoo/pods/${name}/binding`;
  await cluster.api.request('POST', path, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name },
    target: { kind: 'Node', name: nodeName },
  });
  const isRunning = is === 'running';
  const state = isRunning
    ? { running: { startedAt: new Date().toISOString() } }
    : { waiting: { reason: 'ContainerCreating' } };
  const ready = isRunning ? [{ type: 'Ready', status: 'True' }] : [];
  const status = {
    phase: isRunning ? 'Running' : 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: new Date().toISOString().replace(/\.\d+Z/, 'Z') },
      ...ready,
    ],
    containerStatuses: [{ name: 'app', image: 'app', imageID: '', ready: isRunning, restartCount: 0, state }],
  };
  await cluster.api.patch(key, 'merge', { status }, { subresource: 'status' });
}
