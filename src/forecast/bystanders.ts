import type { Bystander, PodFacts } from '../facts/workload-facts.ts';
import { HOSTNAME } from '../objects/node.ts';
import { operationsToCompare } from '../objects/pod-affinity.ts';
import { claimNames, isSameWorkload } from '../objects/workload.ts';
import type { Assumption } from './assumption.ts';
import { landingOfBoth } from './placement.ts';
import { firstOf, podOf } from './pod-labels.ts';
import { type Pod, topologiesToShare } from './togetherness.ts';
import { type Crowd, mayBeOutOfReach } from './topology.ts';

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
  const operations = operationsOfABystander(incoming);
  return bystanders.value.some((bystander) => {
    incoming.budget.spend(operations);
    const pod = podOf(bystander, 'new', firstOf(bystander.workload));
    if (held(pod).length === 0 || isSameWorkload(bystander.workload, running.workload)) return false;
    return !isBeside(pod, bystander, runs, incoming, isHarmless) && mayLeadAway(bystander, pods);
  });
}

/**
 * Whether a pod that comes when none of its own workload runs has to be with pods of others that may be where it may not:
 * it may be the first only where no pod matches its affinity (`interpodaffinity/filtering.go:satisfyPodAffinity`).
 */
export function mayBeStranded(pods: Crowd, assumption: Assumption): boolean {
  const { incoming, running } = pods;
  const { bystanders, nodes, workload } = incoming;
  if (!bystanders.known || !nodes.known) return assumption !== 'harmless' && workload.template.podAffinity.length > 0;
  const isHarmless = assumption === 'harmless';
  const pod = podOf(incoming, 'new', firstOf(workload));
  const old = podOf(running, 'old', firstOf(running.workload));
  const operations = operationsOfABystander(incoming);
  const meant = bystanders.value.flatMap((bystander) => {
    incoming.budget.spend(operations);
    const other = podOf(bystander, 'new', firstOf(bystander.workload));
    const topologies = topologiesToShare(pod, other, !isHarmless); // here it is the harm to be held
    return topologies.length === 0 ? [] : [{ bystander, other, topologies }];
  });
  const isAway = ({ bystander, other, topologies }: (typeof meant)[number]): boolean =>
    !isBeside(other, bystander, old, incoming, isHarmless) &&
    mayBeOutOfReach(topologies, { ...bystander, claims: [] }, pods, nodes.value);
  return meant.length > 0 && meant.every(isAway);
}

/** Its labels are put together, and compared with every term of ours. */
function operationsOfABystander({ workload: { template } }: PodFacts): number {
  return template.podAffinity.reduce((sum, term) => sum + operationsToCompare(term), 10);
}

/** What is held to our pods is where those are, and so is what holds a volume of ours. */
function isBeside(other: Pod, bystander: Bystander, ours: Pod, facts: PodFacts, isHarmless: boolean): boolean {
  const { template } = bystander.workload;
  for (const term of template.podAffinity) facts.budget.spend(operationsToCompare(term));
  return topologiesToShare(other, ours, isHarmless).includes(HOSTNAME) || mountsSame(bystander, facts);
}

function mountsSame({ workload }: Bystander, { workload: ours }: PodFacts): boolean {
  const names = claimNames(ours);
  return (
    workload.metadata.namespace === ours.metadata.namespace && claimNames(workload).some((name) => names.includes(name))
  );
}

function mayLeadAway({ workload }: Bystander, { incoming, places, weather }: Crowd): boolean {
  const { nodes } = incoming;
  if (!nodes.known) return true;
  const both = { incoming, running: { workload, claims: [] }, weather };
  return landingOfBoth(both, nodes.value, 1, places).length > 0;
}
