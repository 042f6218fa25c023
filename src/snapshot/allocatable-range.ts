import type { Node } from '../objects/node.ts';

/** What some nodes have for pods. */
export class AllocatableRange {
  readonly #byResource = new Map<string, { nodes: number; least: number; most: number }>();
  #said = 0;
  #unsaid = 0;

  constructor(nodes: Iterable<Pick<Node, 'allocatable'>>) {
    for (const { allocatable } of nodes) {
      if (allocatable === undefined) this.#unsaid++;
      else this.#said++;
      for (const [resource, amount] of allocatable ?? []) this.#add(resource, amount);
    }
  }

  /** Whether so much of a resource is there on some of the nodes and not on others. A node of which nobody says it has enough. */
  isOnSome(resource: string, amount: number): boolean {
    const { nodes, least, most } = this.#byResource.get(resource) ?? NOWHERE;
    const isOnAll = amount <= (nodes < this.#said ? 0 : least);
    const isOnAny = this.#unsaid > 0 || amount <= most;
    return isOnAny && !isOnAll;
  }

  #add(resource: string, amount: number): void {
    const known = this.#byResource.get(resource) ?? { ...NOWHERE };
    known.nodes++;
    known.least = Math.min(known.least, amount);
    known.most = Math.max(known.most, amount);
    this.#byResource.set(resource, known);
  }
}

const NOWHERE = { nodes: 0, least: Number.POSITIVE_INFINITY, most: 0 };
