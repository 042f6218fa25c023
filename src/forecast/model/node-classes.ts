import type { NodeSearch } from '../../facts/node-search.ts';
import type { Node } from '../../objects/node.ts';
import { MOST_NODES } from './state.ts';

/** The nodes that a question is about, and which of them are alike as long as nothing is on them. */
export interface NodeClasses {
  readonly names: readonly string[];
  /** Nothing for a name that no node has. */
  readonly nodes: readonly (Node | undefined)[];
  /** Nodes with the same number are alike. */
  readonly alike: readonly number[];
}

/** What tells nodes apart. */
export interface Distinctions {
  /** One letter for each filter that does not depend on other pods, by whether the node passes. */
  readonly filters: (node: Node) => string;
  /** Labels by which pods are brought together or kept apart, or volumes are placed. */
  readonly topologyKeys: readonly string[];
  /** Nodes that are meant by their name: pods are there, or are to be. */
  readonly named: ReadonlySet<string>;
  /** So many nodes of a class are enough: one for each pod that there can be, and one that stays empty. */
  readonly most: number;
}

/** `undefined` where there are too many to look at. */
export function nodeClasses(
  index: Pick<NodeSearch, 'names' | 'get'>,
  distinctions: Distinctions,
): NodeClasses | undefined {
  const { filters, topologyKeys, named, most } = distinctions;
  const all = [...index.names()].flatMap((name) => index.get(name) ?? []);
  const counts = topologyKeys.map((key) => countsOf(all, key));
  const groups = new Map<string, { readonly group: number; count: number }>();
  const [names, nodes, alike]: [string[], (Node | undefined)[], number[]] = [[], [], []];
  for (const node of all) {
    const passed = filters(node);
    const isNamed = named.has(node.name);
    if (!isNamed && !passed.includes('1')) continue;
    const domains = topologyKeys.map((key, at) => domainIn(node, key, counts[at]));
    const key = JSON.stringify([passed, isNamed ? node.name : null, ...domains]);
    const group = groups.get(key) ?? { group: groups.size, count: 0 };
    groups.set(key, group);
    if (!isNamed && group.count >= most) continue;
    group.count++;
    names.push(node.name);
    nodes.push(node);
    alike.push(group.group);
  }
  for (const name of named) {
    if (names.includes(name)) continue;
    names.push(name);
    nodes.push(undefined);
    alike.push(groups.size + names.length);
  }
  return names.length > MOST_NODES ? undefined : { names, nodes, alike };
}

function countsOf(nodes: readonly Node[], key: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { labels } of nodes) {
    const value = labels.get(key);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** A domain of one node is like any other of one node: a number stands for it, which no label is. */
function domainIn(
  { labels }: Node,
  key: string,
  counts: ReadonlyMap<string, number> | undefined,
): string | number | null {
  const value = labels.get(key);
  if (value === undefined) return null;
  return counts?.get(value) === 1 ? 1 : value;
}
