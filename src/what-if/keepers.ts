import { keyOf } from '../objects/object-key.ts';
import type { RunningPod } from '../objects/running-pod.ts';
import type { Workload } from '../objects/workload.ts';
import type { ClusterNow, Keeper } from './cluster-now.ts';

/**
 * Whether another pod comes while the old one is still Terminating; a StatefulSet's has the same name, and has to wait until
 * that is free (`pkg/controller/statefulset/stateful_set_control.go:updateStatefulSet`).
 */
export function isReplacedAtOnce({ kind, metadata }: Workload, { late }: Pick<ClusterNow, 'late'>): boolean {
  if (kind === 'Job') return !late.has(keyOf(metadata.namespace, metadata.name));
  return kind !== 'StatefulSet';
}

/** Pods on nodes that go, all kept by the same. */
export interface Leaving {
  readonly keeper: Keeper;
  readonly pods: readonly RunningPod[];
}

/** The pods on these nodes by who keeps them. */
export function leavingFrom(nodes: Iterable<string>, { pods }: Pick<ClusterNow, 'pods'>): readonly Leaving[] {
  const groups = new Map<string, { readonly keeper: Keeper; readonly pods: RunningPod[] }>();
  for (const node of nodes) {
    for (const pod of pods.on(node)) {
      const keeper = pods.keeperOf(pod);
      const key = keyFor(keeper, pod);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { keeper, pods: [pod] });
      else group.pods.push(pod);
    }
  }
  return [...groups.values()];
}

function keyFor(keeper: Keeper, { namespace, name }: RunningPod): string {
  switch (keeper.type) {
    case 'workload':
      return `${keeper.workload.kind} ${keyOf(namespace, keeper.workload.metadata.name)}`;
    case 'other':
      return `${keeper.kind} ${keyOf(namespace, keeper.name)}`;
    case 'kubelet':
    case 'nobody':
      return `Pod ${keyOf(namespace, name)}`;
    default:
      return keeper satisfies never;
  }
}
