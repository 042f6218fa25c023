import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disk } from './scene.ts';
import { boundTo, type SmallCluster } from './small-cluster.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const SELF = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
const BY_ZONE = { ...SELF, topologyKey: 'zone' };
const HELD = { affinity: { podAffinity: { [REQUIRED]: [SELF] } } };
const APART = { affinity: { podAntiAffinity: { [REQUIRED]: [SELF] } } };
const listening = (...ports: readonly { hostPort: number; hostIP?: string; protocol?: string }[]) => ({
  containers: [{ ports: ports.map((port) => ({ containerPort: 80, ...port })) }],
});
const LISTENING = listening({ hostPort: 80 });
const tolerating = (count: number, ...more: readonly { key: string; operator: string }[]) => ({
  tolerations: [...Array.from({ length: count }, (_, n) => ({ key: `no-${n}`, operator: 'Exists' })), ...more],
});
const BATCH = { key: 'dedicated', operator: 'Exists' };
const withDisks = (...disks: readonly { pdName: string; readOnly?: boolean }[]) => ({
  volumes: disks.map((gcePersistentDisk, n) => ({ name: `disk-${n}`, gcePersistentDisk })),
});
const where = (...nodeSelectorTerms: readonly object[]) => ({
  affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } },
});
const isOneOf = (count: number, ...more: readonly string[]) => ({
  matchExpressions: [
    { key: 'zone', operator: 'In', values: [...Array.from({ length: count }, (_, n) => `no-${n}`), ...more] },
  ],
});
const SPREAD = {
  topologySpreadConstraints: [{ ...SELF, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
};
const claiming = (...claims: readonly string[]) => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});
const CLAIMING = claiming('data');
const TWO_NODES = { nodes: { a: {}, b: {} }, on: ['a'] };
const TAINT = { taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }] };
/** What tells a node from others, or they would be one choice as long as they are empty. */
const ZONES = { a: { labels: { zone: '1' } }, b: { labels: { zone: '1' } }, c: { labels: { zone: '2' } } };

const cases: Readonly<Record<string, SmallCluster & { readonly to: readonly string[] }>> = {
  'of empty nodes that are alike a pod is bound to one': { nodes: { a: {}, b: {}, c: {} }, pod: {}, to: ['a'] },
  'a node where something is is another choice': { nodes: { a: {}, b: {}, c: {} }, pod: {}, on: ['b'], to: ['a', 'b'] },
  'a pod is bound where its selector matches': { nodes: ZONES, pod: { nodeSelector: { zone: '2' } }, to: ['c'] },
  'a pod is not bound where it does not tolerate a taint': { nodes: { a: { spec: TAINT }, b: {} }, pod: {}, to: ['b'] },
  'a cordon keeps nobody off for ever': { nodes: { a: { spec: { unschedulable: true } } }, pod: {}, to: ['a'] },
  'a cordon keeps pods off that come today': {
    nodes: { a: { spec: { unschedulable: true } }, b: {} },
    pod: {},
    countsCordons: true,
    to: ['b'],
  },
  'a host port is taken once on a node': { nodes: { a: {}, b: {} }, pod: LISTENING, on: ['a'], to: ['b'] },
  'a host port of one address is free at another': {
    ...TWO_NODES,
    pod: listening({ hostPort: 80, hostIP: '10.0.0.1' }),
    running: listening({ hostPort: 80, hostIP: '10.0.0.2' }),
    to: ['a', 'b'],
  },
  'a host port of one address is taken there once': {
    ...TWO_NODES,
    pod: listening({ hostPort: 80, hostIP: '10.0.0.1' }),
    to: ['b'],
  },
  'a host port of all addresses is taken at each of them': {
    ...TWO_NODES,
    pod: listening({ hostPort: 80, hostIP: '10.0.0.1' }),
    running: listening({ hostPort: 80, hostIP: '0.0.0.0' }),
    to: ['b'],
  },
  'a host port of one address is not free at all of them': {
    ...TWO_NODES,
    pod: LISTENING,
    running: listening({ hostPort: 80, hostIP: '10.0.0.1' }),
    to: ['b'],
  },
  'a host port of another protocol is free': {
    ...TWO_NODES,
    pod: LISTENING,
    running: listening({ hostPort: 80, protocol: 'UDP' }),
    to: ['a', 'b'],
  },
  'another host port is free': { ...TWO_NODES, pod: LISTENING, running: listening({ hostPort: 81 }), to: ['a', 'b'] },
  'one of several host ports that is taken is enough': {
    ...TWO_NODES,
    pod: listening({ hostPort: 81 }, { hostPort: 80 }),
    running: listening({ hostPort: 80 }, { hostPort: 82 }),
    to: ['b'],
  },
  'a pod without host ports goes beside one that has some': {
    ...TWO_NODES,
    pod: {},
    running: LISTENING,
    to: ['a', 'b'],
  },
  'a disk in the template is written by one pod of a node': {
    ...TWO_NODES,
    pod: withDisks({ pdName: 'one' }, { pdName: 'shared', readOnly: true }),
    running: withDisks({ pdName: 'two' }, { pdName: 'shared' }),
    to: ['b'],
  },
  'a disk in the template is read by any number of them': {
    ...TWO_NODES,
    pod: withDisks({ pdName: 'shared', readOnly: true }),
    to: ['a', 'b'],
  },
  'a pod without disks in its template goes beside one that has some': {
    ...TWO_NODES,
    pod: {},
    running: withDisks({ pdName: 'shared' }),
    to: ['a', 'b'],
  },
  'of many tolerations one is enough': {
    nodes: { a: { spec: TAINT }, b: {} },
    pod: tolerating(9, BATCH),
    to: ['a'],
  },
  'of many tolerations none may be the one that is asked for': {
    nodes: { a: { spec: TAINT }, b: {} },
    pod: tolerating(9),
    to: ['b'],
  },
  'a cordon keeps pods with many tolerations off that come today': {
    nodes: { a: { spec: { unschedulable: true } }, b: {} },
    pod: tolerating(9),
    countsCordons: true,
    to: ['b'],
  },
  'a pod is bound where one of many values matches': { nodes: ZONES, pod: where(isOneOf(20, '2')), to: ['c'] },
  'a pod is bound nowhere where none of many values matches': { nodes: ZONES, pod: where(isOneOf(20)), to: [] },
  'a term that asks for nothing matches no node': { nodes: ZONES, pod: where({}, isOneOf(0, '2')), to: ['c'] },
  'a node that does not say what it has has room': {
    nodes: { a: {} },
    pod: { containers: [{ resources: { requests: { 'example.com/gpu': '1' } } }] },
    to: ['a'],
  },
  'affinity holds a pod to those that it means': { nodes: { a: {}, b: {} }, pod: HELD, on: ['b'], to: ['b'] },
  'the first of pods that mean themselves goes anywhere': { nodes: { a: {} }, pod: HELD, to: ['a'] },
  'affinity by zone holds it to all nodes of that': {
    nodes: ZONES,
    pod: { affinity: { podAffinity: { [REQUIRED]: [BY_ZONE] } } },
    on: ['a'],
    to: ['a', 'b'],
  },
  'the first of pods that mean themselves needs the labels of all terms': {
    nodes: { a: {}, b: { labels: { zone: '1' } } },
    pod: { affinity: { podAffinity: { [REQUIRED]: [SELF, BY_ZONE] } } },
    to: ['b'],
  },
  'it is not the first where one is on a node that has the label of one term': {
    nodes: { a: {}, b: { labels: { zone: '1' } } },
    pod: { affinity: { podAffinity: { [REQUIRED]: [SELF, BY_ZONE] } } },
    on: ['a'],
    to: [],
  },
  'anti-affinity keeps a pod away': { nodes: { a: {}, b: {} }, pod: APART, on: ['a'], to: ['b'] },
  'anti-affinity of those that run keeps it away, too': {
    nodes: { a: {}, b: {} },
    pod: {},
    running: APART,
    on: ['a'],
    to: ['b'],
  },
  'anti-affinity by zone keeps it off a whole zone': {
    nodes: ZONES,
    pod: { affinity: { podAntiAffinity: { [REQUIRED]: [BY_ZONE] } } },
    on: ['a'],
    to: ['c'],
  },
  'a spread takes the emptiest node': { nodes: { a: {}, b: {} }, pod: SPREAD, on: ['a'], to: ['b'] },
  'a spread that selects nobody lets pods go anywhere': {
    ...TWO_NODES,
    pod: {
      topologySpreadConstraints: [{ topologyKey: SELF.topologyKey, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
    },
    to: ['a', 'b'],
  },
  'a spread counts no node without its label': {
    nodes: { a: {}, b: { labels: { 'kubernetes.io/hostname': null } } },
    pod: SPREAD,
    on: ['a'],
    to: ['a'],
  },
  'a ReadWriteOncePod claim that is in use leaves no node': {
    nodes: { a: {}, b: {} },
    objects: disk('data', 'ReadWriteOncePod'),
    pod: CLAIMING,
    on: ['a'],
    to: [],
  },
  'of several claims one for one pod that is in use is enough': {
    nodes: { a: {}, b: {} },
    objects: [...disk('data', 'ReadWriteOncePod'), ...disk('more')],
    pod: claiming('data', 'more'),
    on: ['a'],
    to: [],
  },
  'a pod without the claim for one pod goes anywhere': {
    nodes: { a: {}, b: {} },
    objects: disk('data', 'ReadWriteOncePod'),
    pod: {},
    running: CLAIMING,
    on: ['a'],
    to: ['a', 'b'],
  },
  'a volume can be used on a node whose taint the pod tolerates': {
    nodes: { ...ZONES, c: { labels: { zone: '2' }, spec: TAINT } },
    objects: inZone('2'),
    pod: { ...CLAIMING, tolerations: [BATCH] },
    to: ['c'],
  },
  'a volume binds a pod to where it can be used': {
    nodes: ZONES,
    objects: inZone('2'),
    pod: CLAIMING,
    to: ['c'],
  },
};

for (const [sentence, { to, ...cluster }] of Object.entries(cases)) {
  test(sentence, () => assert.deepEqual(boundTo(cluster), to));
}

/** The claim data, whose volume can be used in one zone. */
function inZone(zone: string) {
  const nodeAffinity = { required: { nodeSelectorTerms: [isOneOf(0, zone)] } };
  return disk('data').map((object) =>
    object.kind === 'PersistentVolume' ? { ...object, spec: { ...(object.spec as object), nodeAffinity } } : object,
  );
}
