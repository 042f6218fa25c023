import { type Cluster, podsFrom, type Steps } from '../cluster.ts';
import {
  attachedTo,
  classOf,
  nodeOf,
  phaseOf,
  placeOf,
  podCode,
  STARTING,
  type State,
  WAITING,
  withChanged,
  withPlace,
} from '../state.ts';
import type { Filter, Plugin } from './filter.ts';
import { podAffinity, podAntiAffinity, type UnknownNamespaces } from './inter-pod-affinity.ts';
import { isSelected, USABLE } from './node-filters.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { podTopologySpread } from './pod-topology-spread.ts';
import { placedVolumes, placesOn } from './volume-binding.ts';
import { inlineDisks, readWriteOncePod } from './volume-restrictions.ts';

/** What keeps pods together. */
const TOGETHER = (unknown: UnknownNamespaces): readonly Plugin[] => [podAffinity(unknown)];

/** What keeps pods apart. */
const APART = (unknown: UnknownNamespaces): readonly Plugin[] => [
  nodePorts,
  inlineDisks,
  podAntiAffinity(unknown),
  podTopologySpread,
];

/** The filters, in groups by what they ask, so that an end can be put into words. */
export interface Scheduler {
  /** By class, by node. */
  readonly fitsNode: readonly (readonly boolean[])[];
  readonly fitsVolumes: readonly (readonly boolean[])[];
  readonly isFree: Filter;
  readonly isPlaced: Filter;
  readonly isTogether: Filter;
  readonly isApart: Filter;
  readonly bind: Steps;
}

/** How to look at nodes. */
export interface Sight extends UnknownNamespaces {
  /** By node the number of its class. */
  readonly alike: readonly number[];
}

export function scheduler(cluster: Cluster, { alike, ...unknown }: Sight): Scheduler {
  const fitsNode = cluster.classes.map((pod) =>
    cluster.nodes.map((_, node) => nodeName(pod, node) && isSelected(cluster.passed[pod.index]?.[node] ?? 0)),
  );
  const fitsVolumes = cluster.passed.map((ofClass) => ofClass.map((passed) => (passed & USABLE) > 0));
  const isFree = readWriteOncePod(cluster);
  const isPlaced = placedVolumes(cluster);
  const isTogether = all(TOGETHER(unknown), cluster);
  const isApart = all(APART(unknown), cluster);
  const passes: Filter = (pod, node, state) =>
    (fitsNode[pod]?.[node] ?? false) &&
    (fitsVolumes[pod]?.[node] ?? false) &&
    isPlaced(pod, node, state) &&
    isApart(pod, node, state) &&
    isTogether(pod, node, state);
  const bind = binder(cluster, alike, isFree, passes);
  return { fitsNode, fitsVolumes, isFree, isPlaced, isTogether, isApart, bind };
}

function all(plugins: readonly Plugin[], cluster: Cluster): Filter {
  const filters = plugins.map((plugin) => plugin(cluster));
  return (pod, node, state) => filters.every((passes) => passes(pod, node, state));
}

/**
 * Binds a waiting pod to each node that passes (`pkg/scheduler/schedule_one.go:schedulePod`); of empty nodes that are
 * alike, to the first one.
 */
function binder(cluster: Cluster, alike: readonly number[], isFree: Filter, passes: Filter): Steps {
  const first = podsFrom(cluster);
  const { nodes, volumes } = cluster;
  const places = volumes.map((volume) => placesOn(volume, cluster));
  const toBePlaced = cluster.classes.map(({ claims }) =>
    claims.flatMap(({ volume, claim }) => (claim.onceBound === undefined ? [] : [volume])),
  );
  return (state) => {
    const next: State[] = [];
    for (let index = first; index < state.length; index++) {
      const pod = state[index] ?? 0;
      if (phaseOf(pod) !== WAITING || pod === state[index - 1]) continue;
      const podClass = classOf(pod);
      if (!isFree(podClass, 0, state)) continue;
      const empty = new Set<number>();
      for (let node = 0; node < nodes.length; node++) {
        const group = alike[node] ?? node;
        if (empty.has(group) || !passes(podClass, node, state)) continue;
        if (isEmpty(node, state, first, volumes.length)) empty.add(group);
        let bound: readonly State[] = [withChanged(state, first, pod, podCode(podClass, STARTING, node))];
        for (const volume of toBePlaced[podClass] ?? []) {
          if (placeOf(state, volume, volumes.length) >= 0) continue;
          const some = places[volume]?.(node) ?? [];
          bound = bound.flatMap((one) => some.map((place) => withPlace(one, volume, volumes.length, place)));
        }
        next.push(...bound);
      }
    }
    return next;
  };
}

function isEmpty(node: number, state: State, first: number, volumes: number): boolean {
  for (let volume = 0; volume < volumes; volume++) if (attachedTo(state, volume) === node) return false;
  for (let index = first; index < state.length; index++) if (nodeOf(state[index] ?? 0) === node) return false;
  return true;
}
