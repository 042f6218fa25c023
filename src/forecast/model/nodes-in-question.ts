import type { Place } from '../../facts/claim.ts';
import { HOSTNAME } from '../../facts/node.ts';
import type { NodeSearch } from '../../facts/node-search.ts';
import type { Assumption } from '../assumption.ts';
import type { HeldClaim, PodClass } from './cluster.ts';
import { type NodeClasses, nodeClasses } from './node-classes.ts';
import type { Asker } from './scheduler/filter.ts';
import { anyVerdict, nodeFilters, type Verdict } from './scheduler/node-filters.ts';
import { toldApart } from './told-apart.ts';
import type { Parts } from './world.ts';

/** A pod before the nodes are known. */
type Draft = Omit<PodClass, 'index' | 'onlyNode'>;

export interface Askers {
  readonly askers: readonly Asker[];
  /** By pod, the asker that asks for it. */
  readonly numbers: ReadonlyMap<Draft, number>;
}

/** Pods that ask the same of nodes ask once. */
export function askersOf(pods: readonly Draft[]): Askers {
  const askers: Draft[] = [];
  const numbers = new Map<Draft, number>();
  for (const pod of pods) {
    const known = askers.findIndex((asker) => asksTheSame(asker, pod));
    numbers.set(pod, known < 0 ? askers.push(pod) - 1 : known);
  }
  return { askers, numbers };
}

function asksTheSame(one: Draft, other: Draft): boolean {
  return (
    one.template === other.template &&
    one.countsCordons === other.countsCordons &&
    one.claims.length === other.claims.length &&
    one.claims.every(({ claim }, at) => claim === other.claims[at]?.claim)
  );
}

/** The places of which the claim gets one. */
export function placesOfClaim({ claim: { onceBound } }: HeldClaim): readonly Place[] {
  return onceBound?.type === 'place' ? onceBound.places : [];
}

interface Looked extends Pick<Parts, 'places' | 'mostPods' | 'assumption'> {
  readonly search: NodeSearch | undefined;
  readonly askers: readonly Asker[];
  readonly usablePlaces: readonly Place[];
}

/** The nodes that these pods may be on, as far as any of them is told from the others. */
export function nodesFor(
  pods: readonly Draft[],
  { askers, usablePlaces, places, mostPods, search, assumption }: Looked,
): NodeClasses | undefined {
  const topologyKeys = [...new Set(pods.flatMap(topologyKeysOf))];
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

function topologyKeysOf({ template, claims }: Draft): readonly string[] {
  const { podAffinity, podAntiAffinity, spread } = template;
  return [
    ...[...podAffinity, ...podAntiAffinity, ...spread].map(({ topologyKey }) => topologyKey),
    ...claims.flatMap(({ claim: { onceBound } }) => (onceBound?.type === 'domain' ? [onceBound.topology] : [])),
  ];
}
