import type { RunningPod } from '../objects/running-pod.ts';
import type { Workload } from '../objects/workload.ts';
import type { Affected, Step } from './answer.ts';
import type { Leaving } from './keepers.ts';

/** What becomes of pods, before it is said whose they are. */
export type Fate = Omit<Affected, 'resource' | 'pods' | 'mayComeUp'> & { readonly mayComeUp?: boolean };

export function affected({ keeper, pods }: Leaving, fate: Fate): Affected {
  const [pod] = pods;
  const own = { kind: 'Pod', namespace: pod?.namespace ?? '', name: pod?.name ?? '' };
  const resource =
    keeper.type === 'workload'
      ? { kind: keeper.workload.kind, ...nameOf(keeper.workload) }
      : keeper.type === 'other'
        ? { ...own, kind: keeper.kind, name: keeper.name }
        : own;
  return {
    resource,
    pods: pods.map(({ name, nodeName = '' }) => ({ name, node: nodeName })),
    mayComeUp: false,
    ...fate,
  };
}

function nameOf({ metadata: { namespace, name } }: Workload) {
  return { namespace, name };
}

/** Its controller makes no other pod. */
export function isWanted({ replicas, metadata }: Workload): boolean {
  return replicas > 0 && !metadata.deleting;
}

export const NOT_WANTED: Fate = {
  outcome: 'lost',
  because: 'it is being deleted, or is to have no pods: nobody makes them again',
  story: [],
};

/** The longest of what pods are given. */
export function longest(pods: readonly RunningPod[], of: (pod: RunningPod) => number): number {
  return Math.max(0, ...pods.map(of));
}

export function step(says: string, from?: number, to?: number): Step {
  return { says, ...(from !== undefined && { from }), ...(to !== undefined && to !== from && { to }) };
}
