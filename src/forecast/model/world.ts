import type { Claim } from '../../facts/claim.ts';
import type { PodFacts } from '../../facts/workload-facts.ts';
import { HOSTNAME, type Node } from '../../objects/node.ts';
import { type Assumption, exclusivityOf, isAttachedToOne } from '../assumption.ts';
import { firstOf, podOf, type Revision } from '../pod-labels.ts';
import type { Cluster, HeldClaim, PodClass, Volume } from './cluster.ts';
import { type NodeClasses, nodeClasses } from './node-classes.ts';
import { NODE_FILTERS, type Scheduler, scheduler, VOLUME_FILTERS } from './scheduler/scheduler.ts';
import { isAt } from './scheduler/volume-binding.ts';
import { MOST_CLASSES } from './state.ts';

/** Pods of one template of the workload in question. */
export interface OwnPods {
  readonly facts: PodFacts;
  readonly revision: Revision;
  /** How many of them have a number, and so are a class each; nothing where all are alike. */
  readonly ordinals: number | undefined;
  readonly countsCordons: boolean;
}

/** A pod of another workload; without a number it is whichever of them. */
export interface OtherPods {
  readonly facts: PodFacts;
  readonly number: number | undefined;
}

/** Everything that a forecast searches in. */
export interface World {
  readonly cluster: Cluster;
  readonly scheduler: Scheduler;
  /** By template, then by ordinal or node, the class of its pods. */
  readonly own: readonly (readonly number[])[];
  /** The classes of pods of other workloads. */
  readonly others: readonly number[];
}

export interface Parts {
  readonly own: readonly OwnPods[];
  readonly others: readonly OtherPods[];
  /** Nodes on which pods are known to be. */
  readonly places: ReadonlySet<string> | undefined;
  /** The most pods that there may be at once. */
  readonly mostPods: number;
  readonly assumption: Assumption;
}

/** `undefined` where there are more nodes or pods that differ than are looked at. */
export function worldOf({ own, others, places, mostPods, assumption }: Parts): World | undefined {
  const volumes = new Map<string, Volume & { readonly index: number }>();
  const draft = (
    { facts, number }: OtherPods,
    revision: Revision,
    more: Pick<PodClass, 'isOwn' | 'countsCordons'>,
    ordinal?: number,
  ): Draft => {
    const claims = [...facts.claims, ...(ordinal === undefined ? [] : (facts.ownClaims[ordinal] ?? []))];
    const held = claims.map((claim) => heldClaim(claim, volumes, assumption));
    return { ...podOf(facts, revision, number), facts, claims: held, ...more };
  };
  const drafts = own.map(({ facts, revision, ordinals, countsCordons }) =>
    Array.from({ length: ordinals ?? 1 }, (_, ordinal) =>
      draft(
        { facts, number: firstOf(facts.workload) + ordinal },
        revision,
        { countsCordons, isOwn: true },
        ordinals === undefined ? undefined : ordinal,
      ),
    ),
  );
  const foreign = others.map((pods) => draft(pods, 'new', { isOwn: false, countsCordons: false }));
  const nodes = nodesFor([...drafts.flat(), ...foreign], { places, mostPods, own, assumption });
  if (nodes === undefined) return undefined;
  const classes: PodClass[] = [];
  const add = (one: Draft, onlyNode: number | undefined): number => {
    const named = one.template.nodeName;
    const at = named === undefined ? onlyNode : nodes.names.indexOf(named);
    return classes.push({ ...one, index: classes.length, onlyNode: at }) - 1;
  };
  const isPerNode = own.some(({ facts }) => facts.workload.onEveryNode);
  const ownClasses = drafts.map((ofTemplate) => {
    const [one] = ofTemplate;
    if (isPerNode && one !== undefined) return nodes.names.map((_, node) => add(one, node));
    return ofTemplate.map((draft) => add(draft, undefined));
  });
  const classOfDraft = classesOnce(keysOfSelectors([...drafts.flat(), ...foreign]), (one) => add(one, undefined));
  const otherClasses = foreign.map(classOfDraft);
  if (classes.length > MOST_CLASSES) return undefined;
  const cluster: Cluster = { ...nodes, classes, volumes: [...volumes.values()] };
  const unknown = { unknownIsHarmless: assumption === 'harmless' };
  return {
    cluster,
    scheduler: scheduler(cluster, { alike: nodes.alike, fitsAll: own[0]?.facts.nodes.known === false, ...unknown }),
    own: ownClasses,
    others: otherClasses,
  };
}

type Draft = Omit<PodClass, 'index' | 'onlyNode'>;

/** Pods of others that hold nothing, ask for the same and have the same labels, as far as a selector names them, are of one class. */
function classesOnce(keys: readonly string[], add: (one: Draft) => number): (one: Draft) => number {
  const known = new Map<string, number>();
  return (one) => {
    if (one.claims.length > 0 || one.facts.workload.onEveryNode) return add(one);
    const { labels, ...asked } = one.template;
    const key = JSON.stringify([one.namespace, asked, keys.map((name) => one.labels.get(name) ?? null)]);
    const podClass = known.get(key) ?? add(one);
    known.set(key, podClass);
    return podClass;
  };
}

function keysOfSelectors(pods: readonly Draft[]): readonly string[] {
  const terms = pods.flatMap(({ template: { podAffinity, podAntiAffinity, spread } }) => [
    ...[...podAffinity, ...podAntiAffinity].flatMap((term) => [
      term,
      { selector: [], matchLabelKeys: term.mismatchLabelKeys },
    ]),
    ...spread,
  ]);
  return [
    ...new Set(
      terms.flatMap(({ selector = [], matchLabelKeys }) => [...selector.map(({ key }) => key), ...matchLabelKeys]),
    ),
  ];
}

function heldClaim(
  claim: Claim,
  volumes: Map<string, Volume & { readonly index: number }>,
  assumption: Assumption,
): HeldClaim {
  const found = volumes.get(claim.identity);
  if (found !== undefined) return { claim, volume: found.index };
  const volume = {
    index: volumes.size,
    claim,
    isAttachedToOne: isAttachedToOne(claim, assumption),
    isForOnePod: exclusivityOf(claim, assumption) === 'one-pod',
  };
  volumes.set(claim.identity, volume);
  return { claim, volume: volume.index };
}

function nodesFor(
  pods: readonly Draft[],
  { places, mostPods, own, assumption }: Pick<Parts, 'places' | 'mostPods' | 'own' | 'assumption'>,
): NodeClasses | undefined {
  const [known] = own;
  const topologyKeys = [...new Set(pods.flatMap(topologyKeysOf))];
  if (known === undefined || !known.facts.nodes.known) return unknownNodes(topologyKeys, assumption);
  const named = new Set([...(places ?? []), ...pods.flatMap(({ template }) => template.nodeName ?? [])]);
  const minDomains = pods.flatMap(({ template }) => template.spread.map((spread) => spread.minDomains));
  const looked = pods.map((pod) => ({ ...pod, index: 0, onlyNode: undefined }));
  const filters = (node: Node): string => {
    let passed = '';
    for (const pod of looked) {
      for (const group of [NODE_FILTERS, VOLUME_FILTERS]) {
        passed += group.every((fits) => fits(pod, node, 0)) ? '1' : '0';
      }
      for (const { claim } of pod.claims) passed += placesPassed(claim, node);
    }
    return passed;
  };
  const most = Math.max(mostPods + 1, ...minDomains);
  return nodeClasses(known.facts.nodes.value, { filters, topologyKeys, named, most });
}

/** Which of the volumes that a claim may get can be used on the node. */
function placesPassed({ onceBound }: Claim, node: Node): string {
  if (onceBound?.type !== 'place') return '';
  return onceBound.places.map((place) => (isAt(place, node) ? '1' : '0')).join('');
}

/** Where nodes are not known there are none, or two that take every pod. */
function unknownNodes(topologyKeys: readonly string[], assumption: Assumption): NodeClasses {
  const names = assumption === 'harmless' ? [] : ['some node', 'another node'];
  const nodes = names.map((name) => ({
    name,
    labels: new Map(topologyKeys.map((key) => [key, key === HOSTNAME ? name : ''])),
    taints: [],
    unschedulable: false,
  }));
  return { names, nodes, alike: names.map(() => 0) };
}

function topologyKeysOf({ template, claims }: Draft): readonly string[] {
  const { podAffinity, podAntiAffinity, spread } = template;
  return [
    ...[...podAffinity, ...podAntiAffinity, ...spread].map(({ topologyKey }) => topologyKey),
    ...claims.flatMap(({ claim: { onceBound } }) => (onceBound?.type === 'domain' ? [onceBound.topology] : [])),
  ];
}
