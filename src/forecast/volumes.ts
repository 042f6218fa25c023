import type { Claim, OnceBound } from '../facts/claim.ts';
import { type Assumption, exclusivityOf, isAttachedToOne } from './assumption.ts';
import type { HeldClaim, Volume } from './cluster.ts';

/** What the pods of some lists of claims hold. */
export interface Held {
  readonly volumes: readonly Volume[];
  readonly byList: ReadonlyMap<readonly Claim[], readonly HeldClaim[]>;
}

/**
 * The volumes of pods that have these lists of claims. Volumes that are on the same lists, and that controllers treat alike, are
 * one: whoever waits for one of them may as well wait for the others.
 */
export function heldVolumes(lists: readonly (readonly Claim[])[], assumption: Assumption): Held {
  const distinct = [...new Set(lists)];
  const holders = new Map<string, { readonly claim: Claim; lists: string }>();
  for (const [number, claims] of distinct.entries()) {
    for (const claim of claims) {
      const known = holders.get(claim.identity) ?? { claim, lists: '' };
      known.lists += claim.unmounted ? ` ${number}-` : ` ${number}`;
      holders.set(claim.identity, known);
    }
  }
  const volumes: (Volume & { readonly names: string[] })[] = [];
  const numbers = new Map<string, number>();
  const pools: OnceBound[] = [];
  const byIdentity = new Map<string, number>();
  for (const [identity, { claim, lists }] of holders) {
    const isForOnePod = exclusivityOf(claim, assumption) === 'one-pod';
    const volume = { claim, names: [], isAttachedToOne: isAttachedToOne(claim, assumption), isForOnePod };
    const key = `${volume.isAttachedToOne} ${isForOnePod} ${placedBy(claim, pools)}${lists}`;
    const number = numbers.get(key) ?? volumes.push(volume) - 1;
    numbers.set(key, number);
    byIdentity.set(identity, number);
    volumes[number]?.names.push(claim.name);
  }
  const held = (claims: readonly Claim[]): readonly HeldClaim[] =>
    claims.map((claim) => ({ claim, volume: byIdentity.get(claim.identity) ?? -1 }));
  return { volumes, byList: new Map(distinct.map((claims) => [claims, held(claims)])) };
}

/** Alike for volumes that get their places in the same way. */
function placedBy({ onceBound }: Claim, pools: OnceBound[]): string {
  if (onceBound === undefined) return '';
  if (onceBound.type === 'domain') return onceBound.topology;
  const known = pools.indexOf(onceBound);
  return `pool ${known < 0 ? pools.push(onceBound) - 1 : known}`;
}
