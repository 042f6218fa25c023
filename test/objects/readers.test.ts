import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, type JsonObject, UnreadableObjectError } from '../../src/objects/json.ts';
import { metadataFrom } from '../../src/objects/metadata.ts';
import { namespaceFrom } from '../../src/objects/namespace.ts';
import { nodeFrom } from '../../src/objects/node.ts';
import { volumeFrom } from '../../src/objects/persistent-volume.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import { podFrom } from '../../src/objects/pod.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { csiDriverFrom, storageClassFrom } from '../../src/objects/storage-class.ts';
import { volumeAttachmentFrom } from '../../src/objects/volume-attachment.ts';

interface Case {
  readonly read: (object: JsonObject) => unknown;
  /** A path into the object, and the name that an error gives the field. */
  readonly fields: readonly string[];
}

const POD = 'spec.template.spec';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const WRONG = 4.5; // is no string, object, list, flag or count

/** Every field that is read of an object. A field in brackets is one of a list's first item. */
const cases: Readonly<Record<string, Case>> = {
  metadata: {
    read: metadataFrom,
    fields: [
      'metadata',
      'metadata.namespace',
      'metadata.name',
      'metadata.annotations',
      'metadata.deletionTimestamp',
      'metadata.ownerReferences',
      'metadata.ownerReferences[controller]',
    ],
  },
  namespace: { read: namespaceFrom, fields: ['metadata.labels'] },
  node: {
    read: nodeFrom,
    fields: [
      'spec',
      'spec.unschedulable',
      'spec.taints',
      'spec.taints[key]',
      'spec.taints[value]',
      'spec.taints[effect]',
    ],
  },
  'storage class': {
    read: storageClassFrom,
    fields: ['provisioner', 'parameters', 'metadata.annotations', 'metadata.creationTimestamp'],
  },
  'CSI driver': { read: csiDriverFrom, fields: ['spec', 'spec.attachRequired'] },
  claim: {
    read: claimFrom,
    fields: [
      'spec',
      'spec.accessModes',
      'spec.volumeMode',
      'spec.volumeName',
      'spec.storageClassName',
      'status',
      'status.accessModes',
      'status.phase',
    ],
  },
  volume: {
    read: volumeFrom,
    fields: [
      'spec.accessModes',
      'spec.csi',
      'spec.csi.driver',
      'spec.csi.volumeHandle',
      'spec.gcePersistentDisk',
      'spec.awsElasticBlockStore.volumeID',
      'spec.fc',
      'spec.iscsi',
      'spec.flexVolume.driver',
      'spec.claimRef.name',
      'spec.claimRef.namespace',
      'spec.nodeAffinity',
      'spec.nodeAffinity.required.nodeSelectorTerms',
      'metadata.labels',
    ],
  },
  pod: {
    read: podFrom,
    fields: [
      'spec',
      'spec.nodeName',
      'spec.volumes',
      'status',
      'status.phase',
      'status.conditions',
      'status.conditions[type]',
      'status.containerStatuses',
      'status.containerStatuses[state]',
      'status.initContainerStatuses[lastState]',
      'metadata.creationTimestamp',
    ],
  },
  attachment: {
    read: volumeAttachmentFrom,
    fields: [
      ...['spec', 'spec.attacher', 'spec.nodeName', 'spec.source', 'spec.source.persistentVolumeName', 'status'],
      ...['status.attached', 'status.attachError', 'status.detachError', 'metadata.finalizers'],
    ],
  },
  Deployment: {
    read: (object: JsonObject) => workloadFrom('Deployment', object),
    fields: [
      'spec',
      'spec.replicas',
      'spec.paused',
      'spec.strategy',
      'spec.strategy.type',
      'spec.strategy.rollingUpdate',
      'spec.strategy.rollingUpdate.maxSurge',
      'spec.strategy.rollingUpdate.maxUnavailable',
      'spec.template',
      'spec.template.metadata.labels',
      `${POD}.nodeName`,
      `${POD}.nodeSelector`,
      `${POD}.hostNetwork`,
      `${POD}.tolerations`,
      `${POD}.tolerations[operator]`,
      `${POD}.volumes`,
      `${POD}.volumes[persistentVolumeClaim]`,
      `${POD}.volumes[name]`,
      `${POD}.containers`,
      `${POD}.containers[ports]`,
      `${POD}.initContainers[restartPolicy]`,
      `${POD}.topologySpreadConstraints`,
      `${POD}.topologySpreadConstraints[whenUnsatisfiable]`,
      `${POD}.affinity`,
      `${POD}.affinity.nodeAffinity.${REQUIRED}`,
      `${POD}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[matchExpressions]`,
      `${POD}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[matchFields]`,
      `${POD}.affinity.podAffinity.${REQUIRED}`,
      `${POD}.affinity.podAffinity.${REQUIRED}[labelSelector]`,
      `${POD}.affinity.podAffinity.${REQUIRED}[namespaces]`,
      `${POD}.affinity.podAffinity.${REQUIRED}[namespaceSelector]`,
      `${POD}.affinity.podAffinity.${REQUIRED}[matchLabelKeys]`,
      `${POD}.affinity.podAntiAffinity.${REQUIRED}[mismatchLabelKeys]`,
      `${POD}.affinity.podAntiAffinity.${REQUIRED}[topologyKey]`,
    ],
  },
};

for (const [kind, { read, fields }] of Object.entries(cases)) {
  for (const field of fields) {
    test(`a ${kind} with a ${field} of another type is unreadable, and the error names the field`, () => {
      const name = field
        .split(/[.[\]]/)
        .filter((part) => part !== '')
        .at(-1);
      assert.throws(
        () => read(withField(field)),
        (error) => error instanceof UnreadableObjectError && error.message.startsWith(`${name} must be `),
      );
    });
  }

  test(`a ${kind} that says nothing at all can be read`, () => {
    assert.ok(isObject(read({})));
  });
}

function withField(field: string): JsonObject {
  const [path = '', item] = field.split(/[[\]]/);
  const inner: unknown = item === undefined ? WRONG : [{ [item]: WRONG }];
  const object = path.split('.').reduceRight<unknown>((value, member) => ({ [member]: value }), inner);
  return isObject(object) ? object : {};
}

test('an access mode that does not exist is unreadable', () => {
  assert.throws(() => claimFrom({ spec: { accessModes: ['ReadWriteSometimes'] } }), {
    message:
      'accessModes must be one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod, not "ReadWriteSometimes": correct the manifest',
  });
});

test('a strategy type that does not exist is unreadable', () => {
  assert.throws(
    () => workloadFrom('Deployment', { spec: { strategy: { type: 'BlueGreen' } } }),
    /type must be RollingUpdate or Recreate/,
  );
});

test('a number of pods is whole, or a percentage', () => {
  for (const maxSurge of ['1', '-1%', '1.5%', '%', 'a%', ' 1%']) {
    assert.throws(
      () => workloadFrom('Deployment', { spec: { strategy: { rollingUpdate: { maxSurge } } } }),
      /maxSurge must be a whole number or a percentage/,
      maxSurge,
    );
  }
});

test('a selector operator that does not exist is unreadable', () => {
  const affinity = {
    podAffinity: { [REQUIRED]: [{ labelSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }] },
  };
  assert.throws(
    () => workloadFrom('Deployment', { spec: { template: { spec: { affinity } } } }),
    /operator must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, not "Is"/,
  );
});

test('labels may be named __proto__', () => {
  const node = nodeFrom(JSON.parse('{"metadata":{"name":"a","labels":{"__proto__":"x"}}}'));
  assert.equal(node.labels.get('__proto__'), 'x');
  const { template } = workloadFrom(
    'Deployment',
    JSON.parse(
      '{"spec":{"template":{"metadata":{"labels":{"__proto__":"x"}},"spec":{"nodeSelector":{"__proto__":"y"}}}}}',
    ),
  );
  assert.equal(template.labels.get('__proto__'), 'x');
  assert.deepEqual(template.nodeSelector, [{ key: '__proto__', operator: 'In', values: ['y'] }]);
});

test('a namespace has the label of its name', () => {
  const { labels } = namespaceFrom({ metadata: { name: 'shop', labels: { team: 'red' } } });
  assert.deepEqual(Object.fromEntries(labels), { team: 'red', 'kubernetes.io/metadata.name': 'shop' });
});

test('of all annotations only ours are kept', () => {
  const { annotations } = metadataFrom({ metadata: { annotations: { 'rwo-guard.dev/ignore': 'a', other: 'b' } } });
  assert.deepEqual([...annotations.keys()], ['rwo-guard.dev/ignore']);
});

test('an object that is still to be named is shown by its prefix and a star', () => {
  assert.equal(metadataFrom({ metadata: { generateName: 'web-' } }).name, 'web-*');
  assert.equal(metadataFrom({ metadata: { generateName: 'web-', name: 'web-1' } }).name, 'web-1');
});

test('the owner is the one that controls', () => {
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' },
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'b', uid: '1', controller: true },
  ];
  assert.deepEqual(metadataFrom({ metadata: { ownerReferences } }).controller, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'b',
    uid: '1',
  });
});

test('a pod has its claims, those of its own volumes and the disks that are written into it', () => {
  const volumes = [
    { name: 'a', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'b', ephemeral: {} },
    { name: 'c', awsElasticBlockStore: { volumeID: 'vol-1' } },
    { name: 'd', emptyDir: {} },
  ];
  const pod = podFrom({ metadata: { name: 'web' }, spec: { volumes } });
  assert.deepEqual([pod?.claims, pod?.disks], [['data', 'web-b'], ['ebs.csi.aws.com^vol-1']]);
});

test('a pod that has ended has no volumes', () => {
  for (const phase of ['Succeeded', 'Failed']) assert.equal(podFrom({ status: { phase } }), undefined);
});

test('a pod is starting until one of its containers has run, which needs its volumes', () => {
  const waiting = { waiting: { reason: 'CrashLoopBackOff' } };
  for (const [status, isStarting] of [
    [undefined, true],
    [{ containerStatuses: [{ state: waiting }] }, true],
    [{ containerStatuses: [{ state: { running: {} } }] }, false],
    [{ containerStatuses: [{ state: waiting, lastState: { terminated: {} } }] }, false],
    [{ initContainerStatuses: [{ state: { terminated: {} } }], containerStatuses: [{ state: waiting }] }, false],
  ] as const) {
    assert.equal(podFrom({ status })?.isStarting, isStarting, JSON.stringify(status));
  }
});

test('an attachment counts once it is true, also of a disk that is written into a pod', () => {
  const csi = { driver: 'd', volumeHandle: 'one' };
  const attachment = { spec: { nodeName: 'a', source: { inlineVolumeSpec: { csi } } }, status: { attached: true } };
  const { disk, volumeName, attached, deleting } = volumeAttachmentFrom(attachment);
  assert.deepEqual([disk, volumeName, attached, deleting], ['d^one', '', true, false]);
});
