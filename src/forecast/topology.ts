import type { PodFacts } from '../facts/gather.ts';
import { HOSTNAME } from '../facts/node.ts';
import type { NodeIndex } from '../facts/node-index.ts';
import { type PodTemplate, type SpreadConstraint, selectorsOf } from '../facts/pod-template.ts';
import type { Toleration } from '../facts/toleration.ts';
import { bothComeToday, domainsAmong, isThere, type Landing, landingNodes, mayLandOn } from './placement.ts';
import { type Crowding, NODE } from './togetherness.ts';

/** Pods that run, and one that is to join them or to keep away. */
export interface Crowd {
  readonly incoming: PodFacts;
  readonly running: PodFacts;
  readonly sameRevision: boolean;
  /** How many of the running pods stay, whatever happens to the incoming one. */
  readonly staying: number;
  /** The nodes on which pods run, where that is known. */
  readonly places?: ReadonlySet<string> | undefined;
  /** Whether today's cordons count for the incoming pod. */
  readonly weather: boolean;
  /** Volumes, by identity, to whose node something else holds the incoming pod. */
  readonly tied?: ReadonlySet<string> | undefined;
  /** Pods that run when those of a new revision come. */
  readonly old?: OldPods | undefined;
}

/** Pods of one template, to any of which affinity may hold those that come. */
export interface OldPods {
  readonly facts: PodFacts;
  /** How many the incoming pod may find. */
  readonly count: number;
  /** All nodes that they can be on when it comes, where that is known. */
  readonly places: ReadonlySet<string> | undefined;
}

/** Nodes by the domain that they are in. */
type Domains = ReadonlyMap<string, ReadonlySet<string>>;

/** Whether each domain is one node. Hostnames are labels like any other where they do not tell nodes apart. */
export function isOfOneNode(topology: string, nodes: NodeIndex): boolean {
  return topology === NODE || (topology === HOSTNAME && nodes.hostnamesTellNodes);
}

/** Nodes without the label are in one domain. */
function domainsOf(names: Iterable<string>, keys: readonly string[], nodes: NodeIndex): Domains {
  const domains = new Map<string, Set<string>>();
  for (const name of names) {
    const values = keys.map((key) => domainOf(name, key, nodes) ?? UNLABELLED);
    const domain = values.join();
    domains.set(domain, (domains.get(domain) ?? new Set()).add(name));
  }
  return domains;
}

/** `undefined` for a node without the label, and for one that is no more. */
function domainOf(name: string, topology: string, nodes: NodeIndex): string | undefined {
  return topology === NODE ? name : nodes.get(name)?.labels.get(topology);
}

/** No label's value, which may be empty, and holds no brackets (`apimachinery/pkg/util/validation:IsValidLabelValue`). */
const UNLABELLED = '()';

/** What is left to an incoming pod that has to land in the domain of a running one. */
export interface GroundWithin {
  /** Several nodes of the domain, so that they may part. */
  readonly mayPart: boolean;
  /** No node of it at all. */
  readonly mayNotJoin: boolean;
}

/**
 * A running pod on a node without any of the labels is in nobody's domain, and holds nobody; `mayBeFirst` says whether
 * the incoming one may land without any (`interpodaffinity/filtering.go:satisfyPodAffinity`). All nodes are looked at:
 * only affinity by something else than the hostname asks, which is rare.
 */
export function groundWithin(
  topologies: readonly string[],
  mayBeFirst: boolean,
  crowd: Crowd,
  nodes: NodeIndex,
): GroundWithin {
  const { incoming, running, places, weather } = crowd;
  const free = landingNodes(incoming, nodes, { weather, limit: nodes.size });
  const seats = [...(places ?? landingNodes(running, nodes, { weather: bothComeToday(crowd), limit: nodes.size }))];
  const seen = seats.filter((name) => topologies.some((key) => domainOf(name, key, nodes) !== undefined));
  const first = { mayPart: mayBeFirst && free.size > 0, mayNotJoin: !mayBeFirst };
  const landing = domainsOf(free, topologies, nodes);
  const domains = [...domainsOf(seen, topologies, nodes)].map(([domain, taken]) => ({
    taken,
    free: landing.get(domain) ?? NO_NODES,
  }));
  const closed = domains.filter(({ free }) => free.size === 0).length;
  if (places === undefined) {
    const unseen = seen.length < seats.length;
    const parts = domains.some(({ taken, free }) => free.size > 0 && new Set([...taken, ...free]).size > 1);
    return { mayPart: parts || (unseen && first.mayPart), mayNotJoin: closed > 0 || (unseen && first.mayNotJoin) };
  }
  if (seen.length === 0) return first;
  // Where the places are known, any of their domains will do.
  return {
    mayPart: domains.some(({ free }) => [...free].some((name) => !places.has(name))),
    mayNotJoin: closed === domains.length,
  };
}

const NO_NODES: ReadonlySet<string> = new Set();

/** Whether pods of one template may land in several domains. */
export function spansDomains(topologies: readonly string[], facts: PodFacts, nodes: NodeIndex): boolean {
  const limit = topologies.some((topology) => isOfOneNode(topology, nodes)) ? 2 : nodes.size;
  return domainsOf(landingNodes(facts, nodes, { limit }), topologies, nodes).size > 1;
}

/** Whether some domain has several nodes that pods of one template may land on. */
export function sharesDomain(topologies: readonly string[], facts: PodFacts, nodes: NodeIndex): boolean {
  if (topologies.some((topology) => isOfOneNode(topology, nodes))) return false;
  const domains = domainsOf(landingNodes(facts, nodes, { limit: nodes.size }), topologies, nodes);
  return [...domains.values()].some((names) => names.size > 1);
}

/** Whether other pods may be in domains of which no node is open to the incoming one. */
export function mayBeOutOfReach(
  topologies: readonly string[],
  other: Landing & Pick<PodFacts, 'workload'>,
  { incoming, weather }: Crowd,
  nodes: NodeIndex,
): boolean {
  const open = domainsOf(landingNodes(incoming, nodes, { weather, limit: nodes.size }), topologies, nodes);
  const theirs = [...domainsOf(landingNodes(other, nodes, { limit: nodes.size }), topologies, nodes).keys()];
  const isClosed = (domain: string): boolean => !domain.includes(UNLABELLED) && !open.has(domain);
  return other.workload.onEveryNode ? theirs.length > 0 && theirs.every(isClosed) : theirs.some(isClosed);
}

/** Whether there is one domain for all, incoming and running, so that of pods that keep out of each other's only one lands. */
export function isOneDomain(topology: string, crowd: Crowd, nodes: NodeIndex): boolean {
  const { incoming, running, places, weather } = crowd;
  const limit = isOfOneNode(topology, nodes) ? 2 : nodes.size;
  const landing = landingNodes(incoming, nodes, { weather, limit });
  const sitting = places ?? landingNodes(running, nodes, { limit });
  const domains = domainsOf([...landing, ...sitting], [topology], nodes);
  return domains.size === 1 && !domains.has(UNLABELLED);
}

/**
 * How many domains there are for an incoming pod that has to keep out of those of running ones, if these may take them
 * all; nothing if one stays free. A node without the label is in nobody's domain.
 */
export function domainsTaken(topology: string, crowd: Crowd, nodes: NodeIndex): number | undefined {
  const landing = landingIn(topology, crowd, nodes);
  return landing.has(UNLABELLED) ? undefined : taken(topology, landing, crowd, nodes, 1);
}

/** The same for a spread, which yields once every domain has a pod. */
export function domainsSpread({ constraint, most }: Crowding, crowd: Crowd, nodes: NodeIndex): number | undefined {
  const { topologyKey, minDomains } = constraint;
  const domains = taken(topologyKey, landingIn(topologyKey, crowd, nodes), crowd, nodes, most) ?? 0;
  if (domains === 0) return undefined;
  const { incoming, weather } = crowd;
  const counted = placesToSpread(constraint, incoming.workload.template, nodes, { limit: domains + 1, weather });
  return Math.max(counted, minDomains) > domains ? domains : undefined;
}

function landingIn(topology: string, { incoming, staying, weather }: Crowd, nodes: NodeIndex): Domains {
  // Nothing depends on more nodes than could be taken.
  const limit = isOfOneNode(topology, nodes) ? staying + 1 : nodes.size;
  const landing = landingNodes(incoming, nodes, { weather, limit });
  return domainsOf(landing, [topology], nodes);
}

/** Whether running pods may fill every domain, each of which takes `most` of them. */
function taken(topology: string, domains: Domains, crowd: Crowd, nodes: NodeIndex, most: number): number | undefined {
  const { incoming, running, sameRevision, staying, places } = crowd;
  if (domains.size * most > staying) return undefined;
  const sits = (names: ReadonlySet<string>): boolean => [...names].some((name) => mayLandOn(name, running, nodes));
  if (places === undefined) {
    return incoming === running || [...domains.values()].every(sits) ? domains.size : undefined;
  }
  const sitting = domainsOf(places, [topology], nodes);
  const all = new Set([...domains.keys(), ...sitting.keys()]);
  // Replicas that are still to come take more of them; old pods only leave.
  const full = sameRevision ? all.size * most <= staying : all.size === sitting.size;
  return full ? domains.size : undefined;
}

/**
 * How many domains a spread counts, of which volumes leave none out; no more than `limit` are counted. A node has to have
 * the labels of all spreads (`podtopologyspread/filtering.go:calPreFilterState`).
 */
export function placesToSpread(
  { topologyKey, countsUnselected, countsTainted }: SpreadConstraint,
  template: PodTemplate,
  nodes: NodeIndex,
  { limit, weather }: { readonly limit: number; readonly weather: boolean },
): number {
  const labelled = template.spread.map((constraint) => isThere(constraint.topologyKey));
  const selectors = [...(countsUnselected ? [] : selectorsOf(template)), [{ expressions: labelled, fields: [] }]];
  const tolerations = countsTainted ? EVERY_TAINT : template.tolerations;
  return domainsAmong(topologyKey, { selectors, zones: [], tolerations, weather }, nodes, limit).length;
}

const EVERY_TAINT: readonly Toleration[] = [{ key: '', operator: 'Exists', value: '', effect: '' }];
