import type { Node } from '../objects/node.ts';

/** The topology of which each domain is one node, whatever its labels say: a blank is in no label. */
export const NODE = 'the node';

/**
 * Stands for no label: a value may be empty, and holds no brackets
 * (`apimachinery/pkg/util/validation:IsValidLabelValue`).
 */
export const UNLABELLED = '()';

/** A domain, by how many of the nodes in question are in it, and the name of one of them. */
export interface Domain {
  readonly size: number;
  readonly name: string;
}

/** Domains of one topology or of several together, by what `domainIn` calls them. */
export type Domains = ReadonlyMap<string, Domain>;

/** What the domain of a node is called; those without a label are in one. */
export function domainIn(topologies: readonly string[], node: Pick<Node, 'name' | 'labels'>): string {
  const [only, ...others] = topologies;
  if (only !== undefined && others.length === 0) return valueIn(only, node);
  return topologies.map((key) => valueIn(key, node)).join();
}

function valueIn(topology: string, { name, labels }: Pick<Node, 'name' | 'labels'>): string {
  return topology === NODE ? name : (labels.get(topology) ?? UNLABELLED);
}

/** Domains while nodes are added to them. */
export class DomainCount {
  readonly #domains = new Map<string, { size: number; readonly name: string }>();

  get domains(): Domains {
    return this.#domains;
  }

  /** Adds a node, or as many as are alike. */
  add(domain: string, name: string, size = 1): void {
    const counted = this.#domains.get(domain);
    if (counted === undefined) this.#domains.set(domain, { size, name });
    else counted.size += size;
  }
}
