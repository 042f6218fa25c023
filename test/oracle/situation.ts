import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { isMark } from './node-marks.ts';
import { provisionedIn } from './provisioner.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** What admission would see at the moment of the action, and where the old pods are. The forecast is made from this. */
export interface Situation {
  readonly action: Scenario['action'];
  /** Nodes, namespaces, drivers, classes, volumes, claims, other workloads and autoscalers. */
  readonly objects: readonly KubernetesObject[];
  /** The workload that the pods are of; nothing when it is only being made. */
  readonly running: KubernetesObject | undefined;
  /** As it is asked for; what runs, where an autoscaler may ask for more of it. */
  readonly wanted: KubernetesObject;
  /** Nodes are not as admission takes them: changed since the pods came to them, or cordoned, which admission expects to pass. */
  readonly nodesChanged: boolean;
  /** The nodes of the old pods, one for each pod. */
  readonly places: readonly string[];
}

export function situationOf(world: World, scenario: Scenario, places: readonly string[]): Situation {
  const { namespace, action, running, wanted, weather, nodes } = scenario;
  return {
    action,
    objects: [
      ...objectsOf(scenario).map((object) => withoutMarks(current(world, namespace, object))),
      ...claimsOfPods(world, scenario),
      ...provisionedIn(world, namespace),
    ],
    running: action === 'autoscale' ? undefined : running,
    wanted: action === 'autoscale' ? (running ?? wanted) : wanted,
    nodesChanged: weather.length > 0 || nodes.some(({ spec }) => spec?.unschedulable === true),
    places,
  };
}

export function objectsOf({ setting, nodes, neighbour, bystander, autoscaler }: Scenario): readonly KubernetesObject[] {
  return [...setting, ...nodes, ...[neighbour, bystander, autoscaler].filter((object) => object !== undefined)];
}

/** Claims that a controller has made for single pods. */
function claimsOfPods(world: World, { namespace, setting }: Scenario): readonly KubernetesObject[] {
  const isOurs = (name = ''): boolean =>
    setting.some(({ kind, metadata }) => kind === 'PersistentVolumeClaim' && metadata?.name === name);
  return world.claims
    .in(namespace)
    .filter(({ metadata }) => !isOurs(metadata?.name))
    .map((claim) => ({ ...(claim as KubernetesObject), apiVersion: 'v1', kind: 'PersistentVolumeClaim' }));
}

/** As it is in the cluster now; as it was made where nothing changes it. */
function current(world: World, namespace: string, object: KubernetesObject): KubernetesObject {
  const { apiVersion = '', kind = '', metadata } = object;
  const name = metadata?.name ?? '';
  const found = {
    Node: world.nodes.get('', name),
    PersistentVolume: world.volumes.get('', name),
    PersistentVolumeClaim: world.claims.get(namespace, name),
  }[kind];
  return found === undefined ? object : { ...(found as KubernetesObject), apiVersion, kind };
}

/** The marks are the harness's, and no taint that a cluster would have. */
function withoutMarks(object: KubernetesObject): KubernetesObject {
  const { spec } = object as { spec?: { taints?: { key: string; effect: string }[] } };
  if (object.kind !== 'Node' || spec?.taints === undefined) return object;
  const taints = spec.taints.filter((taint) => !isMark(taint));
  return { ...object, spec: { ...spec, taints } } as KubernetesObject;
}
