import type { Claim } from '../facts/claim.ts';
import type { PodFacts } from '../facts/gather.ts';
import type { NodeIndex, NodeQuery } from '../facts/node-index.ts';
import type { PodTemplate } from '../facts/pod-template.ts';
import { sameJson } from '../facts/same-json.ts';
import type { NodeSelectorTerm } from '../facts/selector.ts';
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
export function groundFor({ incoming, running, places, weather }: Arrival, nodes: NodeIndex): Ground {
  const query = queryFor(incoming, weather);
  return places === undefined
    ? groundAnywhere(incoming, running, query, nodes)
    : groundAt(incoming, query, nodes, places);
}

/** A pod that comes, and one that is there. */
export interface Arrival {
  readonly incoming: PodFacts;
  readonly running: PodFacts;
  readonly places?: ReadonlySet<string> | undefined;
  readonly weather: boolean;
}

function groundAnywhere(incoming: PodFacts, running: PodFacts, query: NodeQuery, nodes: NodeIndex): Ground {
  const { weather } = query;
  const landing = landingNodes(incoming, nodes, { weather });
  const runningQuery = queryFor(running, weather);
  const sitting = incoming === running ? landing : landingNodes(running, nodes, { weather });
  const all = new Set([...landing, ...sitting]);
  const alike =
    incoming === running || (all.size < 2 && landing.size > 0) || sameGround(incoming, running, query, runningQuery);
  return {
    nowhere: landing.size === 0,
    mayPart: landing.size > 0 && all.size > 1,
    mayNotJoin: !alike && sitsBeside(running, runningQuery, incoming, query, nodes),
  };
}

function groundAt(incoming: PodFacts, query: NodeQuery, nodes: NodeIndex, places: ReadonlySet<string>): Ground {
  const { nodeName } = incoming.workload.template;
  const joins = [...places].some((name) => (nodeName === undefined ? nodes.fits(name, query) : name === nodeName));
  const elsewhere = nodeName === undefined ? nodes.find(query, 1, places).length > 0 : !places.has(nodeName);
  return {
    nowhere: !joins && !elsewhere,
    mayPart: elsewhere,
    mayNotJoin: !joins,
  };
}

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

/** Whether pods may be on this node, by what lasts. */
export function mayLandOn(name: string, landing: Landing, nodes: NodeIndex): boolean {
  const { nodeName } = landing.workload.template;
  return nodeName === undefined ? nodes.fits(name, queryFor(landing, false)) : name === nodeName;
}

/** What decides where pods land. */
export interface Landing {
  readonly workload: Pick<Workload, 'template'>;
  readonly claims: readonly Claim[];
}

function sameGround(a: PodFacts, b: PodFacts, queryA: NodeQuery, queryB: NodeQuery): boolean {
  if (a.workload.template.nodeName !== b.workload.template.nodeName) return false;
  const { zones: zonesA, ...restA } = queryA;
  const { zones: zonesB, ...restB } = queryB;
  return sameJson(restA, restB) && zonesA.length === zonesB.length && zonesA.every((zones, at) => zones === zonesB[at]);
}

/** Whether a running pod may sit on a node that the incoming one does not fit. */
function sitsBeside(
  running: PodFacts,
  runningQuery: NodeQuery,
  incoming: PodFacts,
  query: NodeQuery,
  nodes: NodeIndex,
): boolean {
  const from = running.workload.template.nodeName;
  const to = incoming.workload.template.nodeName;
  if (from !== undefined) return to === undefined ? !nodes.fits(from, query) : from !== to;
  if (to !== undefined) return nodes.find(runningQuery, 1, new Set([to])).length > 0;
  return nodes.findBeside(runningQuery, query) !== undefined;
}

function queryFor({ workload: { template }, claims }: Landing, weather: boolean): NodeQuery {
  const volumes = claims.flatMap(({ nodeAffinity }) => (nodeAffinity === undefined ? [] : [nodeAffinity]));
  return {
    selectors: [...selectorsOf(template), ...volumes],
    zones: claims.map((claim) => claim.zones),
    tolerations: template.tolerations,
    weather,
  };
}

export function selectorsOf({ nodeSelector, nodeAffinity }: PodTemplate): readonly (readonly NodeSelectorTerm[])[] {
  return [
    ...(nodeSelector.length > 0 ? [[{ expressions: nodeSelector, fields: [] }]] : []),
    ...(nodeAffinity === undefined ? [] : [nodeAffinity]),
  ];
}
