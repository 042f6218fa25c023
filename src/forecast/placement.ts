import type { Claim } from '../facts/claim.ts';
import type { PodFacts } from '../facts/gather.ts';
import type { NodeIndex, NodeQuery } from '../facts/node-index.ts';
import { type PodTemplate, selectorsOf } from '../facts/pod-template.ts';
import { sameJson } from '../facts/same-json.ts';
import type { NodeSelectorTerm, Requirement } from '../facts/selector.ts';
import type { Toleration } from '../facts/toleration.ts';
import type { Workload } from '../facts/workload.ts';

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
export function groundFor(arrival: Arrival, nodes: NodeIndex): Ground {
  const { incoming, places, weather } = arrival;
  const query = queryFor(incoming, weather);
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
function groundAnywhere(arrival: Arrival, query: NodeQuery, nodes: NodeIndex): Ground {
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
      : sitsBeside(queryFor(running, weather), query, nodes),
  };
}

function groundAt(incoming: PodFacts, query: NodeQuery, nodes: NodeIndex, places: ReadonlySet<string>): Ground {
  const { nodeName } = incoming.workload.template;
  const joins = [...places].some((name) => mayLandOn(name, incoming, nodes, query));
  const elsewhere = nodeName === undefined ? nodes.find(query, 1, places).length > 0 : !places.has(nodeName);
  return {
    nowhere: !joins && !elsewhere,
    mayPart: elsewhere,
    mayNotJoin: !joins,
  };
}

/** Where running pods may sit and the incoming one may land. Without places all nodes are looked at. */
export function nodesToJoin({ incoming, running, places, weather }: Arrival, nodes: NodeIndex): readonly string[] {
  const query = queryFor(incoming, weather);
  if (places !== undefined) return [...places].filter((name) => mayLandOn(name, incoming, nodes, query));
  const landing = landingNodes(incoming, nodes, { weather, limit: nodes.size });
  return [...landing].filter((name) => mayLandOn(name, running, nodes));
}

/**
 * Whether a pod of a DaemonSet stays on one of these nodes although none may come there now: a NoSchedule taint evicts
 * nobody (`pkg/controller/daemon/daemon_controller.go:NodeShouldRunDaemonPod`).
 */
export function staysTainted(facts: PodFacts, places: ReadonlySet<string>, nodes: NodeIndex): boolean {
  const query = queryFor(facts, false);
  const staying = { ...query, tolerations: [...query.tolerations, ANY_NO_SCHEDULE] };
  return [...places].some((name) => !nodes.fits(name, query) && nodes.fits(name, staying));
}

const ANY_NO_SCHEDULE: Toleration = { key: '', operator: 'Exists', value: '', effect: 'NoSchedule' };

/** At most two names, because most depends on no third. A nodeName goes past the scheduler. */
export function landingNodes(
  landing: Landing,
  nodes: NodeIndex,
  { weather = false, limit = 2 }: { readonly weather?: boolean; readonly limit?: number } = {},
): ReadonlySet<string> {
  const { nodeName } = landing.workload.template;
  if (nodeName !== undefined) return new Set([nodeName]);
  return new Set(nodes.find(queryFor(landing, weather), limit).map((node) => node.name));
}

/** Whether pods may be on this node, by what lasts unless the query says otherwise. */
export function mayLandOn(
  name: string,
  landing: Landing,
  nodes: NodeIndex,
  query: NodeQuery = queryFor(landing, false),
): boolean {
  const { nodeName } = landing.workload.template;
  return nodeName === undefined ? nodes.fits(name, query) : name === nodeName;
}

/** What decides where pods land. */
export interface Landing extends Partial<Pick<PodFacts, 'beside'>> {
  readonly workload: Pick<Workload, 'template'>;
  readonly claims: readonly Claim[];
}

/** Whether some node fits the running pod and not the incoming one. An update that leaves both alike looks at none. */
function sitsBeside(running: NodeQuery, incoming: NodeQuery, nodes: NodeIndex): boolean {
  return !sameQuery(running, incoming) && nodes.findBeside(running, incoming) !== undefined;
}

function sameQuery({ zones: a, ...restOfA }: NodeQuery, { zones: b, ...restOfB }: NodeQuery): boolean {
  return sameJson(restOfA, restOfB) && a.length === b.length && a.every((zones, at) => zones === b[at]);
}

/** The domains of a topology that nodes which fit are in; no more than `limit` are looked for. */
export function domainsAmong(topology: string, query: NodeQuery, nodes: NodeIndex, limit: number): readonly string[] {
  const found: string[] = [];
  while (found.length < limit) {
    const another: NodeSelectorTerm = {
      expressions: [isThere(topology), { key: topology, operator: 'NotIn', values: found }],
      fields: [],
    };
    const [node] = nodes.find({ ...query, selectors: [...query.selectors, [another]] }, 1);
    const domain = node?.labels.get(topology);
    if (domain === undefined) break;
    found.push(domain);
  }
  return found;
}

/** The nodes that fit, unless a nodeName says where. */
export function queryFor({ workload: { template }, claims, beside = [] }: Landing, weather: boolean): NodeQuery {
  const volumes = claims.flatMap(({ nodeAffinity }) => (nodeAffinity === undefined ? [] : [nodeAffinity]));
  return {
    selectors: [...selectorsOf(template), ...topologiesOf(template), ...volumes, ...beside],
    zones: claims.map((claim) => claim.zones),
    tolerations: template.tolerations,
    weather,
  };
}

/**
 * A node without a label by which the pod has to share a domain, or to spread, is none for it
 * (`interpodaffinity/filtering.go:satisfyPodAffinity`, `podtopologyspread/filtering.go:Filter`).
 */
function topologiesOf({ podAffinity, spread }: PodTemplate): readonly (readonly NodeSelectorTerm[])[] {
  const keys = new Set([...podAffinity, ...spread].map(({ topologyKey }) => topologyKey));
  return keys.size === 0 ? [] : [[{ expressions: [...keys].map(isThere), fields: [] }]];
}

export function isThere(key: string): Requirement {
  return { key, operator: 'Exists', values: [] };
}
