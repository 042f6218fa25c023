import { Budget } from '../budget.ts';
import type { Claim } from '../facts/claim.ts';
import { claimByName } from '../facts/claim-facts.ts';
import { gathering } from '../facts/gather.ts';
import type { Standings } from './judge-standing.ts';

/** What is known of one claim by itself; nothing where that takes more than a review has. */
export function claimNow(
  namespace: string,
  claim: string,
  { snapshot, matrix }: Pick<Standings, 'snapshot' | 'matrix'>,
): Claim | undefined {
  const budget = new Budget();
  return budget.answer(
    () => gathering(snapshot, matrix, budget, (reading) => claimByName(namespace, claim, reading)).facts,
    undefined,
  );
}
