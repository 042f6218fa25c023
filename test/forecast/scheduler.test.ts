import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disk } from './scene.ts';
import { boundTo, type SmallCluster } from './small-cluster.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const SELF = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
const BY_ZONE = { ...SELF, topologyKey: 'zone' };
const HELD = { affinity: { podAffinity: { [REQUIRED]: [SELF] } } };
const APART = { affinity: { podAntiAffinity: { [REQUIRED]: [SELF] } } };
const LISTENING = { containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] };
const SPREAD = {
  topologySpreadConstraints: [{ ...SELF, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
};
const CLAIMING = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] };
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
  'affinity holds a pod to those that it means': { nodes: { a: {}, b: {} }, pod: HELD, on: ['b'], to: ['b'] },
  'the first of pods that mean themselves goes anywhere': { nodes: { a: {} }, pod: HELD, to: ['a'] },
  'affinity by zone holds it to all nodes of that': {
    nodes: ZONES,
    pod: { affinity: { podAffinity: { [REQUIRED]: [BY_ZONE] } } },
    on: ['a'],
    to: ['a', 'b'],
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
  'a volume binds a pod to where it can be used': {
    nodes: ZONES,
    objects: disk('data').map((object) =>
      object.kind === 'PersistentVolume'
        ? { ...object, spec: { ...(object.spec as object), nodeAffinity: zoneOfVolume('2') } }
        : object,
    ),
    pod: CLAIMING,
    to: ['c'],
  },
};

for (const [sentence, { to, ...cluster }] of Object.entries(cases)) {
  test(sentence, () => assert.deepEqual(boundTo(cluster), to));
}

function zoneOfVolume(zone: string) {
  const matchExpressions = [{ key: 'zone', operator: 'In', values: [zone] }];
  return { required: { nodeSelectorTerms: [{ matchExpressions }] } };
}
