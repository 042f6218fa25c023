import { withMatchLabelKeys } from '../../objects/pod-affinity.ts';
import type { SpreadConstraint } from '../../objects/pod-template.ts';
import { matchesSelector } from '../../objects/selector.ts';
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
  const byClass = cluster.classes.map((pod) => spreadsOf(pod, cluster));
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

function spreadsOf(pod: PodClass, cluster: Cluster): readonly Spread[] {
  const { spread } = pod.template;
  if (spread.length === 0) return [];
  const { nodes, passed, budget } = cluster;
  const keys = [...new Set(spread.map(({ topologyKey }) => topologyKey))];
  budget.spend(nodes.length * keys.length);
  // A node has to have the labels of all spreads (`filtering.go:calPreFilterState`).
  const isLabelled = nodes.map((node) => keys.every((key) => node?.labels.has(key)));
  return spread.map((constraint) => {
    const domains = domainsOf(cluster, constraint.topologyKey);
    budget.spend(nodes.length);
    const { maxSkew, minDomains } = constraint;
    return {
      ...{ maxSkew, minDomains },
      ...countedBy(constraint, pod, cluster),
      domains: domains.map((domain, node) =>
        isLabelled[node] && isCounted(constraint, pod, node, passed[pod.index]?.[node] ?? 0) ? domain : -1,
      ),
    };
  });
}

/** An empty selector counts nobody (`podtopologyspread/common.go:countPodsMatchSelector`). */
function countedBy(
  { selector, matchLabelKeys }: SpreadConstraint,
  pod: PodClass,
  { classes, budget }: Cluster,
): Pick<Spread, 'counted' | 'countsItself'> {
  if (selector === undefined) return { counted: [], countsItself: false };
  const merged = withMatchLabelKeys(selector, matchLabelKeys, pod);
  budget.spend(classes.length * (1 + merged.length));
  return {
    counted: classes.map(
      (other) => merged.length > 0 && other.namespace === pod.namespace && matchesSelector(merged, other.labels),
    ),
    countsItself: matchesSelector(merged, pod.labels),
  };
}

function isCounted(constraint: SpreadConstraint, pod: PodClass, node: number, passed: number): boolean {
  if (!constraint.countsUnselected && !((passed & SELECTED) > 0 && nodeName(pod, node))) return false;
  return constraint.countsTainted || (passed & TOLERATED) > 0;
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
