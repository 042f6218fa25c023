import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { V1Deployment, V1Node, V1Pod, V1VolumeAttachment } from '@kubernetes/client-node';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { NODE_FAILURE_FLAGS, type PlayedNodes, playNodes } from './failing-nodes.ts';
import { type GuardedCluster, startGuardedCluster } from './guarded-cluster.ts';
import { type KillingProxy, startKillingProxy } from './killing-proxy.ts';
import { THIS_RELEASE } from './release.ts';

const DRIVER = 'disk.example.com';

/** Seconds until a failed node's pods are evicted, in place of the five minutes that admission writes. */
const EVICTED_AFTER = 1;

const PATIENT = { timeoutMs: 150_000, everyMs: 500 };

let guarded: GuardedCluster;
let nodes: PlayedNodes;
let proxy: KillingProxy;

before(async () => {
  guarded = await startGuardedCluster({
    given: [],
    controllerManager: true,
    scheduler: true,
    heartbeats: true,
    flags: {
      'kube-apiserver': ['--disable-admission-plugins=ServiceAccount'],
      'kube-controller-manager': NODE_FAILURE_FLAGS,
    },
  });
  nodes = await playNodes(guarded.cluster);
  proxy = await startKillingProxy(guarded.cluster);
  const { api } = guarded.cluster;
  await api.create(object('storage.k8s.io/v1', 'CSIDriver', { name: DRIVER }, { spec: { attachRequired: true } }));
  for (const name of ['node-a', 'node-b', 'node-c']) await nodes.add(name);
  await hangUnmounting('unmount');
});

after(async () => {
  await proxy?.close();
  await nodes?.stop();
  await guarded?.stop();
});

test('a rollout that hangs is diagnosed, and gets going with its replicas', async () => {
  await deadlock('deadlock', 'node-a', 'node-b');
  assert.match((await run('diagnose', 'deadlock/data')).stdout, /\[rollout-deadlock\]/);
  const plan = await run('recover', 'deadlock/data', '--dry-run');
  assert.match(plan.stdout, /dry run: scale Deployment deadlock\/web from 1 to 0: would pass/);
  const { code, stdout, stderr } = await run('recover', 'deadlock/data', '--apply');
  assert.deepEqual([code, stdout], [0, 'recovered\n'], stderr);
  await requireAsBefore('deadlock', 1);
  assert.equal((await run('diagnose', 'deadlock/data')).code, 0);
});

test('after SIGKILL at any of its writes the next run ends with the original replicas, also where the namespace enforces', async () => {
  const namespace = 'killed';
  await deadlock(namespace, 'node-a', 'node-b');
  await enforce(namespace, true);
  proxy.take();
  assert.equal((await run('recover', `${namespace}/data`, '--apply')).code, 0);
  const writes = proxy.take();
  assert.equal(writes.length, 6, writes.join('\n'));
  for (const at of writes.keys()) {
    const [from, to] = at % 2 === 0 ? (['node-b', 'node-a'] as const) : (['node-a', 'node-b'] as const);
    await enforce(namespace, false);
    await hangRollout(namespace, from, to);
    await enforce(namespace, true);
    const killed = start('recover', `${namespace}/data`, '--apply');
    proxy.killAt(at + 1, () => killed.child.kill('SIGKILL'));
    assert.equal((await killed.ended).signal, 'SIGKILL');
    proxy.take();
    const { code, stderr } = await run('recover', `${namespace}/data`, '--apply');
    assert.equal(code, 0, `after write ${at + 1}, ${writes[at]}: ${stderr}`);
    await requireAsBefore(namespace, 1);
  }
});

test('a stuck export: everything that uses it is stopped, and comes back as it was, though each run is killed at its first write', async () => {
  const namespace = 'export';
  const { api } = guarded.cluster;
  await inhabit(namespace, { nfs: { server: 'nfs.example.com', path: '/' } }, 'ReadWriteMany');
  await api.create(deployment(namespace, 'web', { replicas: 3 }));
  await api.create(workload('StatefulSet', namespace, 'db', { replicas: 2, serviceName: 'db' }));
  await api.create(object('v1', 'Pod', { namespace, name: 'alone', labels: { app: 'alone' } }, { spec: podSpec() }));
  const six = async () => (await podsIn(namespace)).filter(isReady).length === 6;
  await until('all six pods to run', six, PATIENT);
  const before = await specsIn(namespace);
  nodes.hang(namespace);
  await api.delete({ apiVersion: 'v1', kind: 'Pod', namespace, name: 'db-0' });
  await until(
    'it to be seen',
    async () => (await run('diagnose', `${namespace}/data`)).stdout.includes('[shared-volume-stuck]'),
    PATIENT,
  );
  const everything = await run('diagnose');
  assert.match(everything.stdout, /export\/data.*\[shared-volume-stuck\]/);

  const stopping = await killedAtEachFirstWrite('recover', `${namespace}/data`, '--apply', '--timeout', '3');
  assert.equal(stopping.writes.length, 4, stopping.writes.join('\n'));
  assert.match(stopping.ended.stdout, /it still waits for .* to end\nrun it again to go on/);
  nodes.answer(namespace);
  const starting = await killedAtEachFirstWrite('recover', `${namespace}/data`, '--apply');
  assert.equal(starting.writes.length, 7, starting.writes.join('\n'));
  assert.deepEqual([starting.ended.code, starting.ended.stdout], [0, 'nothing is wrong with it\n']);
  await until('all six pods to run again', six, PATIENT);
  assert.deepEqual(await specsIn(namespace), before);
  assert.deepEqual(await annotationsIn(namespace), []);
});

test('a pod that ends slowly is waited for, and what then moves by itself is read back', async () => {
  const namespace = 'slow';
  await inhabit(namespace, { csi: { driver: DRIVER, volumeHandle: namespace } });
  await guarded.cluster.api.create(deployment(namespace, 'web', { strategy: { type: 'Recreate' } }, 'node-a'));
  await until('the pod to run', async () => (await podsIn(namespace)).some(isReady), PATIENT);
  nodes.hang(namespace);
  await moveTo(namespace, 'node-b');
  await diagnosed(namespace, /\[slow-termination\][\s\S]*past its grace/);
  const recovering = run('recover', `${namespace}/data`, '--apply');
  proxy.take();
  nodes.answer(namespace);
  const { code, stderr } = await recovering;
  assert.equal(code, 0, stderr);
  assert.deepEqual(proxy.take(), []);
});

test('what --apply has no step for is diagnosed, and left as it is', async () => {
  const { api } = guarded.cluster;
  await inhabit('split', { csi: { driver: DRIVER, volumeHandle: 'split' } });
  const apart = {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
    ],
  };
  const split = deployment('split', 'web', { replicas: 2 });
  await api.create({ ...split, spec: withAffinity(split, { podAntiAffinity: apart }) } as KubernetesObject);
  await diagnosed('split', /\[replicas-split\]/);
  await refusedWithoutWrites('split');

  await inhabit('full', { csi: { driver: DRIVER, volumeHandle: 'full' } });
  await nodes.add('node-f');
  await api.create(
    object(
      'storage.k8s.io/v1',
      'CSINode',
      { name: 'node-f' },
      { spec: { drivers: [{ name: DRIVER, nodeID: 'f', topologyKeys: [], allocatable: { count: 0 } }] } },
    ),
  );
  await api.create(deployment('full', 'web', {}, 'node-f'));
  await diagnosed('full', /\[volume-limit\][\s\S]*exceed max volume count/);
  await refusedWithoutWrites('full');

  await inhabit('going', { csi: { driver: DRIVER, volumeHandle: 'going' } });
  await api.create(deployment('going', 'web'));
  await until('the pod to run', async () => (await podsIn('going')).some(isReady), PATIENT);
  await api.delete({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'going', name: 'data' });
  await diagnosed('going', /\[claim-deleting\]/);
  await refusedWithoutWrites('going');

  await api.create(object('storage.k8s.io/v1', 'StorageClass', { name: 'ebs' }, { provisioner: 'ebs.csi.aws.com' }));
  await api.create(object('v1', 'Namespace', { name: 'refused' }));
  const spec = { accessModes: ['ReadWriteMany'], storageClassName: 'ebs', resources: { requests: { storage: '1Gi' } } };
  await api.create(object('v1', 'PersistentVolumeClaim', { namespace: 'refused', name: 'data' }, { spec }));
  await diagnosed('refused', /\[mode-refused\]/);
});

test('two owners on one claim: the one that is kept gets it', async () => {
  const namespace = 'two';
  const { api } = guarded.cluster;
  await inhabit(namespace, { csi: { driver: DRIVER, volumeHandle: namespace } });
  await api.create(workload('StatefulSet', namespace, 'db', { replicas: 1, serviceName: 'db' }, 'node-a'));
  await until('the first owner to run', async () => (await podsIn(namespace)).some(isReady), PATIENT);
  await api.create(deployment(namespace, 'web', {}, 'node-b'));
  await until(
    'the case',
    async () => (await run('diagnose', `${namespace}/data`)).stdout.includes('[two-owners]'),
    PATIENT,
  );
  assert.equal((await run('recover', `${namespace}/data`, '--apply')).code, 1);
  const { code, stderr } = await run('recover', `${namespace}/data`, '--apply', '--keep', 'Deployment/web');
  assert.equal(code, 0, stderr);
  const pods = await podsIn(namespace);
  assert.deepEqual(
    pods.map((pod) => [pod.metadata?.labels?.app, pod.spec?.nodeName, isReady(pod)]),
    [['web', 'node-b', true]],
  );
});

test('a node that fails: nothing before somebody says that it is off, and everything after', async () => {
  const namespace = 'down';
  const { api } = guarded.cluster;
  await inhabit(namespace, { csi: { driver: DRIVER, volumeHandle: namespace } });
  await nodes.add('node-d');
  await label('node-d', { role: 'down' }, 'Node');
  await api.create(deployment(namespace, 'web', {}, { role: 'down' }));
  await until('the pod to run', async () => (await podsIn(namespace)).some(isReady), PATIENT);
  await label('node-c', { role: 'down' }, 'Node');
  nodes.silence('node-d');
  await until('its replacement to wait', async () => (await podsIn(namespace)).length === 2, PATIENT);
  assert.match((await run('diagnose', `${namespace}/data`)).stdout, /\[node-down\][\s\S]*no clock runs[\s\S]*UNSAFE/);
  proxy.take();
  const refused = await run('recover', `${namespace}/data`, '--apply');
  assert.deepEqual([refused.code, proxy.take()], [1, []]);
  assert.match(refused.stdout, /--node-is-off node-d/);

  const { code, stderr } = await run('recover', `${namespace}/data`, '--apply', '--node-is-off', 'node-d');
  assert.equal(code, 0, stderr);
  const [pod, ...more] = await podsIn(namespace);
  assert.deepEqual([pod?.spec?.nodeName, pod !== undefined && isReady(pod), more.length], ['node-c', true, 0]);
  const node = await api.get<V1Node & KubernetesObject>({ apiVersion: 'v1', kind: 'Node', name: 'node-d' });
  assert.equal(node.metadata?.annotations?.['rwo-guard.dev/out-of-service-boot-id'], 'node-d-1');
  assert.ok(node.spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service'));
});

test('a silent node whose pod is gone from the API: the volume comes off at once where the node is said to be off', async () => {
  const namespace = 'gone';
  const { api } = guarded.cluster;
  await inhabit(namespace, { csi: { driver: DRIVER, volumeHandle: namespace } });
  await nodes.add('node-g');
  await label('node-g', { role: 'gone' }, 'Node');
  await api.create(deployment(namespace, 'web', {}, { role: 'gone' }));
  await until('the pod to run', async () => (await podsIn(namespace)).some(isReady), PATIENT);
  const [pod] = await podsIn(namespace);
  await label('node-c', { role: 'gone' }, 'Node');
  nodes.silence('node-g');
  await diagnosed(namespace, /\[node-down\]/);
  await api.delete(
    { apiVersion: 'v1', kind: 'Pod', namespace, name: pod?.metadata?.name ?? '' },
    { gracePeriodSeconds: 0 },
  );
  await diagnosed(namespace, /\[node-down-pod-gone\]/);
  const { code, stderr } = await run('recover', `${namespace}/data`, '--apply', '--node-is-off', 'node-g');
  assert.equal(code, 0, stderr);
});

test('an attachment to a node that was deleted is taken away for a machine that is off', async () => {
  const namespace = 'stale';
  const { api } = guarded.cluster;
  await inhabit(namespace, { csi: { driver: DRIVER, volumeHandle: namespace } });
  await nodes.add('node-e');
  await label('node-e', { role: 'stale' }, 'Node');
  await api.create(deployment(namespace, 'web', {}, { role: 'stale' }));
  await until('the pod to run', async () => (await podsIn(namespace)).some(isReady), PATIENT);
  await label('node-b', { role: 'stale' }, 'Node');
  nodes.silence('node-e');
  await api.delete({ apiVersion: 'v1', kind: 'Node', name: 'node-e' });
  await until(
    'the case',
    async () => (await run('diagnose', `${namespace}/data`)).stdout.includes('[deleted-node]'),
    PATIENT,
  );
  const { code, stderr } = await run('recover', `${namespace}/data`, '--apply', '--node-is-off', 'node-e');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /delete attachment csi-\w+ to node-e/);
  const attachments = await api.list<V1VolumeAttachment & KubernetesObject>({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
  });
  assert.deepEqual(
    attachments
      .filter(({ spec }) => spec.source.persistentVolumeName === `pv-${namespace}`)
      .map(({ spec }) => spec.nodeName),
    ['node-b'],
  );
});

test('an unmount that hangs on a healthy node is left to somebody who can look at the node', async () => {
  await diagnosed('unmount', /\[unmount-hangs\][\s\S]*UNSAFE/);
  await refusedWithoutWrites('unmount');
  nodes.answer('unmount');
});

interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [THIS_RELEASE.program, ...args, '--kubeconfig', proxy.kubeconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = (async (): Promise<Run> => {
    const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    const [stdout, stderr] = await outputs;
    return { code, signal, stdout, stderr };
  })();
  return { child, ended };
}

/** Runs it again and again, and kills it each time as soon as it has written something, until it has nothing more to write. */
async function killedAtEachFirstWrite(...args: readonly string[]) {
  const writes: string[] = [];
  for (;;) {
    proxy.take();
    const killed = start(...args);
    proxy.killAt(1, () => killed.child.kill('SIGKILL'));
    const ended = await killed.ended;
    if (ended.signal !== 'SIGKILL') return { writes, ended };
    writes.push(...proxy.take());
    assert.ok(writes.length < 30, writes.join('\n'));
  }
}

function run(...args: readonly string[]): Promise<Run> {
  proxy.killAt(Number.POSITIVE_INFINITY, () => {});
  return start(...args).ended;
}

/** A namespace whose claim `data` is bound to a volume of this source. */
async function inhabit(namespace: string, source: object, mode = 'ReadWriteOnce'): Promise<void> {
  const { api } = guarded.cluster;
  await api.create(object('v1', 'Namespace', { name: namespace }));
  const spec = { accessModes: [mode], storageClassName: '' };
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: 'data' };
  await api.create(
    object(
      'v1',
      'PersistentVolume',
      { name: `pv-${namespace}` },
      { spec: { ...spec, ...source, capacity: { storage: '1Gi' }, claimRef } },
    ),
  );
  await api.create(
    object(
      'v1',
      'PersistentVolumeClaim',
      { namespace, name: 'data' },
      { spec: { ...spec, volumeName: `pv-${namespace}`, resources: { requests: { storage: '1Gi' } } } },
    ),
  );
  const key = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: 'data' };
  await until(
    'the claim is bound',
    async () => (await api.get<KubernetesObject & { status?: { phase?: string } }>(key)).status?.phase === 'Bound',
    PATIENT,
  );
}

/** A Deployment on one node that is rolled out to another. */
async function deadlock(namespace: string, from: string, to: string): Promise<void> {
  await inhabit(namespace, { csi: { driver: DRIVER, volumeHandle: namespace } });
  await guarded.cluster.api.create(deployment(namespace, 'web', {}, from));
  await hangRollout(namespace, from, to);
}

async function hangRollout(namespace: string, from: string, to: string): Promise<void> {
  const pods = () => podsIn(namespace);
  await until(
    `one pod to run on ${from}`,
    async () => {
      const [pod, ...more] = await pods();
      return more.length === 0 && pod !== undefined && isReady(pod) && pod.spec?.nodeName === from;
    },
    PATIENT,
  );
  const key = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
  const template = { spec: { nodeSelector: { 'kubernetes.io/hostname': to } } };
  await guarded.cluster.api.patch(key, 'merge', { spec: { template } });
  await until(
    `a pod to wait on ${to}`,
    async () => (await pods()).some((pod) => pod.spec?.nodeName === to && !isReady(pod)),
    PATIENT,
  );
}

/** Made at the beginning, for it takes two minutes until nobody would call it slow any more. */
async function hangUnmounting(namespace: string): Promise<void> {
  await inhabit(namespace, { csi: { driver: DRIVER, volumeHandle: namespace } });
  await guarded.cluster.api.create(deployment(namespace, 'web', { strategy: { type: 'Recreate' } }, 'node-a'));
  await until('the pod to run', async () => (await podsIn(namespace)).some(isReady), PATIENT);
  nodes.hang(namespace, true);
  await moveTo(namespace, 'node-b');
}

/** Has the Deployment move its pod to another node. */
async function moveTo(namespace: string, node: string): Promise<void> {
  const key = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
  const template = { spec: { nodeSelector: { 'kubernetes.io/hostname': node } } };
  await guarded.cluster.api.patch(key, 'merge', { spec: { template } });
}

async function diagnosed(namespace: string, says: RegExp): Promise<void> {
  let told = '';
  await until(
    `it to be ${says}`,
    async () => {
      told = (await run('diagnose', `${namespace}/data`)).stdout;
      return says.test(told);
    },
    PATIENT,
  ).catch((cause: unknown) => {
    throw new Error(told, { cause });
  });
}

async function refusedWithoutWrites(namespace: string): Promise<void> {
  proxy.take();
  const { code } = await run('recover', `${namespace}/data`, '--apply');
  assert.deepEqual([code, proxy.take()], [1, []]);
}

function withAffinity(object: KubernetesObject, affinity: object): object {
  const { spec } = object as V1Deployment;
  return { ...spec, template: { ...spec?.template, spec: { ...spec?.template.spec, affinity } } };
}

async function requireAsBefore(namespace: string, replicas: number): Promise<void> {
  const key = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
  const web = await guarded.cluster.api.get<V1Deployment & KubernetesObject>(key);
  assert.equal(web.spec?.replicas, replicas);
  assert.deepEqual(await annotationsIn(namespace), []);
  await until(
    'its pods to run',
    async () => {
      const pods = await podsIn(namespace);
      return pods.length === replicas && pods.every(isReady);
    },
    PATIENT,
  );
}

/** Our own ones, of everything that a recovery writes them on. */
async function annotationsIn(namespace: string): Promise<readonly string[]> {
  const kinds = [
    ['v1', 'PersistentVolumeClaim'],
    ['apps/v1', 'Deployment'],
    ['apps/v1', 'StatefulSet'],
  ] as const;
  const all = await Promise.all(
    kinds.map(([apiVersion, kind]) => guarded.cluster.api.list({ apiVersion, kind }, { namespace })),
  );
  return all
    .flat()
    .flatMap(({ metadata }) =>
      Object.keys(metadata?.annotations ?? {}).filter((name) => name.startsWith('rwo-guard.dev/')),
    );
}

async function specsIn(namespace: string) {
  const { api } = guarded.cluster;
  const [web, db, alone] = await Promise.all([
    api.get<V1Deployment & KubernetesObject>({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' }),
    api.get<V1Deployment & KubernetesObject>({ apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name: 'db' }),
    api.get<V1Pod & KubernetesObject>({ apiVersion: 'v1', kind: 'Pod', namespace, name: 'alone' }),
  ]);
  const { nodeName: _, ...spec } = alone.spec ?? { containers: [] };
  return [web.spec, db.spec, { labels: alone.metadata?.labels, spec }];
}

/** Waits until admission denies there, or does no more, for it hears of labels by its watch. */
async function enforce(namespace: string, denies: boolean): Promise<void> {
  await label(namespace, { 'rwo-guard.dev/mode': denies ? 'enforce' : 'warn' });
  await until(`the mode of ${namespace} to count`, async () => {
    const probe = deployment(namespace, 'probe');
    const { warnings } = await guarded.cluster.api.request(
      'POST',
      `/apis/apps/v1/namespaces/${namespace}/deployments?dryRun=All`,
      probe,
    );
    return warnings.some((warning) => warning.includes('the real request would not')) === denies;
  });
}

async function label(name: string, labels: Record<string, string>, kind = 'Namespace'): Promise<void> {
  await guarded.cluster.api.patch({ apiVersion: 'v1', kind, name }, 'merge', { metadata: { labels } });
}

function podsIn(namespace: string): Promise<readonly (V1Pod & KubernetesObject)[]> {
  return guarded.cluster.api.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace });
}

function isReady({ metadata, status }: V1Pod): boolean {
  return (
    metadata?.deletionTimestamp === undefined &&
    (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')
  );
}

function deployment(namespace: string, name: string, spec: object = {}, on: string | object = {}): KubernetesObject {
  return workload('Deployment', namespace, name, spec, on);
}

function workload(
  kind: string,
  namespace: string,
  name: string,
  spec: object,
  on: string | object = {},
): KubernetesObject {
  const nodeSelector = typeof on === 'string' ? { 'kubernetes.io/hostname': on } : on;
  const labels = { app: name };
  return object(
    'apps/v1',
    kind,
    { namespace, name },
    {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { ...podSpec(), nodeSelector } },
        ...spec,
      },
    },
  );
}

function podSpec() {
  const evicted = ['not-ready', 'unreachable'].map((key) => ({
    ...{ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: EVICTED_AFTER },
  }));
  return {
    terminationGracePeriodSeconds: 1,
    tolerations: evicted,
    containers: [{ name: 'main', image: 'main:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  };
}

function object(
  apiVersion: string,
  kind: string,
  metadata: KubernetesObject['metadata'],
  rest: object = {},
): KubernetesObject {
  return { apiVersion, kind, metadata: { ...metadata }, ...rest };
}
