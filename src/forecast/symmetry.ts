import { type Cluster, podsFrom, type Volume } from './cluster.ts';
import { domainsOf } from './scheduler/filter.ts';
import { attachedTo, nodeOf, type State } from './state.ts';

/**
 * Tells states that differ in more than by which of the nodes that are alike something is. `undefined` where a pod or the
 * place of a volume is of one node, so that no two can be exchanged.
 */
export function symmetryOf(cluster: Cluster): ((state: State) => string) | undefined {
  const { alike, classes, volumes } = cluster;
  if (new Set(alike).size === alike.length) return undefined;
  if (classes.some(({ onlyNode }) => onlyNode !== undefined)) return undefined;
  if (volumes.some((volume) => isPlacedByNode(volume, cluster))) return undefined;
  const first = podsFrom(cluster);
  return (state) => {
    const onNodes = new Map<number, string>();
    const add = (node: number, what: number): void => {
      const before = onNodes.get(node) ?? String.fromCharCode(node < 0 ? NO_NODE : NUMBERS + (alike[node] ?? 0));
      onNodes.set(node, before + String.fromCharCode(what));
    };
    for (let volume = 0; volume < volumes.length; volume++) {
      const node = attachedTo(state, volume);
      if (node >= 0) add(node, VOLUMES + volume);
    }
    for (let index = first; index < state.length; index++) {
      const pod = state[index] ?? 0;
      add(nodeOf(pod), pod & ~NODE_BITS);
    }
    const places = String.fromCharCode(...state.slice(volumes.length, first));
    return places + [...onNodes.values()].sort().join(' ');
  };
}

/** Whether nodes that are alike may mean different places of the volume. */
function isPlacedByNode({ claim: { onceBound } }: Volume, cluster: Cluster): boolean {
  if (onceBound === undefined) return false;
  if (onceBound.type === 'domain') return areTold(domainsOf(cluster, onceBound.topology), cluster);
  return onceBound.places.some((place) => areTold(cluster.usableIn.get(place) ?? [], cluster));
}

/** Whether something that is said of each node is not the same for all that are alike. */
function areTold(said: readonly (number | boolean)[], { alike, budget }: Cluster): boolean {
  budget.spend(said.length);
  const ofClass = new Map<number, number | boolean>();
  return said.some((one, node) => {
    const group = alike[node] ?? -1;
    const known = ofClass.get(group) ?? one;
    ofClass.set(group, known);
    return known !== one;
  });
}

/** Numbers of classes of nodes are a little above or below nothing. */
const NUMBERS = 0x8000;
const NO_NODE = 0x7000;

/** Above the blank, and below the codes of pods. */
const VOLUMES = 0x100;

const NODE_BITS = 0xff;
