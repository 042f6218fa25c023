import { setImmediate } from 'node:timers/promises';
import { claimUse } from '../recovery/assemble.ts';
import { diagnose } from '../recovery/diagnose.ts';
import { byGravity, type Diagnosis, isFine } from '../recovery/diagnosis.ts';
import type { Inventory } from '../recovery/inventory.ts';
import { readInventory, type Sight, withOwners } from './read-claim-use.ts';

/** The claims of a cluster that somebody waits for, or that are going. */
export interface StuckClaims {
  /** How many claims are in use at all. */
  readonly inUse: number;
  /** The worst first, and no more than `MOST_TOLD`. */
  readonly stuck: readonly Diagnosis[];
  readonly more: number;
  readonly unseen: readonly string[];
  /** Whether claims and pods could be read at all. */
  readonly isComplete: boolean;
}

/** As many as one person reads; owners that are not listed are asked for these alone. */
const MOST_TOLD = 100;

/** Diagnosing one claim takes microseconds; after so many, whoever else waits goes first. */
const AT_ONCE = 1000;

/** Everything that is stuck, in one namespace or in all. Rejects only where the API server cannot be reached. */
export async function stuckClaims(sight: Sight, namespace?: string): Promise<StuckClaims> {
  const inventory = await readInventory(sight, namespace);
  const refs = inventory.claimsInUse();
  const stuck: Diagnosis[] = [];
  const seesPods = inventory.reading('pods', namespace).known;
  for (const [index, ref] of refs.entries()) {
    const diagnosis = diagnose(claimUse(inventory, ref, sight.now()));
    const isOpen = diagnosis.case === 'not-told' && !seesPods; // of every claim, then, which is told once
    if (!isFine(diagnosis) && !isOpen) stuck.push(diagnosis);
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
  }
  const worst = stuck.toSorted(byGravity).slice(0, MOST_TOLD);
  const told: Diagnosis[] = [];
  for (const { claim } of worst) told.push(diagnose(await withOwners(sight, inventory, claim)));
  return {
    inUse: refs.length,
    stuck: told.toSorted(byGravity),
    more: stuck.length - worst.length,
    ...sightOf(inventory, namespace),
  };
}

function sightOf(inventory: Inventory, namespace = ''): Pick<StuckClaims, 'unseen' | 'isComplete'> {
  const needed = ['persistentvolumeclaims', 'pods'] as const;
  return {
    unseen: inventory.unseen(),
    isComplete: needed.every((list) => inventory.reading(list, namespace).known),
  };
}
