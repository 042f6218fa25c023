import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/outcome.ts';
import type { Cause } from '../../src/forecast/reasons.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ListName } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { deepFrozen } from '../deep-frozen.ts';
import { type SeenForecast, seen } from './causes.ts';

export const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
export const HOST = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
export const SELF = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: HOST };
export const TOGETHER = { affinity: { podAffinity: { [REQUIRED]: [SELF] } } };
export const APART = { affinity: { podAntiAffinity: { [REQUIRED]: [SELF] } } };

export interface Pods {
  readonly replicas?: number;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
  readonly pod?: JsonObject;
  readonly claims?: readonly string[];
  readonly volumes?: readonly JsonObject[];
}

export interface Surroundings {
  readonly nodes?: readonly string[];
  readonly objects?: readonly JsonObject[];
  readonly unsynced?: ListName;
}

/** Claims named `data` and `more` are bound to a disk each; nodes have their name and a pool: its first letter. */
function clusterOf({ nodes = ['a1', 'a2', 'b1'], objects = [], unsynced }: Surroundings): ClusterState {
  const state = new ClusterState((list) => (list === unsynced ? unknown(`${list} are not listed yet`) : known(true)));
  for (const name of nodes) {
    putObject(state, node(name));
  }
  for (const name of ['data', 'more']) for (const object of disk(name)) putObject(state, object);
  for (const object of objects) putObject(state, object);
  return state;
}

/** A name of two letters is one of a node in the zone of the second. */
function node(name: string): JsonObject {
  const zone = /^[a-z]{2}/.test(name) ? { [ZONE]: name.charAt(1) } : {};
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [HOST]: name, pool: name.charAt(0), ...zone } },
  };
}

export function disk(name: string, accessMode = 'ReadWriteOnce'): readonly JsonObject[] {
  const spec = { accessModes: [accessMode], csi: { driver: 'd', volumeHandle: name } };
  const claim = { accessModes: [accessMode], volumeName: name };
  return [
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'shop', name }, spec: claim },
  ];
}

function deployment({ replicas = 1, spec, metadata, pod, claims = ['data'], volumes = [] }: Pods) {
  const mounted = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const template = { metadata: { labels: { app: 'web' } }, spec: { ...pod, volumes: [...mounted, ...volumes] } };
  return workloadFrom('Deployment', {
    metadata: { namespace: 'shop', name: 'web', ...metadata },
    spec: { replicas, ...spec, template },
  });
}

export function forecastOf(
  pods: Pods,
  surroundings: Surroundings = {},
  running?: Pods,
  places?: ReadonlySet<string>,
): SeenForecast {
  const state = clusterOf(surroundings);
  const factsOf = (of: Pods) => deepFrozen(gatherFacts(deployment(of), state, storageMatrix(), new Budget()).facts);
  return seen(forecast(factsOf(pods), { before: running === undefined ? undefined : factsOf(running), places }));
}

export function causes({ certain }: Pick<SeenForecast, 'certain'>): readonly Cause[] {
  return certain.rollout.reasons.map(({ cause }) => cause);
}
