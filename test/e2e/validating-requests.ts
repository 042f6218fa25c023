import {
  type AdmissionRequest,
  annotate,
  beginDeletion,
  claim,
  controlledBy,
  create,
  deployment,
  keyOf,
  merge,
  NODE,
  rollOut,
  scaleTo,
  serviceAccount,
  withoutOwner,
} from './admission-requests.ts';
import { KIND_REQUESTS } from './kind-requests.ts';

const INLINE_DISKS: Readonly<Record<string, object>> = {
  awsElasticBlockStore: { volumeID: 'vol-1' },
  gcePersistentDisk: { pdName: 'disk-1' },
  azureDisk: { diskName: 'disk-1', diskURI: '/subscriptions/s/disk-1', kind: 'Managed' },
  azureFile: { secretName: 'share', shareName: 'share' },
  cinder: { volumeID: 'vol-1' },
  vsphereVolume: { volumePath: '[store] disk.vmdk' },
  portworxVolume: { volumeID: 'vol-1' },
};

const MODES: readonly AdmissionRequest[] = [
  { name: 'a Deployment in a namespace without a mode', reaches: ['advise'], send: create(deployment('unset')) },
  { name: 'a Deployment in mode warn', reaches: ['advise'], send: create(deployment('warn')) },
  { name: 'a Deployment in mode audit', reaches: ['advise'], send: create(deployment('audit')) },
  { name: 'a Deployment in a mode that there is not', reaches: ['advise'], send: create(deployment('nonsense')) },
  { name: 'a Deployment in mode enforce', reaches: ['enforce'], send: create(deployment('enforce')) },
  { name: 'a Deployment in mode off', reaches: [], send: create(deployment('off')) },
  { name: 'a Deployment in kube-system', reaches: [], send: create(deployment('kube-system')) },
  { name: 'a Deployment in kube-node-lease', reaches: [], send: create(deployment('kube-node-lease')) },
  { name: 'a Deployment in our own namespace', reaches: [], send: create(deployment('rwo-guard')) },
];

const DEPLOYMENTS: readonly AdmissionRequest[] = [
  { name: 'a Deployment without volumes', reaches: [], send: create(deployment('unset', { volumes: [] })) },
  {
    name: 'a Deployment without a list of volumes',
    reaches: [],
    send: create(deployment('unset', { volumes: null })),
  },
  {
    name: 'a Deployment with volumes of its pods alone',
    reaches: [],
    send: create(
      deployment('unset', {
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', configMap: { name: 'b' } },
        ],
      }),
    ),
  },
  ...Object.entries(INLINE_DISKS).map(
    ([source, disk]): AdmissionRequest => ({
      name: `a Deployment with a disk written into it (${source})`,
      reaches: ['advise'],
      send: create(
        deployment('unset', {
          volumes: [
            { name: 'a', emptyDir: {} },
            { name: 'disk', [source]: disk },
          ],
        }),
      ),
    }),
  ),
  {
    name: 'a dry run',
    reaches: ['advise'],
    send: (api) => api.create(deployment('unset'), { dryRun: true }),
  },
  {
    name: 'a server-side apply that creates',
    reaches: ['enforce'],
    send: (api) => api.apply(deployment('enforce')),
  },
  {
    name: 'a server-side apply that changes nothing',
    given: deployment('unset'),
    reaches: [],
    send: (api, stored) => {
      const { name, namespace = '' } = keyOf(stored);
      return api.apply({ ...stored, metadata: { name, namespace } });
    },
  },
  { name: 'a change of the template', given: deployment('unset'), reaches: ['advise'], send: rollOut },
  {
    name: 'a change of the template in mode enforce',
    given: deployment('enforce'),
    reaches: ['enforce'],
    send: rollOut,
  },
  {
    name: 'the same Deployment put again',
    given: deployment('unset'),
    reaches: [],
    send: (api, stored) => api.replace(stored),
  },
  {
    name: 'a label on a Deployment',
    given: deployment('unset'),
    reaches: [],
    send: merge({ metadata: { labels: { team: 'shop' } } }),
  },
  {
    name: 'an annotation on a Deployment',
    given: deployment('unset'),
    reaches: ['advise'],
    send: annotate({ 'rwo-guard.dev/ignore': 'rollout-deadlock: one node' }),
  },
  {
    name: 'an annotation beside others',
    given: deployment('unset', { metadata: { annotations: { 'rwo-guard.dev/ignore': 'claim-shared: known' } } }),
    reaches: ['advise'],
    send: annotate({ 'rwo-guard.dev/ignore': 'claim-shared: known, and rollout-deadlock' }),
  },
  {
    name: 'the last annotation taken off',
    given: deployment('unset', { metadata: { annotations: { 'rwo-guard.dev/ignore': 'claim-shared: known' } } }),
    reaches: ['advise'],
    send: (api, stored) => api.patch(keyOf(stored), 'json', [{ op: 'remove', path: '/metadata/annotations' }]),
  },
  {
    name: 'the status of a Deployment',
    given: deployment('unset'),
    reaches: [],
    send: merge({ status: { observedGeneration: 1 } }, 'status'),
  },
  {
    name: 'a change of a Deployment of nearly a megabyte',
    given: deployment('unset', {
      env: Array.from({ length: 9_000 }, (_, index) => ({ name: `VARIABLE_${index}`, value: 'x'.repeat(60) })),
    }),
    reaches: ['advise'],
    send: rollOut,
  },
  {
    name: 'a Deployment deleted',
    given: deployment('unset'),
    reaches: [],
    send: (api, stored) => api.delete(keyOf(stored)),
  },
  {
    name: 'a change of a Deployment that is being deleted',
    given: deployment('unset', { metadata: { finalizers: ['example.com/hold'] } }),
    reaches: [],
    send: async (api, stored) => {
      await beginDeletion(api, stored);
      await rollOut(api, stored);
      await merge({ metadata: { finalizers: null } })(api, stored);
    },
  },
];

const SCALES: readonly AdmissionRequest[] = [
  { name: 'a scale up', given: deployment('unset'), reaches: ['advise'], send: scaleTo(3) },
  { name: 'a scale up in mode enforce', given: deployment('enforce'), reaches: ['enforce'], send: scaleTo(3) },
  { name: 'a scale up from zero', given: deployment('unset', { replicas: 0 }), reaches: ['advise'], send: scaleTo(2) },
  { name: 'a scale to zero', given: deployment('unset', { replicas: 3 }), reaches: [], send: scaleTo(0) },
  { name: 'a scale to as many', given: deployment('unset', { replicas: 3 }), reaches: [], send: scaleTo(3) },
  {
    name: 'a scale put as a whole',
    given: deployment('unset'),
    reaches: ['advise'],
    send: async (api, stored) => {
      const path = `/apis/apps/v1/namespaces/unset/deployments/${stored.metadata?.name}/scale`;
      const { body } = await api.request<object>('GET', path);
      await api.request('PUT', path, { ...body, spec: { replicas: 2 } });
    },
  },
];

const CLAIMS: readonly AdmissionRequest[] = [
  { name: 'a claim', reaches: ['advise'], send: create(claim('unset')) },
  { name: 'a claim in mode enforce', reaches: ['enforce'], send: create(claim('enforce')) },
  { name: 'a claim in mode off', reaches: [], send: create(claim('off')) },
  { name: 'a claim in kube-system', reaches: [], send: create(claim('kube-system')) },
  {
    name: 'a claim that is told its volume',
    given: claim('unset'),
    reaches: ['advise'],
    send: merge({ spec: { volumeName: 'pv-1' } }),
  },
  {
    name: 'an annotation on a claim',
    given: claim('unset'),
    reaches: ['advise'],
    send: annotate({ 'rwo-guard.dev/ignore': 'claim-shared: known' }),
  },
  {
    name: 'a label on a claim',
    given: claim('unset'),
    reaches: [],
    send: merge({ metadata: { labels: { team: 'shop' } } }),
  },
  {
    name: 'the status of a claim',
    given: claim('unset'),
    reaches: [],
    send: merge({ status: { phase: 'Lost' } }, 'status'),
  },
  { name: 'a claim deleted', given: claim('unset'), reaches: [], send: (api, stored) => api.delete(keyOf(stored)) },
];

const OWNED: readonly AdmissionRequest[] = [
  {
    name: 'a Deployment that says that a workload controls it',
    reaches: ['advise'],
    send: create(deployment('unset', { metadata: controlledBy('apps/v1', 'StatefulSet') })),
  },
  {
    name: 'a claim that says that a Job controls it',
    reaches: ['advise'],
    send: create(claim('unset', controlledBy('batch/v1', 'Job'))),
  },
  {
    name: 'a claim that is taken off its owner',
    given: claim('unset', controlledBy('batch/v1', 'Job')),
    reaches: ['advise'],
    send: withoutOwner,
  },
  {
    name: 'a claim that the controller of its StatefulSet takes off it',
    as: serviceAccount('kube-system', 'statefulset-controller'),
    given: claim('enforce', controlledBy('apps/v1', 'StatefulSet')),
    reaches: [],
    send: withoutOwner,
  },
  {
    name: 'a Deployment controlled by an operator',
    reaches: ['advise'],
    send: create(deployment('unset', { metadata: controlledBy('example.com/v1', 'Shop') })),
  },
  {
    name: 'a Deployment that a workload owns but does not control',
    reaches: ['advise'],
    send: create(deployment('unset', { metadata: controlledBy('apps/v1', 'StatefulSet', false) })),
  },
];

const HPA = serviceAccount('kube-system', 'horizontal-pod-autoscaler');

const USERS: readonly AdmissionRequest[] = [
  {
    name: 'a Deployment of a service account',
    as: serviceAccount('flux', 'applier'),
    reaches: ['advise'],
    send: create(deployment('unset')),
  },
  {
    name: 'a Deployment of a controller in kube-system',
    as: serviceAccount('kube-system', 'some-controller'),
    reaches: [],
    send: create(deployment('unset')),
  },
  {
    name: 'a claim of a controller in kube-system',
    as: serviceAccount('kube-system', 'statefulset-controller'),
    reaches: [],
    send: create(claim('enforce')),
  },
  {
    name: 'a scale by a controller in kube-system',
    as: serviceAccount('kube-system', 'some-controller'),
    given: deployment('unset'),
    reaches: [],
    send: scaleTo(2),
  },
  {
    name: 'a scale up by the autoscaler',
    as: HPA,
    given: deployment('enforce'),
    reaches: ['enforce'],
    send: scaleTo(2),
  },
  { name: 'a scale to zero by the autoscaler', as: HPA, given: deployment('enforce'), reaches: [], send: scaleTo(0) },
  {
    name: 'a change of the template by the autoscaler',
    as: HPA,
    given: deployment('enforce'),
    reaches: [],
    send: rollOut,
  },
  {
    name: 'a scale by a namesake of the autoscaler',
    as: serviceAccount('shop', 'horizontal-pod-autoscaler'),
    given: deployment('unset'),
    reaches: ['advise'],
    send: scaleTo(2),
  },
  { name: 'a claim changed by a node', as: NODE, given: claim('unset'), reaches: [], send: annotate({ seen: 'yes' }) },
  { name: 'a Deployment of a node', as: NODE, reaches: [], send: create(deployment('enforce')) },
  ...['system:kube-controller-manager', 'system:kube-scheduler', 'system:apiserver'].map(
    (user): AdmissionRequest => ({
      name: `a Deployment of ${user}`,
      as: { user },
      reaches: [],
      send: create(deployment('unset')),
    }),
  ),
  {
    name: 'a Deployment of a person called kube-admin',
    as: { user: 'kube-admin' },
    reaches: ['advise'],
    send: create(deployment('unset')),
  },
];

/** What the validating entries see: one of them, or none. */
export const VALIDATING_REQUESTS: readonly AdmissionRequest[] = [
  ...MODES,
  ...DEPLOYMENTS,
  ...SCALES,
  ...CLAIMS,
  ...OWNED,
  ...KIND_REQUESTS,
  ...USERS,
];
