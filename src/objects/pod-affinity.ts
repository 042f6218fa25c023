import type { Fact } from './fact.ts';
import type { PodAffinityTerm } from './pod-template.ts';
import { type LabelSelector, type Labels, matchesRequirement, matchesSelector, type Requirement } from './selector.ts';
import { isAddedByController } from './workload.ts';

/** What of a pod terms of affinity and anti-affinity are about. */
export interface LabelledPod {
  /** The labels of the template, and those that its controller adds. */
  readonly labels: Labels;
  readonly namespace: string;
  /** They matter to terms that select namespaces by label. */
  readonly namespaceLabels: Fact<Labels>;
}

/** Whether `owner`'s term selects the other pod; `undefined` where the namespace's labels would have to tell. */
export function selects(term: PodAffinityTerm, owner: LabelledPod, other: LabelledPod): boolean | undefined {
  if (term.selector === undefined) return false;
  const mismatch = term.mismatchLabelKeys.flatMap((key) => requirementOn(key, 'NotIn', owner));
  const selector = [...withMatchLabelKeys(term.selector, term.matchLabelKeys, owner), ...mismatch];
  return matchesSelector(selector, other.labels) ? selectsNamespace(term, owner, other) : false;
}

/** Whether labels that a controller adds could make the term mean pods with these. */
export function mayMean({ selector }: Pick<PodAffinityTerm, 'selector'>, labels: Labels): boolean {
  const holds = (requirement: Requirement): boolean =>
    isAddedByController(requirement.key) || matchesRequirement(requirement, labels.get(requirement.key));
  return selector?.every(holds) ?? false;
}

/** What to compare a pod with the term takes at most, in operations of a budget. */
export function operationsToCompare(term: PodAffinityTerm): number {
  const { selector = [], namespaces, namespaceSelector = [], matchLabelKeys, mismatchLabelKeys } = term;
  const asked = selector.length + namespaceSelector.length;
  return 5 + 2 * (asked + matchLabelKeys.length + mismatchLabelKeys.length) + namespaces.length;
}

/** Without namespaces and selector a term means its pod's own namespace; an empty selector means all. */
function selectsNamespace(
  { namespaces, namespaceSelector }: PodAffinityTerm,
  owner: LabelledPod,
  { namespace, namespaceLabels }: LabelledPod,
): boolean | undefined {
  if (namespaces.includes(namespace)) return true;
  if (namespaceSelector === undefined) return namespaces.length === 0 && owner.namespace === namespace;
  if (namespaceSelector.length === 0) return true;
  return namespaceLabels.known ? matchesSelector(namespaceSelector, namespaceLabels.value) : undefined;
}

/** `pkg/registry/core/pod/strategy.go:applyMatchLabelKeysAndMismatchLabelKeys`: the pod's own value joins the selector. */
export function withMatchLabelKeys(
  selector: LabelSelector,
  keys: readonly string[],
  owner: LabelledPod,
): LabelSelector {
  return [...selector, ...keys.flatMap((key) => requirementOn(key, 'In', owner))];
}

function requirementOn(key: string, operator: 'In' | 'NotIn', owner: LabelledPod): LabelSelector {
  const value = owner.labels.get(key);
  return value === undefined ? [] : [{ key, operator, values: [value] }];
}
