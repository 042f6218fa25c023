import type { Pod } from '../objects/pod.ts';

/** How many of some pods are on which nodes. */
export interface Places {
  readonly byNode: ReadonlyMap<string, number>;
  /** One of them. */
  readonly first: Pod | undefined;
}

/** Those that have no node yet are nowhere. */
export function placesOf(pods: readonly Pod[]): Places {
  const byNode = new Map<string, number>();
  for (const { nodeName } of pods) {
    if (nodeName !== undefined) byNode.set(nodeName, (byNode.get(nodeName) ?? 0) + 1);
  }
  return { byNode, first: pods.find(({ nodeName }) => nodeName !== undefined) };
}

/** Pods that may be the same ones, or in part. */
export function alsoIn(places: Places, others: Places): Places {
  const byNode = new Map(places.byNode);
  for (const [node, count] of others.byNode) byNode.set(node, Math.max(count, byNode.get(node) ?? 0));
  return { byNode, first: places.first ?? others.first };
}

export function countOf({ byNode }: Places): number {
  let count = 0;
  for (const pods of byNode.values()) count += pods;
  return count;
}

/** How many nodes are named. */
const MOST_NODES = 3;

/** As in `2 pods are on a, b`. */
export function placesInWords(places: Places): string {
  const nodes = [...places.byNode.keys()].sort();
  if (nodes.length === 0) return 'none of its pods runs';
  const more = nodes.length - MOST_NODES;
  const named = `${nodes.slice(0, MOST_NODES).join(', ')}${more > 0 ? ` and ${more} more nodes` : ''}`;
  const count = countOf(places);
  if (count === 1) return `pod ${places.first?.name ?? ''} is on ${named}`;
  return nodes.length === 1 ? `all ${count} pods are on ${named}` : `${count} pods are on ${named}`;
}
