import {
  type AdmissionRequest,
  annotate,
  controlledBy,
  create,
  keyOf,
  merge,
  NODE,
  rollOut,
  scaleTo,
  serviceAccount,
  withoutOwner,
  workload,
} from './admission-requests.ts';
import { OTHER_KINDS, type OtherKind } from './kind-manifests.ts';

/** A change of the spec that the API server lets a person make. */
const CHANGE: Readonly<Record<OtherKind, AdmissionRequest['send']>> = {
  StatefulSet: rollOut,
  DaemonSet: rollOut,
  ReplicaSet: rollOut,
  Job: merge({ spec: { parallelism: 3 } }),
  CronJob: merge({ spec: { schedule: '0 4 * * *' } }),
};

/** Which controller of Kubernetes writes objects of the kind, and for whom. */
const MADE_BY: Readonly<Record<OtherKind, { readonly owner: string; readonly account: string }>> = {
  StatefulSet: { owner: 'Deployment', account: 'statefulset-controller' },
  DaemonSet: { owner: 'Deployment', account: 'daemon-set-controller' },
  ReplicaSet: { owner: 'Deployment', account: 'deployment-controller' },
  Job: { owner: 'CronJob', account: 'cronjob-controller' },
  CronJob: { owner: 'Deployment', account: 'cronjob-controller' },
};

const DISK = { name: 'disk', awsElasticBlockStore: { volumeID: 'vol-1' } };
const CLAIM_SPEC = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const OWN_VOLUMES = [
  { name: 'a', emptyDir: {} },
  { name: 'b', ephemeral: { volumeClaimTemplate: { spec: CLAIM_SPEC } } },
];

/** What of a kind beside the Deployment the validating entries see. */
function requestsOf(kind: OtherKind): readonly AdmissionRequest[] {
  const { owner, account } = MADE_BY[kind];
  const made = (namespace: string, options = {}) => workload(kind, namespace, options);
  return [
    { name: `a ${kind}`, reaches: ['advise'], send: create(made('unset')) },
    { name: `a ${kind} in mode enforce`, reaches: ['enforce'], send: create(made('enforce')) },
    { name: `a ${kind} in mode audit`, reaches: ['advise'], send: create(made('audit')) },
    { name: `a ${kind} in mode off`, reaches: [], send: create(made('off')) },
    { name: `a ${kind} in kube-system`, reaches: [], send: create(made('kube-system')) },
    { name: `a ${kind} where repairs are asked for`, reaches: ['advise'], send: create(made('mutate')) },
    { name: `a dry run of a ${kind}`, reaches: ['advise'], send: (api) => api.create(made('unset'), { dryRun: true }) },
    { name: `a ${kind} without volumes`, reaches: [], send: create(made('unset', { volumes: [] })) },
    { name: `a ${kind} without a list of volumes`, reaches: [], send: create(made('unset', { volumes: null })) },
    {
      name: `a ${kind} with volumes of its pods alone`,
      reaches: [],
      send: create(made('unset', { volumes: OWN_VOLUMES })),
    },
    {
      name: `a ${kind} with a disk written into it`,
      reaches: ['advise'],
      send: create(made('unset', { volumes: [DISK] })),
    },
    { name: `a change of a ${kind}`, given: made('unset'), reaches: ['advise'], send: CHANGE[kind] },
    { name: `a change of a ${kind} in mode enforce`, given: made('enforce'), reaches: ['enforce'], send: CHANGE[kind] },
    {
      name: `the same ${kind} put again`,
      given: made('unset'),
      reaches: [],
      send: (api, stored) => api.replace(stored),
    },
    {
      name: `a label on a ${kind}`,
      given: made('unset'),
      reaches: [],
      send: merge({ metadata: { labels: { team: 'shop' } } }),
    },
    {
      name: `an annotation on a ${kind}`,
      given: made('unset'),
      reaches: ['advise'],
      send: annotate({ 'rwo-guard.dev/ignore': 'replicas-split: one node' }),
    },
    { name: `the status of a ${kind}`, given: made('unset'), reaches: [], send: STATUS[kind] },
    { name: `a ${kind} deleted`, given: made('unset'), reaches: [], send: (api, stored) => api.delete(keyOf(stored)) },
    {
      name: `a ${kind} that says that a ${owner} controls it`,
      reaches: ['advise'],
      send: create(made('unset', { metadata: controlledBy(owner === 'CronJob' ? 'batch/v1' : 'apps/v1', owner) })),
    },
    {
      name: `a ${kind} that is taken off its ${owner}`,
      given: made('enforce', { metadata: controlledBy(owner === 'CronJob' ? 'batch/v1' : 'apps/v1', owner) }),
      reaches: ['enforce'],
      send: withoutOwner,
    },
    {
      name: `a ${kind} that is taken off its owner by the garbage collector`,
      as: serviceAccount('kube-system', 'generic-garbage-collector'),
      given: made('enforce', { metadata: controlledBy(owner === 'CronJob' ? 'batch/v1' : 'apps/v1', owner) }),
      reaches: [],
      send: withoutOwner,
    },
    {
      name: `a ${kind} controlled by an operator`,
      reaches: ['advise'],
      send: create(made('unset', { metadata: controlledBy('example.com/v1', 'Shop') })),
    },
    {
      name: `a ${kind} of the ${account}`,
      as: serviceAccount('kube-system', account),
      reaches: [],
      send: create(made('enforce')),
    },
    {
      name: `a change of a ${kind} by the controller manager`,
      as: { user: 'system:kube-controller-manager' },
      given: made('enforce'),
      reaches: [],
      send: CHANGE[kind],
    },
    { name: `a ${kind} of a node`, as: NODE, reaches: [], send: create(made('enforce')) },
  ];
}

/** What the controller of the kind would report. */
const STATUS: Readonly<Record<OtherKind, AdmissionRequest['send']>> = {
  StatefulSet: merge({ status: { replicas: 1 } }, 'status'),
  DaemonSet: merge({ status: { observedGeneration: 1 } }, 'status'),
  ReplicaSet: merge({ status: { replicas: 1 } }, 'status'),
  Job: merge({ status: { ready: 0 } }, 'status'),
  CronJob: merge({ status: { lastScheduleTime: '2026-01-01T00:00:00Z' } }, 'status'),
};

function scalesOf(kind: 'StatefulSet' | 'ReplicaSet'): readonly AdmissionRequest[] {
  const made = (namespace: string, replicas = 1, metadata = {}) => workload(kind, namespace, { replicas, metadata });
  const account = MADE_BY[kind].account;
  return [
    { name: `a scale up of a ${kind}`, given: made('unset'), reaches: ['advise'], send: scaleTo(3) },
    { name: `a scale up of a ${kind} in mode enforce`, given: made('enforce'), reaches: ['enforce'], send: scaleTo(3) },
    { name: `a scale up of a ${kind} from zero`, given: made('unset', 0), reaches: ['advise'], send: scaleTo(2) },
    { name: `a scale of a ${kind} to zero`, given: made('unset', 3), reaches: [], send: scaleTo(0) },
    { name: `a scale of a ${kind} to as many`, given: made('unset', 3), reaches: [], send: scaleTo(3) },
    {
      name: `a scale up of a ${kind} by the autoscaler`,
      as: serviceAccount('kube-system', 'horizontal-pod-autoscaler'),
      given: made('enforce'),
      reaches: ['enforce'],
      send: scaleTo(2),
    },
    {
      name: `a scale up of a ${kind} by the ${account}`,
      as: serviceAccount('kube-system', account),
      given: made('enforce'),
      reaches: [],
      send: scaleTo(2),
    },
  ];
}

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'enforce', name: 'alone' },
  spec: {
    containers: [{ name: 'web', image: 'web:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
};

export const KIND_REQUESTS: readonly AdmissionRequest[] = [
  ...OTHER_KINDS.flatMap(requestsOf),
  ...scalesOf('StatefulSet'),
  ...scalesOf('ReplicaSet'),
  { name: 'a pod', reaches: [], send: create(POD) },
];
