import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { type Fact, known } from '../../src/objects/fact.ts';
import { type JsonObject, objectAt } from '../../src/objects/json.ts';
import type { DisruptionBudget } from '../../src/objects/pod-disruption-budget.ts';
import { runningPodFrom } from '../../src/objects/running-pod.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import type { Affected, Answer } from '../../src/what-if/answer.ts';
import { type ClusterNow, PodsNow } from '../../src/what-if/cluster-now.ts';
import { ifDrained } from '../../src/what-if/drain.ts';
import { ifFails } from '../../src/what-if/fail.ts';
import { node } from '../forecast/scene.ts';
import { boundClaim, type DescribedPod, pod, stored } from '../scan/cluster.ts';

export interface Scene {
  /** By name, as `node` reads it: `a1` is in the zone a. */
  readonly nodes?: readonly string[];
  readonly cordoned?: readonly string[];
  /** Nodes that are silent already. */
  readonly silent?: readonly string[];
  readonly objects: readonly JsonObject[];
  readonly budgets?: Fact<readonly DisruptionBudget[]>;
  readonly late?: readonly string[];
}

export const A_MINUTE = [
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
];

/** A pod that stays on a silent node for a minute. */
export function runningPod({ spec, ...described }: DescribedPod & { readonly spec?: JsonObject }): JsonObject {
  const made = pod(described);
  return {
    ...made,
    metadata: { ...made.metadata, labels: { app: 'web' } },
    spec: { tolerations: A_MINUTE, ...made.spec, ...spec },
  };
}

/** The Deployment web of one pod on a1 that has the claim data, on a disk for one node. */
export const WEB: readonly JsonObject[] = [
  ...boundClaim('data'),
  ...stored(),
  runningPod({ name: 'web-1-a', node: 'a1' }),
];

/** The StatefulSet db of one pod on a1. */
export const DB: readonly JsonObject[] = [
  ...boundClaim('data-db-0'),
  ...stored({
    kind: 'StatefulSet',
    name: 'db',
    claims: [],
    spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
  }),
  runningPod({ name: 'db-0', node: 'a1', owner: ['StatefulSet', 'db'], claims: ['data-db-0'] }),
];

/** The claims of the scene, with their volumes bound to one place. */
export function pinnedTo(objects: readonly JsonObject[], key: string, value: string): readonly JsonObject[] {
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }] };
  return objects.map((object) =>
    object.kind === 'PersistentVolume'
      ? { ...object, spec: { ...objectAt(object, 'spec'), nodeAffinity: { required } } }
      : object,
  );
}

export function clusterOf({
  nodes = ['a1', 'a2', 'b1'],
  cordoned = [],
  silent = [],
  objects,
  budgets = known([]),
  late = [],
}: Scene): ClusterNow {
  const snapshot = new ClusterState();
  const pods = new PodsNow(snapshot);
  const driver = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'disk.example.com' },
    spec: {},
  };
  const all = nodes.map((name) => node(name, { unschedulable: cordoned.includes(name) }));
  for (const object of [driver, ...all, ...objects]) {
    const read = object.kind === 'Pod' ? runningPodFrom(object) : undefined;
    if (read === undefined) putObject(snapshot, object);
    else pods.add(read);
  }
  return {
    snapshot,
    pods,
    ready: new Set(nodes.filter((name) => !silent.includes(name))),
    budgets,
    late: new Set(late),
  };
}

export function failing(scene: Scene, ...nodes: readonly string[]): Answer {
  return ifFails('it fails', nodes.length === 0 ? ['a1'] : nodes, clusterOf(scene), storageMatrix());
}

export function drained(scene: Scene): Answer {
  return ifDrained('a1', clusterOf(scene), storageMatrix());
}

/** As `Deployment web hangs: because`. */
export function said({ affected }: Answer): readonly string[] {
  return affected.map(
    ({ resource, outcome, mayComeUp, because }) =>
      `${resource.kind} ${resource.name} ${mayComeUp ? 'may be ' : ''}${outcome}: ${because}`,
  );
}

export function only({ affected }: Answer): Affected {
  const [one] = affected;
  if (one === undefined || affected.length > 1) throw new Error(`${affected.length} are affected`);
  return one;
}
