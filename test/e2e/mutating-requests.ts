import {
  type AdmissionRequest,
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
} from './admission-requests.ts';

/** What the mutating entry sees, in the namespaces that ask for repairs. */
export const MUTATING_REQUESTS: readonly AdmissionRequest[] = [
  { name: 'a Deployment to repair', reaches: ['advise', 'mutate'], send: create(deployment('mutate')) },
  {
    name: 'a Deployment to repair in mode enforce',
    reaches: ['enforce', 'mutate'],
    send: create(deployment('mutate-enforce')),
  },
  { name: 'a Deployment to repair in mode off', reaches: [], send: create(deployment('mutate-off')) },
  {
    name: 'a dry run of a repair',
    reaches: ['advise', 'mutate'],
    send: (api) => api.create(deployment('mutate'), { dryRun: true }),
  },
  {
    name: 'a change of the template to repair',
    given: deployment('mutate'),
    reaches: ['advise', 'mutate'],
    send: rollOut,
  },
  {
    name: 'an unchanged Deployment, put again where repairs are asked for,',
    given: deployment('mutate'),
    reaches: ['mutate'],
    send: (api, stored) => api.replace(stored),
  },
  {
    name: 'Recreate beside a left-over rollingUpdate, which is refused after us,',
    given: deployment('mutate'),
    reaches: ['mutate'],
    send: async (api, stored) => {
      const strategy = { type: 'Recreate', rollingUpdate: { maxSurge: 1 } };
      await api.patch(keyOf(stored), 'merge', { spec: { strategy } }).catch(refusedAsInvalid);
    },
  },
  { name: 'a Deployment without volumes to repair', reaches: [], send: create(deployment('mutate', { volumes: [] })) },
  { name: 'a scale where repairs are asked for', given: deployment('mutate'), reaches: ['advise'], send: scaleTo(2) },
  { name: 'a claim where repairs are asked for', reaches: ['advise'], send: create(claim('mutate')) },
  {
    name: 'a Deployment to repair that says that a workload controls it',
    reaches: ['advise', 'mutate'],
    send: create(deployment('mutate', { metadata: controlledBy('apps/v1', 'StatefulSet') })),
  },
  {
    name: 'a Deployment that an operator would put back',
    reaches: ['advise'],
    send: create(deployment('mutate', { metadata: controlledBy('example.com/v1', 'Shop') })),
  },
  {
    name: 'a Deployment to repair of a controller in kube-system',
    as: serviceAccount('kube-system', 'some-controller'),
    reaches: [],
    send: create(deployment('mutate')),
  },
  { name: 'a Deployment to repair of a node', as: NODE, reaches: [], send: create(deployment('mutate')) },
  {
    name: 'a Deployment to repair of the controller manager',
    as: { user: 'system:kube-controller-manager' },
    reaches: [],
    send: create(deployment('mutate')),
  },
  {
    name: 'a Deployment to repair that is being deleted',
    given: deployment('mutate', { metadata: { finalizers: ['example.com/hold'] } }),
    reaches: [],
    send: async (api, stored) => {
      await beginDeletion(api, stored);
      await merge({ metadata: { finalizers: null } })(api, stored);
    },
  },
];

function refusedAsInvalid(error: Error): void {
  if (!/may not be specified when strategy `?type/.test(error.message)) throw error;
}
