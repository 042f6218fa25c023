import { withMatchLabelKeys } from '../../../facts/pod-affinity.ts';
import type { SpreadConstraint } from '../../../facts/pod-template.ts';
import { matchesSelector } from '../../../facts/selector.ts';
import { type Cluster, type PodClass, podsFrom } from '../cluster.ts';
import { classOf, nodeOf, phaseOf, type State, TERMINATING, WAITING } from '../state.ts';
import { domainsOf, type Plugin } from './filter.ts';
import { SELECTED, TOLERATED } from './node-filters.ts';
import { nodeName } from './node-name.ts';

/**
 * A domain takes the pod while it has at most `maxSkew` more than the emptiest one
 * (`pkg/scheduler/framework/plugins/podtopologyspread/filtering.go:Filter`).
 */
export const podTopologySpread: Plugin = (cluster) => {
  const first = podsFrom(cluster);
  if (cluster.classes.every(({ template }) => template.spread.length === 0)) return undefined;
  const byClass = cluster.classes.map((pod) => pod.template.spread.map((spread) => spreadOf(spread, pod, cluster)));
  let counted: { readonly state: State; readonly podClass: number; readonly pods: readonly Counts[] } | undefined;
  return (podClass, node, state) => {
    const spreads = byClass[podClass] ?? [];
    // One node after the other is asked for.
    if (counted?.state !== state || counted.podClass !== podClass) {
      cluster.budget.spend(spreads.length * (cluster.nodes.length + state.length));
      counted = { state, podClass, pods: spreads.map((spread) => countsIn(spread, state, first)) };
    }
    const { pods } = counted;
    return spreads.every(({ maxSkew, countsItself, domains }, at) => {
      const domain = domains[node] ?? -1;
      if (domain < 0) return false;
      const { byDomain, least } = pods[at] ?? NONE;
      return (byDomain.get(domain) ?? 0) + (countsItself ? 1 : 0) - least <= maxSkew;
    });
  };
};

interface Counts {
  readonly byDomain: ReadonlyMap<number, number>;
  /** In the emptiest one. */
  readonly least: number;
}

const NONE: Counts = { byDomain: new Map(), least: 0 };

interface Spread extends Pick<SpreadConstraint, 'maxSkew' | 'minDomains'> {
  /** By class, whether its pods are counted. */
  readonly counted: readonly boolean[];
  readonly countsItself: boolean;
  /** By node its domain; -1 where it is not counted. */
  readonly domains: readonly number[];
}

function spreadOf(constraint: SpreadConstraint, pod: PodClass, cluster: Cluster): Spread {
  const { topologyKey, maxSkew, minDomains, selector, matchLabelKeys } = constraint;
  const merged = selector === undefined ? [] : withMatchLabelKeys(selector, matchLabelKeys, pod);
  // An empty selector counts nobody (`podtopologyspread/common.go:countPodsMatchSelector`).
  const counts = (other: PodClass): boolean =>
    merged.length > 0 && other.namespace === pod.namespace && matchesSelector(merged, other.labels);
  const domains = domainsOf(cluster, topologyKey);
  cluster.budget.spend(cluster.nodes.length + cluster.classes.length * (1 + merged.length));
  return {
    maxSkew,
    minDomains,
    counted: cluster.classes.map(counts),
    countsItself:
      selector !== undefined && matchesSelector(withMatchLabelKeys(selector, matchLabelKeys, pod), pod.labels),
    domains: domains.map((domain, node) => (isCounted(constraint, pod, node, cluster) ? domain : -1)),
  };
}

/** A node has to have the labels of all spreads (`filtering.go:calPreFilterState`). */
function isCounted(constraint: SpreadConstraint, pod: PodClass, index: number, { nodes, passed }: Cluster): boolean {
  const node = nodes[index];
  const bits = passed[pod.index]?.[index] ?? 0;
  if (node === undefined || !pod.template.spread.every(({ topologyKey }) => node.labels.has(topologyKey))) return false;
  if (!constraint.countsUnselected && !((bits & SELECTED) > 0 && nodeName(pod, index))) return false;
  return constraint.countsTainted || (bits & TOLERATED) > 0;
}

/** Pods by domain. Those that are going no longer count. */
function countsIn({ domains, counted, minDomains }: Spread, state: State, first: number): Counts {
  const pods = new Map<number, number>();
  for (const domain of domains) if (domain >= 0) pods.set(domain, 0);
  for (let index = first; index < state.length; index++) {
    const pod = state[index] ?? 0;
    if (phaseOf(pod) === WAITING || phaseOf(pod) === TERMINATING || !counted[classOf(pod)]) continue;
    const domain = domains[nodeOf(pod)] ?? -1;
    if (domain >= 0) pods.set(domain, (pods.get(domain) ?? 0) + 1);
  }
  return { byDomain: pods, least: pods.size < minDomains ? 0 : Math.min(...pods.values()) };
}
