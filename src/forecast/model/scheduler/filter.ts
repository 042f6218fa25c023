import type { Node } from '../../../objects/node.ts';
import type { Cluster, PodClass } from '../cluster.ts';
import type { State } from '../state.ts';

/** A filter that looks at a pod and a node alone, whatever else there is. */
export type NodeFilter = (pod: PodClass, node: Node, index: number) => boolean;

/** A filter that looks at the other pods or the volumes too: whether a pod of the class passes on the node in this state. */
export type Filter = (podClass: number, node: number, state: State) => boolean;

/** Reads once what does not change, so that the filter itself looks at numbers. */
export type Plugin = (cluster: Cluster) => Filter;

/** By node the domain of the topology that it is in: the first node that says the same; -1 without the label. */
export function domainsOf({ nodes }: Pick<Cluster, 'nodes'>, topologyKey: string): readonly number[] {
  const first = new Map<string, number>();
  return nodes.map((node, index) => {
    const value = node?.labels.get(topologyKey);
    if (value === undefined) return -1;
    const domain = first.get(value) ?? index;
    first.set(value, domain);
    return domain;
  });
}
