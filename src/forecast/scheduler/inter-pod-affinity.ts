import { operationsToCompare, selects } from '../../objects/pod-affinity.ts';
import { type Cluster, type PodClass, podsFrom } from '../cluster.ts';
import { classOf, nodeOf, phaseOf, type State, WAITING } from '../state.ts';
import { domainsOf, type Plugin } from './filter.ts';
import { asksForAdded, pairsOf } from './pairs.ts';

/** How to take a term that selects namespaces by labels which nobody can read: as it does no harm, or as it does. */
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
    const terms = affinities(cluster, unknownIsHarmless);
    if (terms.every((one) => one === undefined)) return undefined;
    return (podClass, node, state) => {
      const own = terms[podClass];
      if (own === undefined) return true;
      cluster.budget.spend(own.domains.length);
      if (own.domains.some((domain) => (domain[node] ?? -1) < 0)) return false;
      if (own.meansItself && !isAnyThere(own, state, first)) return true;
      return own.domains.every((domain) => isMet(domain, own, node, state, first));
    };
  };

/** Whether in the node's domain is a pod that is meant. */
function isMet(domain: readonly number[], { means }: Affinity, node: number, state: State, first: number): boolean {
  for (let index = first; index < state.length; index++) {
    const other = state[index] ?? 0;
    if (phaseOf(other) !== WAITING && means[classOf(other)] && isSameDomain(domain, nodeOf(other), node)) return true;
  }
  return false;
}

/** Whether a pod that is meant is in any domain. */
function isAnyThere({ means, domains }: Affinity, state: State, first: number): boolean {
  for (let index = first; index < state.length; index++) {
    const other = state[index] ?? 0;
    if (phaseOf(other) === WAITING || !means[classOf(other)]) continue;
    if (domains.some((domain) => (domain[nodeOf(other)] ?? -1) >= 0)) return true;
  }
  return false;
}

interface Affinity {
  /** By topology, the domain of each node. */
  readonly domains: readonly (readonly number[])[];
  /** By class, whether all terms mean its pods. */
  readonly means: readonly boolean[];
  readonly meansItself: boolean;
}

/** By class; `undefined` for pods that nothing is asked of. */
function affinities(cluster: Cluster, unknownIsHarmless: boolean): readonly (Affinity | undefined)[] {
  const { classes, budget } = cluster;
  const terms = classes.flatMap(({ template }) => template.podAffinity);
  if (terms.length === 0) return [];
  const pairs = pairsOf(classes, asksForAdded(terms), (pod, other) => {
    const { podAffinity } = pod.template;
    return (
      podAffinity.length > 0 &&
      podAffinity.every((term) => {
        budget.spend(operationsToCompare(term));
        return selects(term, pod, other) ?? isWelcome(pod, other) === unknownIsHarmless;
      })
    );
  });
  return classes.map(({ template: { podAffinity }, index }) => {
    const means = pairs[index] ?? [];
    if (!means.includes(true)) return undefined;
    const keys = [...new Set(podAffinity.map(({ topologyKey }) => topologyKey))];
    const domains = keys.map((topologyKey) => domainsOf(cluster, topologyKey));
    return { domains, means, meansItself: means[index] ?? false };
  });
}

/** Whether it does no harm to be held to the other: both are its own pods or neither is, or the other has a volume of the pod's. */
function isWelcome(pod: PodClass, other: PodClass): boolean {
  return pod.isOwn === other.isOwn || pod.volumes.some((volume) => other.volumes.includes(volume));
}

/** Required anti-affinity, of the pod and of those that are there (`filtering.go:satisfyExistingPodsAntiAffinity`). */
export const podAntiAffinity =
  ({ unknownIsHarmless }: UnknownNamespaces): Plugin =>
  (cluster) => {
    const first = podsFrom(cluster);
    const { classes } = cluster;
    const terms = classes.flatMap(({ template }) => template.podAntiAffinity);
    if (terms.length === 0) return undefined;
    const table = pairsOf(classes, asksForAdded(terms), (pod, other) => {
      const keys = [...repelledBy(pod, other, cluster, unknownIsHarmless)];
      if (pod !== other) keys.push(...repelledBy(other, pod, cluster, unknownIsHarmless));
      return [...new Set(keys)].map((topologyKey) => domainsOf(cluster, topologyKey));
    });
    const most = table.map((row) => Math.max(...row.map((some) => some.length)));
    return (podClass, node, state) => {
      if (most[podClass] === 0) return true;
      cluster.budget.spend(most[podClass]);
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

/** The topologies in which one pod keeps the other off. */
function repelledBy(
  owner: PodClass,
  other: PodClass,
  { budget }: Cluster,
  unknownIsHarmless: boolean,
): readonly string[] {
  return owner.template.podAntiAffinity
    .filter((term) => {
      budget.spend(operationsToCompare(term));
      return selects(term, owner, other) ?? !unknownIsHarmless;
    })
    .map(({ topologyKey }) => topologyKey);
}

function isSameDomain(domain: readonly number[], one: number, other: number): boolean {
  const at = domain[one] ?? -1;
  return at >= 0 && at === domain[other];
}

/** Whether a pod is held to pods of others, and none of its own workload is there. */
export function followsOthers(cluster: Cluster, { unknownIsHarmless }: UnknownNamespaces) {
  const first = podsFrom(cluster);
  const terms = affinities(cluster, unknownIsHarmless);
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
