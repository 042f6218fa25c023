import type { NodeSearch } from '../../facts/node-search.ts';
import type { Node } from '../../objects/node.ts';
import type { NodeQuery } from '../../snapshot/node-query.ts';
import type { Cluster, PodClass } from '../cluster.ts';
import type { State } from '../state.ts';

/** A pod, as far as it asks something of nodes that they answer alone, whatever else there is. */
export type Asker = Pick<PodClass, 'template' | 'claims' | 'countsCordons' | 'areThere'>;

/** Whether a node passes; `undefined` for a pod that asks nothing of it. */
export type NodeFilter = (pod: Asker, nodes: NodeSearch) => ((node: Node) => boolean) | undefined;

/** A query that every node fits, for a filter to say what it asks. */
export const ANY_NODE: NodeQuery = {
  selectors: [],
  zones: [],
  tolerations: [{ key: '', operator: 'Exists', value: '', effect: '' }],
  countsTransient: false,
};

/** A filter that looks at the other pods or the volumes too: whether a pod of the class passes on the node in this state. */
export type Filter = (podClass: number, node: number, state: State) => boolean;

/** Reads once what does not change, so that the filter itself looks at numbers; `undefined` where it concerns no pod. */
export type Plugin = (cluster: Cluster) => Filter | undefined;

/** By node the domain of the topology that it is in: the first node that says the same; -1 without the label. */
export function domainsOf({ nodes, budget, domains }: Cluster, topologyKey: string): readonly number[] {
  const known = domains.get(topologyKey);
  if (known !== undefined) return known;
  budget.spend(nodes.length);
  const first = new Map<string, number>();
  const found = nodes.map((node, index) => {
    const value = node?.labels.get(topologyKey);
    if (value === undefined) return -1;
    const domain = first.get(value) ?? index;
    first.set(value, domain);
    return domain;
  });
  domains.set(topologyKey, found);
  return found;
}
