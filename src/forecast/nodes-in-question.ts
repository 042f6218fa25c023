import type { OnceBound, Place } from '../facts/claim.ts';
import type { NodeSearch } from '../facts/node-search.ts';
import { HOSTNAME } from '../objects/node.ts';
import type { NodeSelectorTerm } from '../objects/selector.ts';
import { type Assumption, exclusivityOf } from './assumption.ts';
import { type NodeClasses, nodeClasses } from './node-classes.ts';
import type { Parts } from './parts.ts';
import type { PodDraft } from './pod-class.ts';
import { anyVerdict, nodeFilters, type Verdict } from './scheduler/node-filters.ts';
import { type AskedOfNodes, toldApart } from './told-apart.ts';

/** The nodes that pods may be on, and what they say. */
export interface NodesInQuestion {
  /** `undefined` where more of them differ than are looked at. */
  readonly nodes: NodeClasses | undefined;
  /** By node, what pods like these pass, as bits. */
  readonly passedBy: (pod: PodDraft) => readonly number[];
  readonly usableIn: ReadonlyMap<Place, readonly boolean[]>;
}

interface Around extends Pick<Parts, 'places' | 'mostPods' | 'assumption'> {
  readonly search: NodeSearch | undefined;
}

/** The nodes that these pods may be on, as far as any of them is told from the others. */
export function nodesFor(pods: readonly PodDraft[], around: Around): NodesInQuestion {
  const { askers, numberOf } = askersOf(pods);
  const places = placesOf(askers);
  const nodes = classesOf(pods, askers, places, around);
  const verdicts = nodes?.verdicts ?? [];
  const passed = askers.map((_, asker) => verdicts.map((verdict) => verdict?.passed[asker] ?? 0));
  return {
    nodes,
    passedBy: (pod) => passed[numberOf(pod)] ?? [],
    usableIn: new Map(
      [...places.keys()].map((place, at) => [place, verdicts.map((verdict) => verdict?.isUsable[at] ?? false)]),
    ),
  };
}

/** Where volumes may come to be, and of each place the numbers of the pools that it is in. */
function placesOf(askers: readonly PodDraft[]): ReadonlyMap<Place, string> {
  const places = new Map<Place, string>();
  const pools = new Set<OnceBound>();
  for (const { claims } of askers) {
    for (const { claim } of claims) {
      if (claim.onceBound?.type !== 'place' || pools.has(claim.onceBound)) continue;
      for (const place of claim.onceBound.places) places.set(place, `${places.get(place) ?? ''} ${pools.size}`);
      pools.add(claim.onceBound);
    }
  }
  return places;
}

/** Pods that ask the same of nodes ask once. */
function askersOf(pods: readonly PodDraft[]) {
  const askers: PodDraft[] = [];
  const numberOf = ({ template, claims, countsCordons, areThere }: PodDraft): number =>
    askers.findIndex(
      (one) =>
        one.template === template &&
        one.claims === claims &&
        one.countsCordons === countsCordons &&
        one.areThere === areThere,
    );
  for (const pod of pods) if (numberOf(pod) < 0) askers.push(pod);
  return { askers, numberOf };
}

function classesOf(
  pods: readonly PodDraft[],
  askers: readonly PodDraft[],
  usablePlaces: ReadonlyMap<Place, string>,
  { places, mostPods, search, assumption }: Around,
): NodeClasses | undefined {
  const topologyKeys = topologyKeysOf(askers);
  if (search === undefined) return unknownNodes(topologyKeys, anyVerdict(askers, usablePlaces), assumption);
  const named = new Set(places);
  for (const { template } of pods) if (template.nodeName !== undefined) named.add(template.nodeName);
  let most = usablePlaces.size < 2 || mayMeet(askers, assumption) ? mostPods + 1 : 1;
  for (const { template } of askers) for (const { minDomains } of template.spread) most = Math.max(most, minDomains);
  return nodeClasses(search, {
    filters: nodeFilters(askers, usablePlaces, search),
    topologyKeys,
    named,
    toldApart: askers.some(({ countsCordons }) => countsCordons)
      ? 'each'
      : toldApart(askedOfNodes(askers, usablePlaces, search), search),
    requests: askers.flatMap(({ template }) => template.requests),
    most,
  });
}

/** Whether it may matter to a pod which others are on its node. Else one of the nodes that are alike is enough where volumes have a choice. */
function mayMeet(askers: readonly PodDraft[], assumption: Assumption): boolean {
  return askers.some(({ facts, template, claims }) => {
    if (facts.workload.onEveryNode) return true;
    const { podAffinity, podAntiAffinity, spread, hostPorts, restrictedDisks } = template;
    const asks =
      podAffinity.length + podAntiAffinity.length + spread.length + hostPorts.length + restrictedDisks.length;
    return asks > 0 || claims.some(({ claim }) => exclusivityOf(claim, assumption) !== 'shared');
  });
}

function askedOfNodes(
  askers: readonly PodDraft[],
  usablePlaces: ReadonlyMap<Place, string>,
  { queries }: NodeSearch,
): AskedOfNodes {
  const [selectors, zones]: [(readonly NodeSelectorTerm[])[], Place['zones'][]] = [[], []];
  const add = (place: Place): void => {
    if (place.nodeAffinity !== undefined) selectors.push(place.nodeAffinity);
    if (place.zones.size > 0) zones.push(place.zones);
  };
  for (const { template, claims } of askers) {
    selectors.push(...queries.selectorsOf(template));
    for (const { claim } of claims) add(claim);
  }
  for (const place of usablePlaces.keys()) add(place);
  return { selectors, zones };
}

function topologyKeysOf(pods: readonly PodDraft[]): readonly string[] {
  const keys = new Set<string>();
  for (const { template, claims } of pods) {
    for (const { topologyKey } of template.podAffinity) keys.add(topologyKey);
    for (const { topologyKey } of template.podAntiAffinity) keys.add(topologyKey);
    for (const { topologyKey } of template.spread) keys.add(topologyKey);
    for (const { claim } of claims) if (claim.onceBound?.type === 'domain') keys.add(claim.onceBound.topology);
  }
  return [...keys];
}

/** Where nodes are not known there are none, or two that take every pod. */
function unknownNodes(topologyKeys: readonly string[], verdict: Verdict, assumption: Assumption): NodeClasses {
  const names = assumption === 'harmless' ? [] : ['some node', 'another node'];
  const nodes = names.map((name) => ({
    name,
    labels: new Map(topologyKeys.map((key) => [key, key === HOSTNAME ? name : ''])),
    taints: [],
    unschedulable: false,
  }));
  return { names, nodes, alike: names.map(() => 0), verdicts: names.map(() => verdict) };
}
