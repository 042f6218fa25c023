import type { Place } from '../../facts/claim.ts';
import type { NodeSearch } from '../../facts/node-search.ts';
import type { Node } from '../../objects/node.ts';
import type { Asker, NodeFilter } from './filter.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeResourcesFit } from './node-resources-fit.ts';
import { taintToleration } from './taint-toleration.ts';
import { deletedClaims, reachOf, volumeBinding } from './volume-binding.ts';
import { volumeZone } from './volume-zone.ts';

/** What a pod passes on a node, as bits. */
export const SELECTED = 1;
export const TOLERATED = 2;
/** Its volumes can be used there. */
export const USABLE = 4;
/** It would have room there if the node were empty. */
const ROOM = 8;

const ALL = SELECTED + TOLERATED + USABLE + ROOM;

const FILTERS: readonly (readonly [passed: number, filters: readonly NodeFilter[]])[] = [
  [SELECTED, [nodeAffinity]],
  [TOLERATED, [taintToleration]],
  [USABLE, [volumeZone, volumeBinding, deletedClaims]],
  [ROOM, [nodeResourcesFit]],
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

/** So many places of one node are compared with a node in the time of one operation. */
const PLACES_OF_AN_OPERATION = 16;

/** What a look at one node takes for one pod, but for what the search for nodes counts. */
const OPERATIONS_OF_AN_ASKER = 3;

/** What every node says to these pods, and about these places. A place of one node is like any other of one, in the same pools. */
export function nodeFilters(
  askers: readonly Asker[],
  places: ReadonlyMap<Place, string>,
  nodes: NodeSearch,
): (node: Node) => Verdict {
  const filters = askers.map((asker) => testsOf(asker, nodes));
  const requests = askers.reduce((sum, { template }) => sum + template.requests.length, 0);
  const operations = OPERATIONS_OF_AN_ASKER * askers.length + requests;
  const isSpread = askers.map(({ template }) => template.spread.length > 0);
  const reaches = [...places].map(([place, pools]) => ({ ...reachOf(place, nodes), pools }));
  return (node) => {
    nodes.budget.spend(operations);
    const passed = filters.map((tests) => passedOf(node, tests));
    nodes.budget.spend(reaches.length / PLACES_OF_AN_OPERATION);
    const isUsable = reaches.map((reach) => reach.isUsable(node));
    const usable = reaches.map(({ isOfOne, pools }, at) => (isOfOne ? pools : at)).filter((_, at) => isUsable[at]);
    return {
      key: reaches.length === 0 ? passed.join() : JSON.stringify([passed, usable]),
      passed,
      isUsable,
      isOfUse: passed.some(
        (bits, asker) => isSelected(bits) || (isSpread[asker] && (bits & (SELECTED + TOLERATED)) > 0),
      ),
    };
  };
}

interface Test {
  readonly passed: number;
  readonly test: (node: Node) => boolean;
}

function testsOf(asker: Asker, nodes: NodeSearch): readonly Test[] {
  const tests: Test[] = [];
  for (const [passed, filters] of FILTERS) {
    for (const filter of filters) {
      const test = filter(asker, nodes);
      if (test !== undefined) tests.push({ passed, test });
    }
  }
  return tests;
}

function passedOf(node: Node, tests: readonly Test[]): number {
  let bits = ALL;
  for (const { passed, test } of tests) if ((bits & passed) > 0 && !test(node)) bits -= passed;
  return bits;
}

/** Where nothing is known of nodes, each takes every pod. */
export function anyVerdict(askers: readonly Asker[], places: ReadonlyMap<Place, string>): Verdict {
  return {
    key: '',
    passed: askers.map(() => ALL),
    isUsable: [...places].map(() => true),
    isOfUse: true,
  };
}

const WILLING = SELECTED + TOLERATED + ROOM;

/** Whether the node would take the pod but for its volumes and for other pods. */
export function isSelected(passed: number): boolean {
  return (passed & WILLING) === WILLING;
}
