import type { Bystander, PodFacts } from '../facts/gather.ts';
import { HOSTNAME } from '../facts/node.ts';
import { claimNames, isSameWorkload } from '../facts/workload.ts';
import { landingNodes, mayLandOn } from './placement.ts';
import { firstOf, podOf } from './pod-labels.ts';
import { type Pod, topologiesToShare } from './togetherness.ts';
import type { Crowd } from './topology.ts';

/**
 * Whether a pod of a workload that has nothing to do with the volume is one that the affinity means as well, and may be
 * elsewhere: the scheduler takes any pod that matches (`scheduler/framework/plugins/interpodaffinity/filtering.go:satisfyPodAffinity`).
 */
export function mayFollowBystander(
  pods: Crowd,
  held: (by: Pod) => readonly string[],
  runs: Pod,
  isHarmless: boolean,
): boolean {
  const { incoming, running } = pods;
  const { bystanders } = incoming;
  if (!bystanders.known) return !isHarmless;
  return bystanders.value.some((bystander) => {
    const pod = podOf(bystander, 'new', firstOf(bystander.workload));
    if (held(pod).length === 0 || isSameWorkload(bystander.workload, running.workload)) return false;
    const isBesideThem = topologiesToShare(pod, runs, isHarmless).includes(HOSTNAME) || mountsSame(bystander, incoming);
    return !isBesideThem && mayLeadAway(bystander, pods);
  });
}

/** What holds a volume of ours is where that is. */
function mountsSame({ workload }: Bystander, { workload: ours }: PodFacts): boolean {
  const names = claimNames(ours);
  return (
    workload.metadata.namespace === ours.metadata.namespace && claimNames(workload).some((name) => names.includes(name))
  );
}

/** Looks at all nodes that fit the incoming pod: only affinity that means others asks, which is rare. */
function mayLeadAway({ workload }: Bystander, { incoming, places, weather }: Crowd): boolean {
  const { nodes } = incoming;
  if (!nodes.known) return true;
  const landing = landingNodes(incoming, nodes.value, { weather, limit: nodes.value.size });
  const away = [...landing].filter((name) => !places?.has(name));
  return away.some((name) => mayLandOn(name, { workload, claims: [] }, nodes.value));
}
