import { selects } from '../../../objects/pod-affinity.ts';
import { type Cluster, type PodClass, podsFrom } from '../cluster.ts';
import { classOf, nodeOf, phaseOf, type State, WAITING } from '../state.ts';
import { domainsOf, type Plugin } from './filter.ts';

/** How to take a term that selects namespaces by labels which nobody can read: as meaning the pod, or not. */
export interface UnknownNamespaces {
  readonly unknownIsHarmless: boolean;
}

/**
 * Required affinity of the pod (`pkg/scheduler/framework/plugins/interpodaffinity/filtering.go:satisfyPodAffinity`): the
 * node has the labels of all terms, and in each of those domains is a pod that all terms mean; or no such pod is in any
 * domain, and the pod means itself. Terms that mean no pod of anybody who is known hold nothing.
 */
export const podAffinity =
  ({ unknownIsHarmless }: UnknownNamespaces): Plugin =>
  (cluster) => {
    const first = podsFrom(cluster);
    const terms = cluster.classes.map((pod) => affinityOf(pod, cluster, unknownIsHarmless));
    return (podClass, node, state) => {
      const own = terms[podClass];
      if (own === undefined) return true;
      if (own.domains.some((domain) => (domain[node] ?? -1) < 0)) return false;
      let isFirst = own.meansItself;
      let isMet = own.domains.map(() => false);
      for (let index = first; index < state.length; index++) {
        const other = state[index] ?? 0;
        if (phaseOf(other) === WAITING || !own.means[classOf(other)]) continue;
        const at = nodeOf(other);
        if (own.domains.some((domain) => (domain[at] ?? -1) >= 0)) isFirst = false;
        isMet = own.domains.map((domain, term) => isMet[term] || isSameDomain(domain, at, node));
      }
      return isFirst || isMet.every(Boolean);
    };
  };

interface Affinity {
  /** By term, the domain of each node. */
  readonly domains: readonly (readonly number[])[];
  /** By class, whether all terms mean its pods. */
  readonly means: readonly boolean[];
  readonly meansItself: boolean;
}

/** `undefined` for a pod that nothing is asked of. */
function affinityOf(pod: PodClass, cluster: Cluster, unknownIsHarmless: boolean): Affinity | undefined {
  const { podAffinity } = pod.template;
  if (podAffinity.length === 0) return undefined;
  const means = cluster.classes.map((other) =>
    podAffinity.every((term) => selects(term, pod, other) ?? unknownIsHarmless),
  );
  if (!means.includes(true)) return undefined;
  return {
    domains: podAffinity.map(({ topologyKey }) => domainsOf(cluster, topologyKey)),
    means,
    meansItself: means[pod.index] ?? false,
  };
}

/** Required anti-affinity, of the pod and of those that are there (`filtering.go:satisfyExistingPodsAntiAffinity`). */
export const podAntiAffinity =
  ({ unknownIsHarmless }: UnknownNamespaces): Plugin =>
  (cluster) => {
    const first = podsFrom(cluster);
    const { classes } = cluster;
    const keys = classes.map((pod) => classes.map((other) => repelledIn(pod, other, unknownIsHarmless)));
    const domains = new Map(
      [...new Set(keys.flat(2))].map((topologyKey) => [topologyKey, domainsOf(cluster, topologyKey)]),
    );
    const table = keys.map((row) => row.map((some) => some.flatMap((key) => [domains.get(key) ?? []])));
    const may = table.map((row) => row.some((some) => some.length > 0));
    return (podClass, node, state) => {
      if (!may[podClass]) return true;
      for (let index = first; index < state.length; index++) {
        const other = state[index] ?? 0;
        if (phaseOf(other) === WAITING) continue;
        for (const domain of table[podClass]?.[classOf(other)] ?? []) {
          if (isSameDomain(domain, nodeOf(other), node)) return false;
        }
      }
      return true;
    };
  };

/** The topologies of which two pods may not share a domain. */
function repelledIn(pod: PodClass, other: PodClass, unknownIsHarmless: boolean): readonly string[] {
  const by = (owner: PodClass, one: PodClass): readonly string[] =>
    owner.template.podAntiAffinity
      .filter((term) => selects(term, owner, one) ?? !unknownIsHarmless)
      .map(({ topologyKey }) => topologyKey);
  return [...by(pod, other), ...by(other, pod)];
}

function isSameDomain(domain: readonly number[], one: number, other: number): boolean {
  const at = domain[one] ?? -1;
  return at >= 0 && at === domain[other];
}

/** Whether a pod is held to pods of others, and none of its own workload is there. */
export function followsOthers(cluster: Cluster, { unknownIsHarmless }: UnknownNamespaces) {
  const first = podsFrom(cluster);
  const terms = cluster.classes.map((pod) => affinityOf(pod, cluster, unknownIsHarmless));
  return (podClass: number, state: State): boolean => {
    let others = 0;
    for (let index = first; index < state.length; index++) {
      const other = classOf(state[index] ?? 0);
      if (phaseOf(state[index] ?? 0) === WAITING || !terms[podClass]?.means[other]) continue;
      if (cluster.classes[other]?.isOwn) return false;
      others++;
    }
    return others > 0;
  };
}
