import type { Cluster, Volume } from '../cluster.ts';

/** More than these are not looked at: the places that several volumes of one pool have together. */
const MOST_CHOICES = 128;

/**
 * The places, by number, that the volumes which are one may have together: each of one pool, so that it is one place for all of
 * them, or of those that one node can use any few.
 */
export function choicesOf({ claim: { onceBound }, names }: Volume, cluster: Cluster): readonly (readonly number[])[] {
  if (onceBound?.type !== 'place') return [];
  const { nodes, usableIn, budget } = cluster;
  const singles = onceBound.places.map((_, place) => [place]);
  if (names.length === 1) return singles;
  const choices = new Map<string, readonly number[]>();
  const usable = onceBound.places.map((place) => usableIn.get(place) ?? []);
  budget.spend(nodes.length * usable.length);
  for (const node of nodes.keys()) {
    let some: readonly (readonly number[])[] = [[]];
    for (const [place, by] of usable.entries()) {
      if (!by[node]) continue;
      some = [...some, ...some.filter(({ length }) => length < names.length).map((few) => [...few, place])];
      budget.spend(some.length);
      if (some.length + choices.size <= MOST_CHOICES) continue;
      budget.giveUp();
      return singles;
    }
    for (const few of some) if (few.length > 1) choices.set(few.join(), few);
  }
  return [...singles, ...choices.values()];
}
