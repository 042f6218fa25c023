import { type Cluster, podsFrom } from './cluster.ts';
import { attachedTo, nodeOf, type State } from './state.ts';

/**
 * Tells states that differ in more than by which of the nodes that are alike something is. `undefined` where nodes have a
 * part in what a pod or a place is, so that no two can be exchanged.
 */
export function symmetryOf(cluster: Cluster): ((state: State) => string) | undefined {
  const { alike, classes, volumes } = cluster;
  if (new Set(alike).size === alike.length) return undefined;
  if (classes.some(({ onlyNode }) => onlyNode !== undefined)) return undefined;
  if (volumes.some(({ claim }) => claim.onceBound !== undefined)) return undefined;
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
    return [...onNodes.values()].sort().join(' ');
  };
}

/** Numbers of classes of nodes are a little above or below nothing. */
const NUMBERS = 0x8000;
const NO_NODE = 0x7000;

/** Above the blank, and below the codes of pods. */
const VOLUMES = 0x100;

const NODE_BITS = 0xff;
