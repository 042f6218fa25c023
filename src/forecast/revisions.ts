import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { sameJson } from '../objects/same-json.ts';
import type { OwnPods } from './parts.ts';
import type { Running } from './running.ts';

/** By number: before, as asked for, the same for the rollout after that; and what a hanging update was to replace, taken for the one before. */
export const [BEFORE, AFTER, NEXT, OLDER] = [0, 1, 2, 3];

/** The pods of the workload in each of those templates, as far as there are any. */
export function templatesOf(
  facts: WorkloadFacts,
  { before, places }: Running,
  { isSame, most }: { readonly isSame: boolean; readonly most: number },
): readonly OwnPods[] {
  const { workload } = facts;
  const numbered = workload.kind === 'StatefulSet' || workload.indexed ? most : undefined;
  const countsCordons = places !== undefined && !workload.onEveryNode;
  const hasNext = places === undefined || before === undefined;
  const mayHang = before?.workload.isRollingOut === true && places === undefined && !isSame;
  const areThere = before !== undefined && !isSame;
  return [
    { facts: before ?? facts, revision: 'old', ordinals: areThere ? numbered : 0, countsCordons, areThere },
    { facts, revision: 'new', ordinals: numbered, countsCordons, areThere: false },
    { facts, revision: 'old', ordinals: hasNext ? numbered : 0, countsCordons, areThere: false },
    ...(mayHang
      ? [{ facts: before, revision: 'older' as const, ordinals: numbered, countsCordons, areThere: true }]
      : []),
  ];
}

/** Whether the old pods are as the new ones, but for what nobody looks at. Both are read from the same snapshot. */
export function areAlike(before: WorkloadFacts, facts: WorkloadFacts): boolean {
  const [{ labels: old, ...template }, { labels, ...other }] = [before.workload.template, facts.workload.template];
  return (
    before.workload.replicas === facts.workload.replicas &&
    old.size === labels.size &&
    [...labels].every(([label, value]) => old.get(label) === value) &&
    sameJson(template, other, facts.budget)
  );
}
