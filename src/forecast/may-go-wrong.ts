import type { Budget } from '../budget.ts';
import type { Claim } from '../facts/claim.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { type LabelledPod, operationsToCompare, selects, withMatchLabelKeys } from '../objects/pod-affinity.ts';
import type { PodAffinityTerm, SpreadConstraint } from '../objects/pod-template.ts';
import { matchesSelector } from '../objects/selector.ts';
import { type Assumption, exclusivityOf } from './assumption.ts';
import { asksForAdded } from './scheduler/pairs.ts';

/** Nothing is searched where pods neither share a volume that could keep them waiting nor mean each other, or anybody. */
export function mayGoWrong(facts: WorkloadFacts, before: WorkloadFacts | undefined, assumption: Assumption): boolean {
  const all = before === undefined ? [facts] : [facts, before];
  return all.some((one) => mayHold(one, assumption)) || all.some((owner) => all.some((other) => mayMean(owner, other)));
}

/** Whether its volumes, ports or disks may keep pods from each other or on some nodes. */
function mayHold({ workload, claims, ownClaims }: WorkloadFacts, assumption: Assumption): boolean {
  const { hostPorts, restrictedDisks, nodeName } = workload.template;
  const mayKeep = (claim: Claim): boolean =>
    claim.nodeAffinity !== undefined ||
    claim.zones.size > 0 ||
    claim.onceBound !== undefined ||
    claim.deleting === true ||
    (claim.waitsForPod === true && nodeName !== undefined) ||
    exclusivityOf(claim, assumption) !== 'shared';
  return (
    hostPorts.length + restrictedDisks.length > 0 || claims.some(mayKeep) || ownClaims.some((own) => own.some(mayKeep))
  );
}

/** Whether its terms mean pods of the other, or of strangers. */
function mayMean(owner: WorkloadFacts, other: WorkloadFacts): boolean {
  const { podAffinity, podAntiAffinity, spread } = owner.workload.template;
  const terms = [...podAffinity, ...podAntiAffinity];
  if (terms.length + spread.length === 0) return false;
  if (owner.nearby.pods.length + owner.nearby.unknown.length > 0) return true;
  // What controllers add to labels tells pods of one template apart, and the search looks at each.
  if (asksForAdded(terms) || asksForAdded(spread)) return true;
  const [pod, met] = [labelled(owner), labelled(other)];
  return terms.some((term) => means(term, pod, met, owner.budget)) || spread.some((one) => counts(one, pod, met));
}

function labelled({ workload, namespaceLabels }: WorkloadFacts): LabelledPod {
  return { labels: workload.template.labels, namespace: workload.metadata.namespace, namespaceLabels };
}

function means(term: PodAffinityTerm, pod: LabelledPod, met: LabelledPod, budget: Budget): boolean {
  budget.spend(operationsToCompare(term));
  return selects(term, pod, met) !== false;
}

/** An empty selector counts nobody (`pkg/scheduler/framework/plugins/podtopologyspread/common.go:countPodsMatchSelector`). */
function counts({ selector, matchLabelKeys }: SpreadConstraint, pod: LabelledPod, met: LabelledPod): boolean {
  const merged = selector === undefined ? [] : withMatchLabelKeys(selector, matchLabelKeys, pod);
  return merged.length > 0 && matchesSelector(merged, met.labels);
}
