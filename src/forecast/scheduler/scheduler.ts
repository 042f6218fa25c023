import { type Cluster, podsFrom, type Steps, unlike } from '../cluster.ts';
import { NUMBERS_OF_AN_OPERATION } from '../search.ts';
import { classOf, phaseOf, placeOf, podCode, STARTING, type State, WAITING, withChanged, withPlace } from '../state.ts';
import type { Filter, Plugin } from './filter.ts';
import { podAffinity, podAntiAffinity, type UnknownNamespaces } from './inter-pod-affinity.ts';
import { isSelected, USABLE } from './node-filters.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { podTopologySpread } from './pod-topology-spread.ts';
import { placedVolumes, placesOfVolumes } from './volume-binding.ts';
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
  /** Whether a node would take pods of the class but for volumes and other pods. */
  readonly fitsNode: (podClass: number, node: number) => boolean;
  /** Whether their volumes can be used there, as far as those are somewhere already. */
  readonly fitsVolumes: (podClass: number, node: number) => boolean;
  readonly isFree: Filter;
  readonly isPlaced: Filter;
  readonly isTogether: Filter;
  readonly isApart: Filter;
  /** By volume and node, where the volume may come to be when its first pod lands there. */
  readonly places: readonly (readonly (readonly number[])[])[];
  readonly bind: Steps;
  /** Whether other pods and their volumes decide nothing: each pod has some node that takes it, whatever else is there. */
  readonly looksAtNodesAlone: boolean;
}

export function scheduler(cluster: Cluster, unknown: UnknownNamespaces): Scheduler {
  const { classes, passed } = cluster;
  const fitsNode = (podClass: number, node: number): boolean =>
    isSelected(passed[podClass]?.[node] ?? 0) && nodeName(classes[podClass] ?? {}, node);
  const fitsVolumes = (podClass: number, node: number): boolean => ((passed[podClass]?.[node] ?? 0) & USABLE) > 0;
  const free = filtersOf([readWriteOncePod], cluster);
  const [isFree = passes] = free;
  const placed = filtersOf([placedVolumes], cluster);
  const together = filtersOf(TOGETHER(unknown), cluster);
  const apart = filtersOf(APART(unknown), cluster);
  const candidates = classes.map((_, podClass) => {
    const nodes: number[] = [];
    for (let node = 0; node < cluster.nodes.length; node++) {
      if (fitsNode(podClass, node) && fitsVolumes(podClass, node)) nodes.push(node);
    }
    return nodes;
  });
  const places = placesOfVolumes(cluster);
  return {
    fitsNode,
    fitsVolumes,
    places,
    isFree,
    isPlaced: all(placed),
    isTogether: all(together),
    isApart: all(apart),
    looksAtNodesAlone:
      free.length + placed.length + together.length + apart.length === 0 &&
      candidates.every((nodes, podClass) => nodes.length > 0 && classes[podClass]?.template.nodeName === undefined),
    bind: binder(cluster, { candidates, places, isFree, filters: [...placed, ...apart, ...together] }),
  };
}

function filtersOf(plugins: readonly Plugin[], cluster: Cluster): readonly Filter[] {
  const filters: Filter[] = [];
  for (const plugin of plugins) {
    const filter = plugin(cluster);
    if (filter !== undefined) filters.push(filter);
  }
  return filters;
}

const passes: Filter = () => true;

function all(filters: readonly Filter[]): Filter {
  const [only = passes, ...others] = filters;
  return others.length === 0 ? only : (pod, node, state) => filters.every((filter) => filter(pod, node, state));
}

interface Binding {
  /** By class, the nodes that pass all that does not depend on the state. */
  readonly candidates: readonly (readonly number[])[];
  readonly places: Scheduler['places'];
  readonly isFree: Filter;
  readonly filters: readonly Filter[];
}

/**
 * Binds a waiting pod to each node that passes (`pkg/scheduler/schedule_one.go:schedulePod`); of empty nodes that are
 * alike, to the first one.
 */
function binder(cluster: Cluster, { candidates, places, isFree, filters }: Binding): Steps {
  const first = podsFrom(cluster);
  const { volumes, budget } = cluster;
  const isPassed = all(filters);
  const operations = 1 + filters.length;
  const toBePlaced = cluster.classes.map((podClass) =>
    podClass.volumes.filter((volume) => volumes[volume]?.claim.onceBound !== undefined),
  );
  return (state) => {
    const next: State[] = [];
    for (let index = first; index < state.length; index++) {
      const pod = state[index] ?? 0;
      if (phaseOf(pod) !== WAITING || pod === state[index - 1]) continue;
      const podClass = classOf(pod);
      if (!isFree(podClass, 0, state)) continue;
      const nodes = candidates[podClass] ?? [];
      budget.spend(nodes.length * operations);
      for (const node of unlike(nodes, state, cluster)) {
        if (!isPassed(podClass, node, state)) continue;
        let bound: readonly State[] = [withChanged(state, first, pod, podCode(podClass, STARTING, node))];
        for (const volume of toBePlaced[podClass] ?? []) {
          if (placeOf(state, volume, volumes.length) >= 0) continue;
          const some = places[volume]?.[node] ?? [];
          budget.spend(bound.length * some.length * Math.ceil(state.length / NUMBERS_OF_AN_OPERATION));
          bound = bound.flatMap((one) => some.map((place) => withPlace(one, volume, volumes.length, place)));
        }
        next.push(...bound);
      }
    }
    return next;
  };
}
