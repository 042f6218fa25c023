import type { Budget } from '../budget.ts';
import { type LabelTest, labelTests } from '../objects/label-test.ts';
import type { Node } from '../objects/node.ts';
import type { NodeSelectorTerm } from '../objects/selector.ts';
import type { NodeIndex, Shape } from './node-index.ts';

/** How many nodes of one shape match: all, none, or some, which only a look at each tells. */
export type Share = 'all' | 'some' | 'none';

interface Term {
  readonly labels: readonly LabelTest[];
  /** Tests of the node's name. */
  readonly names: readonly LabelTest[];
}

/** Alternatives of a selector, one of which a node has to match, worked out once for all nodes. */
export class NodeChoice {
  readonly #terms: readonly Term[];
  readonly #index: NodeIndex;
  readonly #budget: Budget;
  readonly #shares = new Map<Shape, Share>();
  #named: ReadonlyMap<string, Node> | 'not all' | undefined;

  /** A term without any requirement matches no node (`component-helpers/scheduling/corev1/nodeaffinity`). */
  constructor(terms: readonly NodeSelectorTerm[], index: NodeIndex, budget: Budget) {
    this.#index = index;
    this.#budget = budget;
    this.#terms = terms
      .filter(({ expressions, fields }) => expressions.length + fields.length > 0)
      .map(({ expressions, fields }) => ({ labels: labelTests(expressions), names: labelTests(fields) }));
  }

  /** The nodes that match, where every alternative names its nodes by what identifies them. */
  named(): ReadonlyMap<string, Node> | undefined {
    this.#named ??= this.#namedByAll() ?? 'not all';
    return this.#named === 'not all' ? undefined : this.#named;
  }

  matches(node: Node): boolean {
    const named = this.named();
    if (named !== undefined) return named.has(node.name);
    return this.#terms.some((term) => this.#matchesTerm(node, term));
  }

  of(shape: Shape, first: Node): Share {
    const known = this.#shares.get(shape);
    if (known !== undefined) return known;
    let share: Share = 'none';
    for (const term of this.#terms) {
      const one = this.#ofTerm(term, first);
      if (one !== 'none') share = one;
      if (one === 'all') break;
    }
    this.#shares.set(shape, share);
    return share;
  }

  #ofTerm({ labels, names }: Term, first: Node): Share {
    let share: Share = names.length > 0 ? 'some' : 'all';
    for (const label of labels) {
      this.#budget.spend();
      if (!label.onlyPresence && this.#index.isIdentifying(label.key)) share = 'some';
      else if (!label.holds(first.labels.get(label.key))) return 'none';
    }
    return share;
  }

  #matchesTerm(node: Node, { labels, names }: Term): boolean {
    this.#budget.spend(labels.length + names.length);
    return (
      labels.every((test) => test.holds(node.labels.get(test.key))) && names.every((test) => test.holds(node.name))
    );
  }

  #namedByAll(): ReadonlyMap<string, Node> | undefined {
    const found = new Map<string, Node>();
    for (const term of this.#terms) {
      const named = this.#namedBy(term);
      if (named === undefined) return undefined;
      for (const node of named) if (this.#matchesTerm(node, term)) found.set(node.name, node);
    }
    return found;
  }

  #namedBy({ labels, names }: Term): readonly Node[] | undefined {
    for (const { accepted } of names) {
      if (accepted !== undefined) return this.#each(accepted, (name) => this.#index.get(name) ?? []);
    }
    for (const { key, accepted } of labels) {
      if (accepted === undefined || !this.#index.isIdentifying(key)) continue;
      return this.#each(accepted, (value) => [...this.#index.nodesWith(key, value)]);
    }
    return undefined;
  }

  #each(values: ReadonlySet<string>, nodesOf: (value: string) => Node | readonly Node[]): readonly Node[] {
    this.#budget.spend(values.size);
    return [...values].flatMap(nodesOf);
  }
}
