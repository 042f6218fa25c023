import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autoscalerFrom } from '../../src/objects/horizontal-pod-autoscaler.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { metadataFrom } from '../../src/objects/metadata.ts';
import { nodeFrom } from '../../src/objects/node.ts';
import { volumeFrom } from '../../src/objects/persistent-volume.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { storageClassFrom } from '../../src/objects/storage-class.ts';

/*
 * What is not written reads as Go reads it: the empty value, or the default of the API. Manifests that were never sent to
 * an API server leave out most of it.
 */

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

test('an object without metadata has no name, no namespace and no owner', () => {
  assert.deepEqual(metadataFrom({}), {
    namespace: '',
    name: '',
    annotations: new Map(),
    deleting: false,
    controller: undefined,
  });
  const ownerReferences = [{ controller: true }];
  const nobody = { apiVersion: '', kind: '', name: '', uid: '' };
  assert.deepEqual(metadataFrom({ metadata: { ownerReferences } }).controller, nobody);
});

test('an autoscaler without a target asks nothing of nobody', () => {
  assert.deepEqual(autoscalerFrom({}), {
    namespace: '',
    name: '',
    target: { kind: '', name: '' },
    minReplicas: 1,
    maxReplicas: 0,
  });
});

test('a taint without a value has the empty one', () => {
  const { taints, unschedulable } = nodeFrom({ spec: { taints: [{ key: 'a' }, {}] } });
  assert.equal(unschedulable, false);
  assert.deepEqual(taints, [
    { key: 'a', value: '', effect: '' },
    { key: '', value: '', effect: '' },
  ]);
});

test('a claim that asks for nothing is unbound, and gets the default class and a filesystem', () => {
  const { volumeName, volumeMode, storageClassName, bound, accessModes, statusAccessModes } = claimFrom({});
  assert.deepEqual([volumeName, volumeMode, storageClassName, bound], ['', 'Filesystem', undefined, false]);
  assert.deepEqual([accessModes, statusAccessModes], [[], []]);
});

test('a storage class without a provisioner or a time of creation has empty ones', () => {
  const { provisioner, createdAt, isDefault } = storageClassFrom({});
  assert.deepEqual([provisioner, createdAt, isDefault], ['', '', false]);
});

test('a volume that names neither driver nor disk has empty ones', () => {
  const sourceOf = (spec: Record<string, unknown>) => volumeFrom({ spec }).source;
  assert.deepEqual(sourceOf({ csi: {} }), { type: 'csi', driver: '', handle: '' });
  assert.deepEqual(sourceOf({ cinder: {} }), { type: 'csi', driver: 'cinder.csi.openstack.org', handle: '' });
  assert.deepEqual(sourceOf({ flexVolume: {} }), { type: 'flexVolume', driver: '' });
  assert.deepEqual(volumeFrom({ spec: { claimRef: {} } }).claimRef, { namespace: '', name: '' });
  assert.equal(volumeFrom({}).claimRef, undefined);
});

test('a pod template that says nothing asks for no node, no neighbours and no volumes', () => {
  assert.deepEqual(podTemplateFrom(undefined), {
    labels: new Map(),
    nodeName: undefined,
    nodeSelector: [],
    nodeAffinity: undefined,
    tolerations: [],
    podAffinity: [],
    podAntiAffinity: [],
    spread: [],
    hostPorts: [],
    requests: [],
    runtimeClassName: undefined,
    volumes: [],
    restrictedDisks: [],
  });
});

test('terms, spreads, tolerations and volumes of a pod have the defaults of their API', () => {
  const template = podTemplateFrom({
    spec: {
      affinity: { nodeAffinity: { [REQUIRED]: {} }, podAffinity: { [REQUIRED]: [{}] } },
      topologySpreadConstraints: [{ whenUnsatisfiable: 'DoNotSchedule' }],
      tolerations: [{}],
      volumes: [{ persistentVolumeClaim: { claimName: 'data' } }, { persistentVolumeClaim: {} }],
    },
  });
  assert.deepEqual(template.nodeAffinity, []);
  assert.deepEqual(template.podAffinity, [
    {
      topologyKey: '',
      selector: undefined,
      namespaces: [],
      namespaceSelector: undefined,
      matchLabelKeys: [],
      mismatchLabelKeys: [],
    },
  ]);
  assert.deepEqual(template.spread, [
    {
      topologyKey: '',
      maxSkew: 1,
      minDomains: 1,
      selector: undefined,
      matchLabelKeys: [],
      countsUnselected: false,
      countsTainted: true,
    },
  ]);
  assert.deepEqual(template.tolerations, [{ key: '', operator: 'Equal', value: '', effect: '' }]);
  assert.deepEqual(template.volumes, [{ type: 'claim', volume: '', isMounted: true, claimName: 'data' }]);
});

test('a requirement without a key is about the empty label', () => {
  const matchExpressions = [{ operator: 'Exists' }];
  const { nodeAffinity } = podTemplateFrom({
    spec: { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions }] } } } },
  });
  assert.deepEqual(nodeAffinity, [{ expressions: [{ key: '', operator: 'Exists', values: [] }], fields: [] }]);
});

/** The replicas and the strategy of a workload that says neither. */
const defaults = {
  Deployment: [
    1,
    { type: 'RollingUpdate', maxSurge: { type: 'percent', value: 25 }, maxUnavailable: { type: 'percent', value: 25 } },
  ],
  StatefulSet: [1, { type: 'StatefulSetRolling', partition: 0 }],
  DaemonSet: [1, { type: 'DaemonSetRolling', surges: false }],
  ReplicaSet: [1, { type: 'OnDelete' }],
  Job: [1, { type: 'OnDelete' }],
  CronJob: [1, { type: 'OnDelete' }],
};

for (const kind of WORKLOAD_KINDS) {
  test(`a ${kind} that says nothing runs one pod and has the default strategy`, () => {
    const { replicas, strategy, paused, ownClaims } = workloadFrom(kind, {});
    assert.deepEqual([replicas, strategy], defaults[kind]);
    assert.deepEqual([paused, ownClaims.prefixes], [false, []]);
  });
}
