import type { Budget } from '../budget.ts';
import type { NodeSelectorTerm } from '../objects/selector.ts';
import { Tolerated } from '../objects/tolerated.ts';
import type { Toleration } from '../objects/toleration.ts';
import { AskedNodes } from './asked-nodes.ts';
import { Memo } from './memo.ts';
import { NodeChoice } from './node-choice.ts';
import type { NodeIndex } from './node-index.ts';
import type { NodeQuery } from './node-query.ts';

type Zones = NodeQuery['zones'][number];

/** Queries of one review, each worked out once: those that ask for the same are one. */
export class NodeQueries {
  readonly #index: NodeIndex;
  readonly #budget: Budget;
  readonly #asked = new Memo<NodeQuery, AskedNodes>();
  readonly #byId = new Map<string, AskedNodes>();
  readonly #choices: Alike<readonly NodeSelectorTerm[], NodeChoice>;
  readonly #zones: Alike<Zones, Zones>;
  readonly #tolerations: Alike<readonly Toleration[], Tolerated>;

  constructor(index: NodeIndex, budget: Budget) {
    this.#index = index;
    this.#budget = budget;
    this.#choices = new Alike((terms) => new NodeChoice(terms, index, budget), JSON.stringify, budget);
    this.#zones = new Alike(
      (zones) => zones,
      (zones) => JSON.stringify([...zones]),
      budget,
    );
    this.#tolerations = new Alike((tolerations) => new Tolerated(tolerations, budget), JSON.stringify, budget);
  }

  of(query: NodeQuery): AskedNodes {
    return this.#asked.of(query, (one) => this.#work(one));
  }

  #work({ selectors, zones, tolerations, countsTransient }: NodeQuery): AskedNodes {
    this.#budget.spend(4 + selectors.length + zones.length);
    const choices = distinct(selectors, this.#choices);
    const said = zones.filter(({ size }) => size > 0);
    const allowed = distinct(said, this.#zones);
    const tolerated = this.#tolerations.of(tolerations);
    const id = `${numbersOf(choices)};${numbersOf(allowed)};${tolerated.number};${countsTransient}`;
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const parts = {
      choices: choices.map(({ value }) => value),
      zones: allowed.map(({ value }) => value),
      tolerated: tolerated.value,
      countsTransient,
    };
    const asked = new AskedNodes(id, parts, { index: this.#index, budget: this.#budget });
    this.#byId.set(id, asked);
    return asked;
  }
}

interface Numbered<Value> {
  readonly number: number;
  readonly value: Value;
}

/** What things say, each once, in the order in which it was said first. Most pods say nothing. */
function distinct<Said extends object, Value>(
  things: readonly Said[],
  alike: Alike<Said, Value>,
): readonly Numbered<Value>[] {
  return things.length === 0 ? [] : [...new Set(things.map((thing) => alike.of(thing)))];
}

/** The numbers of the parts as one text, which does not depend on their order. */
function numbersOf(parts: readonly Numbered<unknown>[]): string {
  if (parts.length === 0) return '';
  return parts
    .map(({ number }) => number)
    .sort((a, b) => a - b)
    .join();
}

/** Things that say the same are one, and have one number. */
class Alike<Said extends object, Value> {
  readonly #make: (said: Said) => Value;
  readonly #textOf: (said: Said) => string;
  readonly #budget: Budget;
  readonly #known = new Memo<Said, Numbered<Value>>();
  readonly #byText = new Map<string, Numbered<Value>>();

  constructor(make: (said: Said) => Value, textOf: (said: Said) => string, budget: Budget) {
    this.#make = make;
    this.#textOf = textOf;
    this.#budget = budget;
  }

  of(said: Said): Numbered<Value> {
    return this.#known.of(said, () => this.#byContent(said));
  }

  #byContent(said: Said): Numbered<Value> {
    const text = this.#textOf(said);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    this.#budget.spend(1 + Math.ceil(text.length / CHARACTERS_OF_AN_OPERATION));
    const made = { number: this.#byText.size, value: this.#make(said) };
    this.#byText.set(text, made);
    return made;
  }
}

/** How many characters are written, compared and taken apart in the time of one operation. */
const CHARACTERS_OF_AN_OPERATION = 16;
