import type { Claim } from '../../facts/claim.ts';
import type { PodFacts } from '../../facts/gather.ts';
import { type Assumption, exclusivityOf, isAttachedToOne } from '../assumption.ts';
import { firstOf, podOf, type Revision } from '../pod-labels.ts';
import type { Cluster, HeldClaim, PodClass, Volume } from './cluster.ts';
import { askersOf, nodesFor, placesOfClaim } from './nodes-in-question.ts';
import { type Scheduler, scheduler } from './scheduler/scheduler.ts';
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
  const all = [...drafts.flat(), ...foreign];
  const search = own[0]?.facts.nodes.known ? own[0].facts.nodes.value : undefined;
  const { askers, numbers } = askersOf(all);
  const usablePlaces = [...new Set(all.flatMap(({ claims }) => claims.flatMap(placesOfClaim)))];
  const nodes = nodesFor(all, { askers, usablePlaces, places, mostPods, search, assumption });
  if (nodes === undefined) return undefined;
  const classes: PodClass[] = [];
  const passed: (readonly number[])[] = [];
  const passedBy = askers.map((_, asker) => nodes.verdicts.map((verdict) => verdict?.passed[asker] ?? 0));
  const add = (one: Draft, onlyNode: number | undefined): number => {
    const named = one.template.nodeName;
    const at = named === undefined ? onlyNode : nodes.names.indexOf(named);
    passed.push(passedBy[numbers.get(one) ?? 0] ?? []);
    return classes.push({ ...one, index: classes.length, onlyNode: at }) - 1;
  };
  const isPerNode = own.some(({ facts }) => facts.workload.onEveryNode);
  const ownClasses = drafts.map((ofTemplate) => {
    const [one] = ofTemplate;
    if (isPerNode && one !== undefined) return nodes.names.map((_, node) => add(one, node));
    return ofTemplate.map((draft) => add(draft, undefined));
  });
  const otherClasses = foreign.map((one) => add(one, undefined));
  if (classes.length > MOST_CLASSES) return undefined;
  const usableIn = new Map(
    usablePlaces.map((place, at) => [place, nodes.verdicts.map((verdict) => verdict?.isUsable[at] ?? false)]),
  );
  const cluster: Cluster = { ...nodes, search, classes, passed, usableIn, volumes: [...volumes.values()] };
  const unknown = { unknownIsHarmless: assumption === 'harmless' };
  return {
    cluster,
    scheduler: scheduler(cluster, { alike: nodes.alike, ...unknown }),
    own: ownClasses,
    others: otherClasses,
  };
}

type Draft = Omit<PodClass, 'index' | 'onlyNode'>;

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
