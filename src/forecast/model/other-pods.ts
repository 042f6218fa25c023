import { known } from '../../facts/fact.ts';
import type { Bystander, PodFacts, WorkloadFacts } from '../../facts/gather.ts';
import { operationsToCompare, selects } from '../../facts/pod-affinity.ts';
import { idOfWorkload, isSameWorkload } from '../../facts/workload.ts';
import { firstOf, podOf } from '../pod-labels.ts';
import type { OtherPods } from './world.ts';

/** Pods of others that hold a volume of these, or that their affinity may mean. */
export function othersOf(own: readonly WorkloadFacts[]): readonly OtherPods[] {
  return distinctPods(own.flatMap(othersOfOne));
}

function othersOfOne(facts: WorkloadFacts): readonly OtherPods[] {
  const users = facts.otherUsers.pods;
  const meant = meantBy(facts);
  const beside = meant
    .filter(({ workload }) => !users.some((user) => isSameWorkload(user.workload, workload)))
    .map(({ workload, namespaceLabels }) => ({
      workload,
      namespaceLabels,
      claims: [],
      ownClaims: [],
      siblings: undefined,
      bystanders: known([]),
      beside: [],
      placed: [],
      nodes: facts.nodes,
      budget: facts.budget,
    }));
  const pods = [...users, ...beside].map((one) => ({ facts: one, number: firstOf(one.workload) }));
  return [...pods, ...users.flatMap(siblingsOf)];
}

/** The other pods of a workload of which one pod holds a volume of ours: they hold none that is known. */
function siblingsOf(user: PodFacts): readonly OtherPods[] {
  const { siblings, workload } = user;
  if (siblings === undefined) return [];
  const template = { ...workload, template: siblings };
  return [
    { facts: { ...user, workload: template, claims: [], ownClaims: [], siblings: undefined }, number: undefined },
  ];
}

/** Workloads whose pods its required affinity may mean. */
function meantBy(facts: WorkloadFacts): readonly Bystander[] {
  const { bystanders, budget, workload } = facts;
  const { podAffinity } = workload.template;
  if (podAffinity.length === 0 || !bystanders.known) return [];
  const pod = podOf(facts, 'new', firstOf(workload));
  return bystanders.value.filter((other) => {
    const theirs = podOf(other, 'new', firstOf(other.workload));
    return podAffinity.every((term) => {
      budget.spend(operationsToCompare(term));
      return selects(term, pod, theirs) !== false;
    });
  });
}

/** Of pods of one workload that hold the same only one. */
function distinctPods(pods: readonly OtherPods[]): readonly OtherPods[] {
  if (pods.length < 2) return pods;
  const distinct = new Map<string, OtherPods>();
  for (const pod of pods) {
    const { workload, claims, budget } = pod.facts;
    budget.spend(1 + claims.length);
    const key = JSON.stringify([idOfWorkload(workload), ...claims.map(({ identity }) => identity)]);
    if (!distinct.has(key)) distinct.set(key, pod);
  }
  return [...distinct.values()];
}
