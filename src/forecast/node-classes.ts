import type { NodeSearch } from '../facts/node-search.ts';
import type { Node } from '../objects/node.ts';
import type { Request } from '../objects/requests.ts';
import type { Shape } from '../snapshot/node-index.ts';
import type { Verdict } from './scheduler/node-filters.ts';
import { MOST_NODES } from './state.ts';

/** The nodes that a question is about, and which of them are alike as long as nothing is on them. */
export interface NodeClasses {
  readonly names: readonly string[];
  /** Nothing for a name that no node has. */
  readonly nodes: readonly (Node | undefined)[];
  /** Nodes with the same number are alike. */
  readonly alike: readonly number[];
  /** What the filters say of each; nothing for a name that no node has. */
  readonly verdicts: readonly (Verdict | undefined)[];
}

/** What tells nodes apart. */
export interface Distinctions {
  /** What the filters say that do not depend on other pods. */
  readonly filters: (node: Node) => Verdict;
  /** Labels by which pods are brought together or kept apart, or volumes are placed. */
  readonly topologyKeys: readonly string[];
  /** Nodes that are meant by their name: pods are there, or are to be. */
  readonly named: ReadonlySet<string>;
  /** Nodes that the filters may tell from others of their shape. */
  readonly toldApart: ReadonlySet<string> | 'each';
  /** What pods ask for, by which nodes of one shape may differ. */
  readonly requests: readonly Request[];
  /** So many nodes of a class are enough: one for each pod that there can be, and one that stays empty. */
  readonly most: number;
}

/**
 * Looks at few nodes of each shape, for those that nobody means tell each other apart by little more than their names.
 * `undefined` where there are too many that differ.
 */
export function nodeClasses(
  search: Pick<NodeSearch, 'get' | 'index' | 'budget'>,
  { filters, topologyKeys, named, toldApart, requests, most }: Distinctions,
): NodeClasses | undefined {
  const { index, budget } = search;
  const found = new Found(most);
  const domains = new Domains(index, topologyKeys);
  const operations = 1 + topologyKeys.length;
  const apart = toldApart === 'each' ? named : new Set([...named, ...toldApart]);
  for (const name of apart) {
    budget.spend(operations);
    const node = search.get(name);
    if (named.has(name)) found.addNamed(name, node, node && filters(node));
    else if (node !== undefined) found.add(node, filters(node), domains);
    if (found.isFull) return undefined;
  }
  for (const shape of index.shapes()) {
    const isEach = toldApart === 'each' || differInRoom(shape, requests, search);
    let common: Verdict | undefined;
    for (const node of shape.values()) {
      budget.spend(operations);
      if (apart.has(node.name)) continue;
      const verdict: Verdict = common ?? filters(node);
      if (!isEach) common = verdict;
      const isNew = found.add(node, verdict, domains);
      if (found.isFull) return undefined;
      if (!isNew && common !== undefined && (!common.isOfUse || !domains.differInAShape)) break;
    }
  }
  return found;
}

/** Whether some nodes of the shape have room for a pod, and others have not. */
function differInRoom(
  shape: Shape,
  requests: readonly Request[],
  { index, budget }: Pick<NodeSearch, 'index' | 'budget'>,
): boolean {
  return requests.some(([resource, amount]) => {
    budget.spend();
    return index.allocatableIn(shape).isOnSome(resource, amount);
  });
}

/** Nodes as they are found, so many of each class. */
class Found implements NodeClasses {
  readonly names: string[] = [];
  readonly nodes: (Node | undefined)[] = [];
  readonly alike: number[] = [];
  readonly verdicts: (Verdict | undefined)[] = [];
  readonly #classes = new Map<string, { readonly number: number; count: number }>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.names.length > MOST_NODES;
  }

  /** False where it is of no use to any pod, or enough are like it. */
  add(node: Node, verdict: Verdict, domains: Domains): boolean {
    if (!verdict.isOfUse) return false;
    const key = `${verdict.key} ${domains.of(node)}`;
    const known = this.#classes.get(key) ?? { number: this.#classes.size, count: 0 };
    if (known.count >= this.#most) return false;
    known.count++;
    this.#classes.set(key, known);
    this.#put(node.name, node, verdict, known.number);
    return true;
  }

  /** Like no other. */
  addNamed(name: string, node: Node | undefined, verdict: Verdict | undefined): void {
    this.#put(name, node, verdict, -1 - this.names.length);
  }

  #put(name: string, node: Node | undefined, verdict: Verdict | undefined, number: number): void {
    this.names.push(name);
    this.nodes.push(node);
    this.verdicts.push(verdict);
    this.alike.push(number);
  }
}

/** Says which domains a node is in. One of a single node is like any other of a single node. */
class Domains {
  readonly #index: NodeSearch['index'];
  readonly #keys: readonly string[];
  /** Whether nodes of one shape may be in domains that are not alike. */
  readonly differInAShape: boolean;

  constructor(index: NodeSearch['index'], keys: readonly string[]) {
    this.#index = index;
    this.#keys = keys;
    this.differInAShape = keys.some((key) => index.isIdentifying(key) && !index.tellsNodes(key));
  }

  of({ labels }: Node): string {
    if (this.#keys.length === 0) return '';
    return JSON.stringify(this.#keys.map((key) => this.#domainIn(key, labels.get(key))));
  }

  /** A number stands for a single node, which no label is. */
  #domainIn(key: string, value: string | undefined): string | number | null {
    if (value === undefined) return null;
    return this.#index.countWith(key, value) === 1 ? 1 : value;
  }
}
