import type { Plan } from './plan.ts';
import { disagreementsIn, play, type Result } from './play.ts';
import type { Stage } from './stage.ts';

/** A disagreement made smaller, word by word, for as long as it stays one. */
export async function shrunk(stage: Stage, found: Result): Promise<Result> {
  let smallest = found;
  for (let round = 1; ; round++) {
    const smaller = await firstThatDisagrees(stage, smallest, round);
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

async function firstThatDisagrees(stage: Stage, result: Result, round: number): Promise<Result | undefined> {
  // All at once: each takes seconds, and most of them agree.
  const wanted = disagreementsIn(result);
  const remedies = wanted.includes('remedy did not help');
  const tried = await Promise.all(
    smallerPlans(result.plan).map((plan, index) =>
      play(stage, { ...plan, id: `${originOf(plan)}-r${round}-${index}` }, { remedies }),
    ),
  );
  return tried.find((smaller) => disagreementsIn(smaller).some((kind) => wanted.includes(kind)));
}

function originOf({ id }: Plan): string {
  return id.replace(/-r\d+-\d+$/, '');
}

function smallerPlans(plan: Plan): readonly Plan[] {
  const { traits, storage, nodes, replicas, strategy, from } = plan;
  const plans: Plan[] = traits.map((_, index) => ({ ...plan, traits: traits.toSpliced(index, 1) }));
  if (storage !== 'csi') plans.push({ ...plan, storage: 'csi' });
  if (nodes > 2) plans.push({ ...plan, nodes: nodes - 1 });
  if (replicas > 1 && from < replicas - 1) plans.push({ ...plan, replicas: replicas - 1 });
  if (replicas > 1 && plan.action !== 'scale') plans.push({ ...plan, replicas: replicas - 1, from: replicas - 1 });
  if (strategy !== '1/0' && strategy !== 'Recreate') plans.push({ ...plan, strategy: '1/0' });
  return plans;
}
