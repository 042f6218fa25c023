import { booleanAt, type JsonObject, objectAt, objectsAt, stringMapAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { allocatableOf, type Resources } from './requests.ts';
import { type Taint, taintFrom } from './toleration.ts';

/** The label by which each node is usually a domain of its own. */
export const HOSTNAME = 'kubernetes.io/hostname';

/** The part of a Node that decides which pods may land on it, apart from what other pods leave of it. */
export interface Node {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  /** What it has for pods; absent where nobody says. */
  readonly allocatable?: Resources;
}

export function nodeFrom(object: JsonObject): Node {
  const spec = objectAt(object, 'spec');
  const allocatable = allocatableOf(object);
  return {
    name: metadataFrom(object).name,
    labels: stringMapAt(objectAt(object, 'metadata'), 'labels'),
    taints: objectsAt(spec, 'taints').map(taintFrom),
    unschedulable: booleanAt(spec, 'unschedulable') ?? false,
    ...(allocatable === undefined ? {} : { allocatable }),
  };
}

/**
 * Taints that say how a node fares just now: not ready, under pressure, cordoned, or so new that the cloud provider
 * (`staging/src/k8s.io/cloud-provider/api/well_known_taints.go`) or an agent of its network or storage has not taken it up.
 * They pass, and they do not move a running pod at once, so a forecast of what can happen some day leaves them out.
 */
export function isTransient({ key }: Taint): boolean {
  return TRANSIENT.some((prefix) => key.startsWith(prefix)) || key.endsWith('/agent-not-ready');
}

const TRANSIENT = ['node.kubernetes.io/', 'node.cloudprovider.kubernetes.io/'];
