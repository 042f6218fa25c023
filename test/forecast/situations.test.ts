import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterState, type ListName } from '../../src/facts/cluster-state.ts';
import { known, unknown } from '../../src/facts/fact.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import type { JsonObject } from '../../src/facts/json.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { WorkloadKind } from '../../src/facts/workload.ts';
import { workloadFrom } from '../../src/facts/workload-from.ts';
import { type Forecast, forecast } from '../../src/forecast/outcome.ts';
import { putObject } from '../../src/offline/file-snapshot.ts';
import { APART, disk, HOST, REQUIRED, SELF, TOGETHER, ZONE } from './scene.ts';

interface Described {
  readonly kind?: WorkloadKind;
  readonly name?: string;
  readonly spec?: JsonObject;
  readonly pod?: JsonObject;
  readonly claims?: readonly string[];
}

interface Around {
  /** Named by zone and number: `a1` is in zone a. */
  readonly nodes?: readonly string[];
  readonly cordoned?: readonly string[];
  readonly objects?: readonly JsonObject[];
  readonly others?: readonly Described[];
  readonly unlisted?: ListName;
  readonly before?: Described;
  readonly places?: readonly string[];
}

/** A workload of the app web on the claim `data`, a disk for one node. */
function manifest({
  kind = 'Deployment',
  name = 'web',
  spec = {},
  pod = {},
  claims = ['data'],
}: Described): JsonObject {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const template = { metadata: { labels: { app: name } }, spec: { ...pod, volumes } };
  const run = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  const apiVersion = kind === 'CronJob' || kind === 'Job' ? 'batch/v1' : 'apps/v1';
  return { apiVersion, kind, metadata: { namespace: 'shop', name }, spec: { ...run, ...spec } };
}

function foretold(described: Described, around: Around = {}): Forecast {
  const { nodes = ['a1', 'a2', 'b1'], cordoned = [], objects = [], others = [], unlisted, before, places } = around;
  const state = new ClusterState((list) => (list === unlisted ? unknown(`${list} are not listed`) : known(true)));
  for (const name of nodes) {
    const labels = { [HOST]: name, [ZONE]: name.charAt(0) };
    const spec = { unschedulable: cordoned.includes(name) };
    putObject(state, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec });
  }
  for (const object of [...disk('data'), ...disk('more'), ...objects, ...others.map(manifest)])
    putObject(state, object);
  const factsOf = (of: Described) =>
    gatherFacts(workloadFrom(of.kind ?? 'Deployment', manifest(of)), state, storageMatrix()).facts;
  return forecast(factsOf(described), { before: before && factsOf(before), places: places && new Set(places) });
}

const ELSEWHERE = { cause: 'volume-elsewhere', claims: ['data'] };
const ONE_POD = { cause: 'one-pod', claims: ['data'] };
const NO_NODE = { cause: 'no-node-left', claims: [] };
const TOO_FEW = { cause: 'too-few-nodes', claims: [] };
const PORT = { containers: [{ ports: [{ hostPort: 80 }] }] };
const byZone = (kind: string): JsonObject => ({
  affinity: { [kind]: { [REQUIRED]: [{ ...SELF, topologyKey: ZONE }] } },
});
const scaler = (maxReplicas: number): JsonObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { namespace: 'shop', name: 'web' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas },
});
const JOB: Described = { kind: 'Job', name: 'backup' };
const TO_WEB = { ...SELF, labelSelector: { matchLabels: { app: 'web' } } };

test('another user of the claim is named, and how its pods get in the way', () => {
  assert.deepEqual(foretold({}, { others: [JOB] }).certain.shared, [
    { user: 'Job backup', workload: { kind: 'Job', namespace: 'shop', name: 'backup' }, reasons: [ELSEWHERE] },
  ]);
});

test('another user of the claim on the only node, or held to it by affinity, is in nobody’s way', () => {
  assert.deepEqual(foretold({}, { others: [JOB], nodes: ['a1'] }).certain.shared, []);
  const held = { ...JOB, pod: { affinity: { podAffinity: { [REQUIRED]: [TO_WEB] } } } };
  assert.deepEqual(foretold({}, { others: [held] }).certain.shared, []);
});

test('affinity does not help two workloads of which one pod at a time may have the claim', () => {
  const held = { ...JOB, pod: { affinity: { podAffinity: { [REQUIRED]: [TO_WEB] } } } };
  const { shared } = foretold({}, { others: [held], objects: disk('data', 'ReadWriteOncePod') }).certain;
  assert.deepEqual(
    shared.map(({ reasons }) => reasons),
    [[ONE_POD]],
  );
});

test('kinds that are not listed may use the claim too, in the worst case only', () => {
  const { certain, possible, open } = foretold({}, { unlisted: 'jobs' });
  assert.deepEqual([certain.shared, open], [[], ['jobs are not listed']]);
  for (const { shared } of possible) {
    assert.deepEqual(shared, [{ user: 'jobs are not listed', reasons: [ELSEWHERE] }]);
  }
});

test('who shares the claim matters only to pods that start', () => {
  const shared = (described: Described, before?: Described) =>
    foretold(described, { others: [JOB], ...(before && { before }) }).certain.shared.length;
  assert.equal(shared({ spec: { replicas: 0 } }), 0);
  assert.equal(shared({ spec: { paused: true } }), 0);
  assert.equal(shared({ spec: { paused: true } }, { spec: { paused: true } }), 0);
  assert.equal(shared({ spec: { paused: true, replicas: 2 } }, { spec: { paused: true } }), 1);
  const onDelete = { kind: 'StatefulSet' as const, spec: { updateStrategy: { type: 'OnDelete' } } };
  assert.equal(shared(onDelete, onDelete), 0);
  assert.equal(shared(onDelete), 1);
});

test('an autoscaler counts where it may ask for more than there are', () => {
  const autoscaled = (replicas: number, max: number) =>
    foretold({ spec: { replicas } }, { objects: [scaler(max)] }).certain.autoscaled;
  assert.deepEqual(autoscaled(1, 3), {
    replicas: 3,
    outcome: { multiAttach: true, stuck: true, reasons: [ELSEWHERE] },
  });
  assert.equal(autoscaled(3, 3), undefined);
  assert.equal(autoscaled(1, 0), undefined);
});

test('an autoscaler that nobody can look up asks for one more, in the worst case only', () => {
  const { certain, possible } = foretold({}, { unlisted: 'horizontalpodautoscalers' });
  assert.equal(certain.autoscaled, undefined);
  assert.deepEqual(
    possible.map(({ autoscaled }) => autoscaled?.replicas),
    [2, 2],
  );
});

test('what is not known of the pods that run is an open question too', () => {
  const { open } = foretold({}, { before: { claims: ['gone'] } });
  assert.deepEqual(open, ['claim shop/gone does not exist yet']);
});

test('a suspended Job starts no pods, whatever runs of it', () => {
  const spec = { parallelism: 2, suspend: true };
  assert.equal(foretold({ kind: 'Job', spec }, { places: ['a1'] }).certain.steady.stuck, false);
});

test('where the pods are known, the rollout in question is looked at and none after it', () => {
  const around: Around = { before: { claims: ['data'] } };
  const causes = (more: Around) => foretold({ claims: ['more'] }, { ...around, ...more }).certain.rollout.reasons;
  assert.deepEqual(causes({ places: ['a1'] }), []);
  assert.deepEqual(causes({}), [{ cause: 'volume-elsewhere', claims: ['more'] }]);
});

test('of a StatefulSet that is updated only the pods above the partition meet each other', () => {
  const set = (partition: number): Described => ({
    kind: 'StatefulSet',
    spec: { replicas: 2, updateStrategy: { rollingUpdate: { partition } } },
  });
  assert.equal(foretold(set(1)).certain.steady.stuck, true);
  assert.equal(foretold(set(1), { before: set(1) }).certain.steady.stuck, false);
  assert.equal(foretold(set(0), { before: set(1) }).certain.steady.stuck, true);
});

test('as many pods as nodes have room for a host port each', () => {
  const steady = (...nodes: readonly string[]) =>
    foretold({ claims: [], pod: PORT, spec: { replicas: 2 } }, { nodes }).certain.steady.reasons;
  assert.deepEqual(steady('a1', 'b1'), []);
  assert.deepEqual(steady('a1'), [NO_NODE]);
  assert.deepEqual(
    foretold({ claims: [], pod: PORT, spec: { replicas: 3 } }, { nodes: ['a1', 'b1'] }).certain.steady.reasons,
    [TOO_FEW],
  );
});

test('a cordon passes, and counts only for pods that come while others are where they are', () => {
  const around = { nodes: ['a1', 'b1'], cordoned: ['b1'] };
  const recreate = { spec: { strategy: { type: 'Recreate' } } };
  assert.equal(foretold({ spec: { replicas: 2 } }, around).certain.steady.stuck, true);
  assert.equal(foretold({ spec: { replicas: 2 } }, { ...around, places: ['a1'] }).certain.steady.stuck, false);
  assert.equal(foretold(recreate, around).certain.rollout.multiAttach, true);
  assert.equal(foretold(recreate, { ...around, places: ['a1'] }).certain.rollout.multiAttach, false);
});

test('pods that are held together may all be missing, and the volume does not move while they overlap', () => {
  const spec = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '100%' } } };
  const { rollout } = foretold({ spec, pod: TOGETHER }).certain;
  assert.deepEqual([rollout.multiAttach, rollout.stuck], [false, false]);
});

test('pods held by zone and kept apart by zone have nowhere to go', () => {
  const affinity = { ...asObject(byZone('podAffinity').affinity), ...asObject(byZone('podAntiAffinity').affinity) };
  assert.deepEqual(foretold({ pod: { affinity } }, { nodes: ['a1', 'a2'] }).certain.rollout.reasons, [NO_NODE]);
});

function asObject(value: unknown): JsonObject {
  return { ...(typeof value === 'object' ? value : {}) };
}

test('of two reasons to keep apart the narrower one counts', () => {
  const pod = { ...PORT, ...byZone('podAntiAffinity') };
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const spec = { replicas: 2, strategy };
  assert.deepEqual(foretold({ claims: [], pod, spec }, { nodes: ['a1', 'a2'] }).certain.rollout.reasons, [NO_NODE]);
});

const LOCAL: readonly JsonObject[] = [
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'local' }, provisioner: 'topolvm.io' },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'scratch' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local' },
  },
];

test('a volume that will be made on one node keeps all its pods there, with room for one host port', () => {
  const rollout = (pod: JsonObject, ...claims: readonly string[]) =>
    foretold({ claims, pod }, { objects: LOCAL }).certain.rollout.reasons;
  assert.deepEqual(rollout({}, 'scratch'), []);
  assert.deepEqual(rollout({}, 'data', 'scratch'), []);
  assert.deepEqual(rollout(byZone('podAffinity'), 'scratch', 'data'), []);
  assert.deepEqual(rollout(PORT, 'data', 'scratch'), [NO_NODE]);
  assert.deepEqual(rollout({ nodeSelector: { [ZONE]: 'none' } }, 'scratch'), []);
});

/** A DaemonSet on these nodes, and why not all its pods run. */
const everywhere: readonly (readonly [string, JsonObject, readonly string[], readonly unknown[]])[] = [
  ['shares a disk over two nodes', {}, ['a1', 'b1'], [ELSEWHERE]],
  ['has one node', {}, ['a1'], []],
  ['is held to one node', TOGETHER, ['a1', 'a2'], [NO_NODE]],
  ['is held to one zone, each with one node', byZone('podAffinity'), ['a1', 'b1'], [NO_NODE]],
  ['is held to one zone, one with two nodes', byZone('podAffinity'), ['a1', 'a2', 'b1'], [NO_NODE, ELSEWHERE]],
  ['is held to the only zone', byZone('podAffinity'), ['a1', 'a2'], [ELSEWHERE]],
  ['keeps apart by zone, each with one node', byZone('podAntiAffinity'), ['a1', 'b1'], [ELSEWHERE]],
  ['keeps apart by zone, one with two nodes', byZone('podAntiAffinity'), ['a1', 'a2', 'b1'], [NO_NODE, ELSEWHERE]],
  ['keeps apart by zone in the only one', byZone('podAntiAffinity'), ['a1', 'a2'], [NO_NODE]],
  ['keeps apart by node', APART, ['a1', 'a2'], [ELSEWHERE]],
];

for (const [name, pod, nodes, expected] of everywhere) {
  test(`a DaemonSet that ${name} ${expected.length === 0 ? 'runs' : 'does not run everywhere'}`, () => {
    assert.deepEqual(foretold({ kind: 'DaemonSet', pod }, { nodes }).certain.steady.reasons, expected);
  });
}

test('a DaemonSet on nodes that nobody can list shares its disk in the worst case only', () => {
  const { certain, possible } = foretold({ kind: 'DaemonSet' }, { unlisted: 'nodes' });
  assert.deepEqual(certain.steady.reasons, []);
  for (const { steady } of possible) assert.deepEqual(steady.reasons, [ELSEWHERE]);
});

test('a DaemonSet whose volume will be made on one node is not kept from running by that', () => {
  const daemons: Described = { kind: 'DaemonSet', claims: ['data', 'scratch'] };
  assert.deepEqual(foretold(daemons, { objects: LOCAL }).certain.steady.reasons, []);
});

test('a DaemonSet that replaces pods where they are waits for a port or a claim only where it surges', () => {
  const reasons = (maxSurge: number, pod: JsonObject) => {
    const updateStrategy = { rollingUpdate: { maxSurge, maxUnavailable: 1 - maxSurge } };
    return foretold({ kind: 'DaemonSet', pod, spec: { updateStrategy } }).certain.rollout.reasons;
  };
  assert.deepEqual(reasons(0, PORT), []);
  assert.deepEqual(reasons(1, {}), []);
  assert.deepEqual(reasons(1, PORT), [NO_NODE]);
  const own = { ...SELF, matchLabelKeys: ['controller-revision-hash'] };
  assert.deepEqual(reasons(1, APART), [NO_NODE]);
  assert.deepEqual(reasons(1, { affinity: { podAntiAffinity: { [REQUIRED]: [own] } } }), []);
});

test('two claims of one name in two namespaces that are one disk are not one claim', () => {
  const csi = { driver: 'd', volumeHandle: 'one' };
  const claimed = (namespace: string, name: string): readonly JsonObject[] => [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name: 'data' },
      spec: { accessModes: ['ReadWriteOncePod'], volumeName: name },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: { accessModes: ['ReadWriteOncePod'], csi, claimRef: { namespace, name: 'data' } },
    },
  ];
  const objects = [
    ...claimed('shop', 'v'),
    ...claimed('blog', 'w'),
    { ...manifest(JOB), metadata: { namespace: 'blog', name: 'backup' } },
  ];
  const reasons = foretold({}, { objects }).certain.shared.map(({ reasons: why }) => why);
  assert.deepEqual(reasons, [[ELSEWHERE]]);
});
