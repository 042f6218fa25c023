import type { Budget } from '../budget.ts';
import { isTransient, type Node } from '../objects/node.ts';
import type { Tolerated } from '../objects/tolerated.ts';
import type { Taint } from '../objects/toleration.ts';
import { currentLabel, ZONE_LABELS } from '../objects/zone.ts';
import type { NodeChoice } from './node-choice.ts';
import type { NodeIndex, Shape } from './node-index.ts';
import type { NodeQuery } from './node-query.ts';

/** What a cordon comes to (`scheduler/framework/plugins/nodeunschedulable:Filter`). */
const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

/** What is left to look at on each node of a shape of which some may fit. */
interface Left {
  readonly choices: readonly NodeChoice[];
  readonly zones: boolean;
}

const NOTHING_LEFT: Left = { choices: [], zones: false };

/** One query, worked out: what its shapes of nodes come to is kept. */
export class AskedNodes {
  /** Two queries have the same id if they ask for the same. */
  readonly id: string;
  readonly #choices: readonly NodeChoice[];
  readonly #zones: NodeQuery['zones'];
  readonly #tolerated: Tolerated;
  readonly #countsTransient: boolean;
  readonly #index: NodeIndex;
  readonly #budget: Budget;
  readonly #left = new Map<Shape, Left | 'none'>();

  constructor(
    id: string,
    { choices, zones, tolerated, countsTransient }: AskedFor,
    { index, budget }: { readonly index: NodeIndex; readonly budget: Budget },
  ) {
    this.id = id;
    this.#choices = choices;
    this.#zones = zones;
    this.#tolerated = tolerated;
    this.#countsTransient = countsTransient;
    this.#index = index;
    this.#budget = budget;
  }

  /** The fewest nodes that one of the choices names; `undefined` where none does. */
  named(): ReadonlyMap<string, Node> | undefined {
    let fewest: ReadonlyMap<string, Node> | undefined;
    for (const choice of this.#choices) {
      const named = choice.named();
      if (named !== undefined && (fewest === undefined || named.size < fewest.size)) fewest = named;
    }
    return fewest;
  }

  fits(node: Node): boolean {
    this.#budget.spend(1 + this.#choices.length);
    return !this.#isRepelled(node) && this.#isInZones(node) && this.#choices.every((choice) => choice.matches(node));
  }

  /** Whether no node of the shape fits. */
  isNone(shape: Shape): boolean {
    return this.#leftOf(shape) === 'none';
  }

  /** Whether every node of the shape fits, without a look at each. */
  isAll(shape: Shape): boolean {
    return this.#leftOf(shape) === NOTHING_LEFT;
  }

  /** Whether a node of this shape fits, as `fits` says, without testing again what its shape has settled. */
  fitsIn(shape: Shape, node: Node): boolean {
    const left = this.#leftOf(shape);
    if (left === 'none' || left === NOTHING_LEFT) return left !== 'none';
    this.#budget.spend(1 + left.choices.length);
    if (this.#countsTransient && this.#isRepelled(node)) return false;
    return (!left.zones || this.#isInZones(node)) && left.choices.every((choice) => choice.matches(node));
  }

  #leftOf(shape: Shape): Left | 'none' {
    const known = this.#left.get(shape);
    if (known !== undefined) return known;
    const left = this.#worthLooking(shape);
    this.#left.set(shape, left);
    return left;
  }

  #worthLooking(shape: Shape): Left | 'none' {
    this.#budget.spend(1 + this.#choices.length);
    const [first] = shape.values();
    if (first === undefined || this.#isRepelled(first, false)) return 'none';
    const zones = this.#zones.length > 0 && ZONE_LABELS.some((label) => this.#index.isIdentifying(label));
    if (!zones && !this.#isInZones(first)) return 'none';
    const choices: NodeChoice[] = [];
    for (const choice of this.#choices) {
      const share = choice.of(shape, first);
      if (share === 'none') return 'none';
      if (share === 'some') choices.push(choice);
    }
    return choices.length === 0 && !zones && !this.#countsTransient ? NOTHING_LEFT : { choices, zones };
  }

  #isRepelled({ taints, unschedulable }: Node, countsTransient = this.#countsTransient): boolean {
    if (taints.some((taint) => (countsTransient || !isTransient(taint)) && this.#tolerated.isRepelledBy(taint)))
      return true;
    return countsTransient && unschedulable && this.#tolerated.isRepelledBy(CORDON);
  }

  #isInZones(node: Node): boolean {
    return this.#zones.every((zones) => inZone(node, zones));
  }
}

/** The parts of a query, each worked out. */
export interface AskedFor {
  readonly choices: readonly NodeChoice[];
  readonly zones: NodeQuery['zones'];
  readonly tolerated: Tolerated;
  readonly countsTransient: boolean;
}

/**
 * `scheduler/framework/plugins/volumezone:Filter`: a node without any zone or region label passes, any other needs
 * every label of the volume. A beta label of the volume also finds its successor on the node.
 */
function inZone({ labels }: Node, zones: ReadonlyMap<string, readonly string[]>): boolean {
  if (!ZONE_LABELS.some((label) => labels.has(label))) return true;
  for (const [label, allowed] of zones) {
    const value = labels.get(label) ?? labels.get(currentLabel(label));
    if (value === undefined || !allowed.includes(value)) return false;
  }
  return true;
}
