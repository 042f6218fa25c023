import type { Budget } from '../budget.ts';
import { sameJson } from '../objects/same-json.ts';
import type { PodDraft } from './pod-class.ts';

/**
 * For each of the pods of others one that stands for it: those that hold nothing, ask for the same and have the same labels, as
 * far as a selector of anybody names them, are alike.
 */
export function alikeOnce(others: readonly PodDraft[], own: readonly PodDraft[], budget: Budget): readonly PodDraft[] {
  if (others.length < 2) return others;
  const keys = keysOfSelectors([...own, ...others], budget);
  const known = new Map<string, PodDraft[]>();
  return others.map((one) => {
    if (one.claims.length > 0 || one.facts.workload.onEveryNode) return one;
    budget.spend(keys.length);
    const key = JSON.stringify([one.namespace, keys.map((name) => one.labels.get(name) ?? null)]);
    const some = known.get(key) ?? [];
    known.set(key, some);
    const same = some.find((other) => askTheSame(one, other, budget));
    if (same === undefined) some.push(one);
    return same ?? one;
  });
}

function askTheSame({ template: one }: PodDraft, { template: other }: PodDraft, budget: Budget): boolean {
  const [{ labels: _, ...asked }, { labels: __, ...theirs }] = [one, other];
  return sameJson(asked, theirs, budget);
}

function keysOfSelectors(pods: readonly PodDraft[], budget: Budget): readonly string[] {
  const keys = new Set<string>();
  const add = (names: readonly string[]): void => {
    budget.spend(1 + names.length);
    for (const name of names) keys.add(name);
  };
  for (const { podAffinity, podAntiAffinity, spread } of new Set(pods.map(({ template }) => template))) {
    for (const term of [...podAffinity, ...podAntiAffinity]) add(term.mismatchLabelKeys);
    for (const { selector = [], matchLabelKeys } of [...podAffinity, ...podAntiAffinity, ...spread]) {
      add(matchLabelKeys);
      add(selector.map(({ key }) => key));
    }
  }
  return [...keys];
}
