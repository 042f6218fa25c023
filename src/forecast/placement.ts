import type { Landing } from '../facts/landing-queries.ts';
import type { NodeSearch } from '../facts/node-search.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import type { Toleration } from '../objects/toleration.ts';
import { DomainCount, type Domains, domainIn } from '../snapshot/domains.ts';
import type { NodeQuery } from '../snapshot/node-query.ts';

/** Where an incoming pod may land, as seen from where a running one may sit. */
export interface Ground {
  /** No node fits the incoming pod at all. */
  readonly nowhere: boolean;
  /** The running pod may sit somewhere, and the incoming one land somewhere else. */
  readonly mayPart: boolean;
  /** The running pod may sit where the incoming one may not land. */
  readonly mayNotJoin: boolean;
}

/**
 * Judged by what lasts: free capacity is not looked at, cordons and the health of nodes only for an incoming pod that
 * comes today. `places` are those of the running pods; without them they sit wherever their template lets them.
 */
export function groundFor(arrival: Arrival, nodes: NodeSearch): Ground {
  const { incoming, places, weather } = arrival;
  const query = nodes.queries.of(incoming, weather);
  return places === undefined ? groundAnywhere(arrival, query, nodes) : groundAt(incoming, query, nodes, places);
}

/** Whether the running pods, their places not being known, are of those that come today: the same workload as it is now. */
export function bothComeToday({ incoming, running, weather }: Arrival): boolean {
  return weather && running.workload === incoming.workload;
}

/** A pod that comes, and one that is there. */
export interface Arrival {
  readonly incoming: PodFacts;
  readonly running: PodFacts;
  readonly places?: ReadonlySet<string> | undefined;
  readonly weather: boolean;
}

/** A running pod may sit wherever its template lets it; one of the very same template came as the other one comes. */
function groundAnywhere(arrival: Arrival, query: NodeQuery, nodes: NodeSearch): Ground {
  const { incoming, running } = arrival;
  const landing = landingNodes(incoming, nodes, { weather: query.weather });
  const nowhere = landing.size === 0;
  if (incoming === running) return { nowhere, mayPart: landing.size > 1, mayNotJoin: false };
  const weather = bothComeToday(arrival);
  const sitting = landingNodes(running, nodes, { weather });
  // Two nodes are enough to tell: one of them is not the one that a nodeName says.
  const isNamed = [incoming, running].some(({ workload }) => workload.template.nodeName !== undefined);
  return {
    nowhere,
    mayPart: !nowhere && new Set([...landing, ...sitting]).size > 1,
    mayNotJoin: isNamed
      ? [...sitting].some((name) => !mayLandOn(name, incoming, nodes, query))
      : nodes.findBeside(nodes.queries.of(running, weather), query) !== undefined,
  };
}

function groundAt(incoming: PodFacts, query: NodeQuery, nodes: NodeSearch, places: ReadonlySet<string>): Ground {
  const { nodeName } = incoming.workload.template;
  const joins = [...places].some((name) => mayLandOn(name, incoming, nodes, query));
  const elsewhere = nodeName === undefined ? nodes.find([query], 1, places).length > 0 : !places.has(nodeName);
  return {
    nowhere: !joins && !elsewhere,
    mayPart: elsewhere,
    mayNotJoin: !joins,
  };
}

/** At most two nodes where running pods may sit and the incoming one may land. */
export function nodesToJoin({ incoming, running, places, weather }: Arrival, nodes: NodeSearch): readonly string[] {
  const query = nodes.queries.of(incoming, weather);
  if (places !== undefined) return [...places].filter((name) => mayLandOn(name, incoming, nodes, query)).slice(0, 2);
  return landingOfBoth({ incoming, running, weather }, nodes, 2);
}

/** At most `limit` nodes on which pods of both may land; today's cordons count for the incoming ones alone. */
export function landingOfBoth(
  { incoming, running, weather }: Pick<Arrival, 'incoming' | 'weather'> & { readonly running: Landing },
  nodes: NodeSearch,
  limit: number,
  except: ReadonlySet<string> = new Set(),
): readonly string[] {
  const query = nodes.queries.of(incoming, weather);
  const named = incoming.workload.template.nodeName ?? running.workload.template.nodeName;
  if (named === undefined) {
    return nodes.find([query, nodes.queries.of(running, false)], limit, except).map(({ name }) => name);
  }
  const isOfBoth = mayLandOn(named, incoming, nodes, query) && mayLandOn(named, running, nodes);
  return isOfBoth && !except.has(named) ? [named] : [];
}

/**
 * Whether a pod of a DaemonSet stays on one of these nodes although none may come there now: a NoSchedule taint evicts
 * nobody (`pkg/controller/daemon/daemon_controller.go:NodeShouldRunDaemonPod`).
 */
export function staysTainted(facts: PodFacts, places: ReadonlySet<string>, nodes: NodeSearch): boolean {
  const query = nodes.queries.of(facts, false);
  const staying = { ...query, tolerations: [...query.tolerations, ANY_NO_SCHEDULE] };
  return [...places].some((name) => !nodes.fits(name, query) && nodes.fits(name, staying));
}

const ANY_NO_SCHEDULE: Toleration = { key: '', operator: 'Exists', value: '', effect: 'NoSchedule' };

/** At most two names, because most depends on no third. A nodeName goes past the scheduler. */
export function landingNodes(
  landing: Landing,
  nodes: NodeSearch,
  { weather = false, limit = 2 }: { readonly weather?: boolean; readonly limit?: number } = {},
): ReadonlySet<string> {
  const { nodeName } = landing.workload.template;
  if (nodeName !== undefined) return new Set([nodeName]);
  return new Set(nodes.find([nodes.queries.of(landing, weather)], limit).map((node) => node.name));
}

/** Whether pods may be on this node, by what lasts unless the query says otherwise. */
export function mayLandOn(
  name: string,
  landing: Landing,
  nodes: NodeSearch,
  query: NodeQuery = nodes.queries.of(landing, false),
): boolean {
  const { nodeName } = landing.workload.template;
  return nodeName === undefined ? nodes.fits(name, query) : name === nodeName;
}

/** The domains in which pods may land; once there are `limit`, no more are looked for. */
export function landingDomains(
  topologies: readonly string[],
  landing: Landing,
  nodes: NodeSearch,
  { weather = false, limit }: { readonly weather?: boolean; readonly limit?: number } = {},
): Domains {
  const { nodeName } = landing.workload.template;
  if (nodeName !== undefined) return domainsOf([nodeName], topologies, nodes);
  return nodes.domains(topologies, [nodes.queries.of(landing, weather)], limit);
}

/** The domains in which pods of both may land; of nodeNames only the one that both say is one. */
export function domainsOfBoth(topologies: readonly string[], pods: Arrival, nodes: NodeSearch): Domains {
  const { incoming, running, weather } = pods;
  const isNamed = [incoming, running].some(({ workload }) => workload.template.nodeName !== undefined);
  if (isNamed) return domainsOf(landingOfBoth(pods, nodes, 1), topologies, nodes);
  return nodes.domains(topologies, [nodes.queries.of(incoming, weather), nodes.queries.of(running, false)]);
}

/** The domains that these nodes are in; one that is no more has no labels. */
export function domainsOf(names: Iterable<string>, topologies: readonly string[], nodes: NodeSearch): Domains {
  const count = new DomainCount();
  for (const name of names) {
    nodes.budget.spend();
    count.add(domainIn(topologies, nodes.get(name) ?? { name, labels: NO_LABELS }), name);
  }
  return count.domains;
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();
