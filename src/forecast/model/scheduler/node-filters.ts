import type { Place } from '../../../facts/claim.ts';
import type { Node } from '../../../facts/node.ts';
import type { NodeSearch } from '../../../facts/node-search.ts';
import type { Asker, NodeFilter } from './filter.ts';
import { nodeAffinity } from './node-affinity.ts';
import { taintToleration } from './taint-toleration.ts';
import { placeFilter, volumeBinding } from './volume-binding.ts';
import { volumeZone } from './volume-zone.ts';

/** What a pod passes on a node, as bits. */
export const SELECTED = 1;
export const TOLERATED = 2;
/** Its volumes can be used there. */
export const USABLE = 4;

const FILTERS: readonly (readonly [passed: number, filters: readonly NodeFilter[]])[] = [
  [SELECTED, [nodeAffinity]],
  [TOLERATED, [taintToleration]],
  [USABLE, [volumeZone, volumeBinding]],
];

/** What the filters that look at nothing else say of a node. */
export interface Verdict {
  /** Alike for nodes of which they say the same. */
  readonly key: string;
  /** By pod that asks, what it passes. */
  readonly passed: readonly number[];
  /** By place of a volume that is still to be made or taken, whether it can be used there. */
  readonly isUsable: readonly boolean[];
  /** Whether some pod could be there but for volumes and other pods, or some spread counts it. */
  readonly isOfUse: boolean;
}

/** What a look at one node takes for one pod, but for what the search for nodes counts. */
const OPERATIONS_OF_AN_ASKER = 3;

/** What every node says to these pods, and about these places. */
export function nodeFilters(
  askers: readonly Asker[],
  places: readonly Place[],
  nodes: NodeSearch,
): (node: Node) => Verdict {
  const filters = askers.map((asker) =>
    FILTERS.map(([passed, each]) => ({ passed, tests: each.flatMap((filter) => filter(asker, nodes) ?? []) })),
  );
  const isSpread = askers.map(({ template }) => template.spread.length > 0);
  const usable = places.map((place) => placeFilter(place, nodes));
  return (node) => {
    nodes.budget.spend(OPERATIONS_OF_AN_ASKER * askers.length);
    const passed = filters.map((ofAsker) =>
      ofAsker.reduce((sum, filter) => sum + (filter.tests.every((test) => test(node)) ? filter.passed : 0), 0),
    );
    const isUsable = usable.map((test) => test(node));
    return {
      key: `${passed.join('')}${isUsable.map(Number).join('')}`,
      passed,
      isUsable,
      isOfUse: passed.some((bits, asker) => isSelected(bits) || (isSpread[asker] && (bits & ~USABLE) > 0)),
    };
  };
}

/** Where nothing is known of nodes, each takes every pod. */
export function anyVerdict(askers: readonly Asker[], places: readonly Place[]): Verdict {
  return {
    key: '',
    passed: askers.map(() => SELECTED + TOLERATED + USABLE),
    isUsable: places.map(() => true),
    isOfUse: true,
  };
}

/** Whether the node would take the pod but for its volumes and for other pods. */
export function isSelected(passed: number): boolean {
  return (passed & SELECTED) > 0 && (passed & TOLERATED) > 0;
}
