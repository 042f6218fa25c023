import { isThere, type Landing } from '../facts/landing-queries.ts';
import type { NodeSearch } from '../facts/node-search.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import { HOSTNAME } from '../objects/node.ts';
import type { PodTemplate, SpreadConstraint } from '../objects/pod-template.ts';
import type { Toleration } from '../objects/toleration.ts';
import { type Domains, NODE, UNLABELLED } from '../snapshot/domains.ts';
import { bothComeToday, domainsOf, domainsOfBoth, landingDomains, mayLandOn } from './placement.ts';
import type { Crowding } from './togetherness.ts';

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

/** Whether each domain is one node. Hostnames are labels like any other where they do not tell nodes apart. */
export function isOfOneNode(topology: string, nodes: NodeSearch): boolean {
  return topology === NODE || (topology === HOSTNAME && nodes.hostnamesTellNodes);
}

/** What is left to an incoming pod that has to land in the domain of a running one. */
export interface GroundWithin {
  /** Several nodes of the domain, so that they may part. */
  readonly mayPart: boolean;
  /** No node of it at all. */
  readonly mayNotJoin: boolean;
}

/**
 * A running pod on a node without any of the labels is in nobody's domain, and holds nobody; `mayBeFirst` says whether
 * the incoming one may land without any (`interpodaffinity/filtering.go:satisfyPodAffinity`).
 */
export function groundWithin(
  topologies: readonly string[],
  mayBeFirst: boolean,
  crowd: Crowd,
  nodes: NodeSearch,
): GroundWithin {
  const { incoming, running, places, weather } = crowd;
  const free = landingDomains(topologies, incoming, nodes, { weather });
  const seats =
    places === undefined
      ? landingDomains(topologies, running, nodes, { weather: bothComeToday(crowd) })
      : domainsOf(places, topologies, nodes);
  const nobodys = topologies.map(() => UNLABELLED).join();
  const taken = [...seats].filter(([domain]) => domain !== nobodys);
  const first = { mayPart: mayBeFirst && free.size > 0, mayNotJoin: !mayBeFirst };
  const closed = taken.filter(([domain]) => !free.has(domain)).length;
  if (places === undefined) {
    const unseen = seats.has(nobodys);
    const parts = taken.some(([domain, sits]) => {
      const lands = free.get(domain);
      return lands !== undefined && (lands.size > 1 || sits.size > 1 || lands.name !== sits.name);
    });
    return { mayPart: parts || (unseen && first.mayPart), mayNotJoin: closed > 0 || (unseen && first.mayNotJoin) };
  }
  if (taken.length === 0) return first;
  // Where the places are known, any of their domains will do.
  const query = nodes.queries.of(incoming, weather);
  const joined = domainsOf(
    [...places].filter((name) => mayLandOn(name, incoming, nodes, query)),
    topologies,
    nodes,
  );
  return {
    mayPart: taken.some(([domain]) => (free.get(domain)?.size ?? 0) > (joined.get(domain)?.size ?? 0)),
    mayNotJoin: closed === taken.length,
  };
}

/** Whether pods of one template may land in several domains. */
export function spansDomains(topologies: readonly string[], facts: PodFacts, nodes: NodeSearch): boolean {
  return landingDomains(topologies, facts, nodes, { limit: 2 }).size > 1;
}

/** Whether some domain has several nodes that pods of one template may land on. */
export function sharesDomain(topologies: readonly string[], facts: PodFacts, nodes: NodeSearch): boolean {
  if (topologies.some((topology) => isOfOneNode(topology, nodes))) return false;
  return [...landingDomains(topologies, facts, nodes).values()].some(({ size }) => size > 1);
}

/** Whether other pods may be in domains of which no node is open to the incoming one. */
export function mayBeOutOfReach(
  topologies: readonly string[],
  other: Landing & Pick<PodFacts, 'workload'>,
  { incoming, weather }: Crowd,
  nodes: NodeSearch,
): boolean {
  const open = landingDomains(topologies, incoming, nodes, { weather });
  const theirs = [...landingDomains(topologies, other, nodes).keys()];
  const isClosed = (domain: string): boolean => !domain.includes(UNLABELLED) && !open.has(domain);
  return other.workload.onEveryNode ? theirs.length > 0 && theirs.every(isClosed) : theirs.some(isClosed);
}

/** Whether there is one domain for all, incoming and running, so that of pods that keep out of each other's only one lands. */
export function isOneDomain(topology: string, crowd: Crowd, nodes: NodeSearch): boolean {
  const { incoming, running, places, weather } = crowd;
  const landing = landingDomains([topology], incoming, nodes, { weather, limit: 2 });
  const sitting =
    places === undefined
      ? landingDomains([topology], running, nodes, { limit: 2 })
      : domainsOf(places, [topology], nodes);
  const [domain, ...others] = new Set([...landing.keys(), ...sitting.keys()]);
  return domain !== undefined && domain !== UNLABELLED && others.length === 0;
}

/**
 * How many domains there are for an incoming pod that has to keep out of those of running ones, if these may take them
 * all; nothing if one stays free. A node without the label is in nobody's domain.
 */
export function domainsTaken(topology: string, crowd: Crowd, nodes: NodeSearch): number | undefined {
  const landing = landingIn(topology, crowd, nodes, 1);
  return landing.has(UNLABELLED) ? undefined : taken(topology, landing, crowd, nodes, 1);
}

/** The same for a spread, which yields once every domain has a pod. */
export function domainsSpread({ constraint, most }: Crowding, crowd: Crowd, nodes: NodeSearch): number | undefined {
  const { topologyKey, minDomains } = constraint;
  const landing = landingIn(topologyKey, crowd, nodes, most);
  const domains = taken(topologyKey, landing, crowd, nodes, most) ?? 0;
  if (domains === 0) return undefined;
  const { incoming, weather } = crowd;
  const counted = placesToSpread(constraint, incoming.workload.template, nodes, { limit: domains + 1, weather });
  return Math.max(counted, minDomains) > domains ? domains : undefined;
}

/** No more domains than running pods could fill, each with `most`, and one. */
function landingIn(topology: string, { incoming, staying, weather }: Crowd, nodes: NodeSearch, most: number): Domains {
  return landingDomains([topology], incoming, nodes, { weather, limit: Math.floor(staying / most) + 1 });
}

/** Whether running pods may fill every domain, each of which takes `most` of them. */
function taken(topology: string, domains: Domains, crowd: Crowd, nodes: NodeSearch, most: number): number | undefined {
  const { incoming, running, sameRevision, staying, places } = crowd;
  if (domains.size * most > staying) return undefined;
  if (places === undefined) {
    const isFull = incoming === running || domainsOfBoth([topology], crowd, nodes).size === domains.size;
    return isFull ? domains.size : undefined;
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
  nodes: NodeSearch,
  { limit, weather }: { readonly limit: number; readonly weather: boolean },
): number {
  nodes.budget.spend(template.spread.length);
  const labels = new Set([topologyKey, ...template.spread.map((constraint) => constraint.topologyKey)]);
  const labelled = [{ expressions: [...labels].map(isThere), fields: [] }];
  const selectors = [...(countsUnselected ? [] : nodes.queries.selectorsOf(template)), labelled];
  const tolerations = countsTainted ? EVERY_TAINT : template.tolerations;
  return nodes.domains([topologyKey], [{ selectors, zones: [], tolerations, weather }], limit).size;
}

const EVERY_TAINT: readonly Toleration[] = [{ key: '', operator: 'Exists', value: '', effect: '' }];
