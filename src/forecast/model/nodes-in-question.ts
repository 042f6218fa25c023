import type { Claim, Place } from '../../facts/claim.ts';
import { HOSTNAME } from '../../facts/node.ts';
import type { NodeSearch } from '../../facts/node-search.ts';
import type { Assumption } from '../assumption.ts';
import { type NodeClasses, nodeClasses } from './node-classes.ts';
import type { PodDraft } from './pod-class.ts';
import { anyVerdict, nodeFilters, type Verdict } from './scheduler/node-filters.ts';
import { toldApart } from './told-apart.ts';
import type { Parts } from './world.ts';

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
  const places = [...new Set(askers.flatMap(({ claims }) => claims.flatMap(({ claim }) => placesOfClaim(claim))))];
  const nodes = classesOf(pods, askers, places, around);
  const verdicts = nodes?.verdicts ?? [];
  const passed = askers.map((_, asker) => verdicts.map((verdict) => verdict?.passed[asker] ?? 0));
  return {
    nodes,
    passedBy: (pod) => passed[numberOf(pod)] ?? [],
    usableIn: new Map(places.map((place, at) => [place, verdicts.map((verdict) => verdict?.isUsable[at] ?? false)])),
  };
}

/** Pods that ask the same of nodes ask once. */
function askersOf(pods: readonly PodDraft[]) {
  const askers: PodDraft[] = [];
  const numberOf = ({ template, claims, countsCordons }: PodDraft): number =>
    askers.findIndex(
      (one) => one.template === template && one.claims === claims && one.countsCordons === countsCordons,
    );
  for (const pod of pods) if (numberOf(pod) < 0) askers.push(pod);
  return { askers, numberOf };
}

function placesOfClaim({ onceBound }: Claim): readonly Place[] {
  return onceBound?.type === 'place' ? onceBound.places : [];
}

function classesOf(
  pods: readonly PodDraft[],
  askers: readonly PodDraft[],
  usablePlaces: readonly Place[],
  { places, mostPods, search, assumption }: Around,
): NodeClasses | undefined {
  const topologyKeys = [...new Set(askers.flatMap(topologyKeysOf))];
  if (search === undefined) return unknownNodes(topologyKeys, anyVerdict(askers, usablePlaces), assumption);
  const minDomains = askers.flatMap(({ template }) => template.spread.map((spread) => spread.minDomains));
  const claims: readonly Place[] = [...new Set(askers.flatMap((asker) => asker.claims.map(({ claim }) => claim)))];
  const volumes = [...claims, ...usablePlaces];
  const asked = {
    selectors: [
      ...askers.flatMap(({ template }) => search.queries.selectorsOf(template)),
      ...volumes.flatMap(({ nodeAffinity }) => (nodeAffinity === undefined ? [] : [nodeAffinity])),
    ],
    zones: volumes.map(({ zones }) => zones),
  };
  return nodeClasses(search, {
    filters: nodeFilters(askers, usablePlaces, search),
    topologyKeys,
    named: new Set([...(places ?? []), ...pods.flatMap(({ template }) => template.nodeName ?? [])]),
    toldApart: askers.some(({ countsCordons }) => countsCordons) ? 'each' : toldApart(asked, search),
    most: Math.max(mostPods + 1, ...minDomains),
  });
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

function topologyKeysOf({ template, claims }: PodDraft): readonly string[] {
  const { podAffinity, podAntiAffinity, spread } = template;
  return [
    ...[...podAffinity, ...podAntiAffinity, ...spread].map(({ topologyKey }) => topologyKey),
    ...claims.flatMap(({ claim: { onceBound } }) => (onceBound?.type === 'domain' ? [onceBound.topology] : [])),
  ];
}
