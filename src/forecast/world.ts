import type { Claim } from '../facts/claim.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import { alikeOnce } from './alike-once.ts';
import { attachDetach, waitedFor } from './attach-detach.ts';
import { ClaimNames } from './claim-names.ts';
import type { Cluster, HeldClaim, PodClass, Steps } from './cluster.ts';
import { type Kubelets, kubelets } from './kubelet.ts';
import { nodesFor } from './nodes-in-question.ts';
import type { Parts } from './parts.ts';
import { NumberedPods, PodDraft } from './pod-class.ts';
import { firstOf } from './pod-labels.ts';
import { type Scheduler, scheduler } from './scheduler/scheduler.ts';
import type { Looking } from './search.ts';
import { MOST_CLASSES } from './state.ts';
import { symmetryOf } from './symmetry.ts';
import { heldVolumes } from './volumes.ts';

/** Everything that a forecast searches in. */
export interface World {
  readonly cluster: Cluster;
  readonly scheduler: Scheduler;
  readonly attachDetach: Steps;
  readonly kubelets: Kubelets;
  readonly claimNames: ClaimNames;
  /** As a search takes it, once it needs it. */
  readonly symmetry: Looking['symmetry'];
  /** The volumes for which pods wait. */
  readonly waitedFor: ReturnType<typeof waitedFor>;
  /** By template, then by ordinal or node, the class of its pods. */
  readonly own: readonly (readonly number[])[];
  /** The classes of pods of other workloads. */
  readonly others: readonly number[];
}

/** `undefined` where there are more nodes or pods that differ than are looked at. */
export function worldOf({ own, others, places, mostPods, assumption, budget }: Parts): World | undefined {
  const counts = own.map(({ ordinals }) => ordinals ?? 1);
  if (counts.reduce((sum, count) => sum + count, 0) > MOST_CLASSES) return undefined;
  const lists = new ClaimLists();
  const listsOf: (readonly Claim[])[][] = [];
  const all: (readonly Claim[])[] = [];
  for (const [template, { facts, ordinals }] of own.entries()) {
    const ofTemplate: (readonly Claim[])[] = [];
    for (let ordinal = 0; ordinal < (counts[template] ?? 0); ordinal++)
      ofTemplate.push(lists.of(facts, ordinals && ordinal));
    listsOf.push(ofTemplate);
    all.push(...ofTemplate);
  }
  for (const { facts } of others) all.push(facts.claims);
  budget.spend(OPERATIONS_OF_A_WORLD + all.reduce((sum, claims) => sum + OPERATIONS_OF_PODS + claims.length, 0));
  const { volumes, byList } = heldVolumes(all, assumption);
  const heldBy = (claims: readonly Claim[]): readonly HeldClaim[] => byList.get(claims) ?? [];
  const drafts = own.map(({ facts, revision, ordinals, countsCordons, areThere }, template) =>
    (listsOf[template] ?? []).map((claims, ordinal) => {
      const number = firstOf(facts.workload) + (ordinals === undefined ? 0 : ordinal);
      return new PodDraft({ facts, revision, number, isOwn: true, areThere, countsCordons, claims: heldBy(claims) });
    }),
  );
  const ownDrafts = drafts.flat();
  const foreign = alikeOnce(
    others.map(({ facts, number }) => {
      const claims = heldBy(facts.claims);
      return new PodDraft({
        ...{ facts, number, revision: 'new', isOwn: false, areThere: true, countsCordons: false, claims },
      });
    }),
    ownDrafts,
    budget,
  );
  const distinct = [...new Set(foreign)];
  if (counts.reduce((sum, count) => sum + count, distinct.length) > MOST_CLASSES) return undefined;
  const search = own[0]?.facts.nodes.known ? own[0].facts.nodes.value : undefined;
  const { nodes, passedBy, usableIn } = nodesFor([...ownDrafts, ...distinct], {
    ...{ places, mostPods, search, assumption },
  });
  if (nodes === undefined) return undefined;
  const classes: PodClass[] = [];
  const passed: (readonly number[])[] = [];
  const add = (draft: PodDraft, onlyNode: number | undefined): number => {
    const { nodeName } = draft.template;
    passed.push(passedBy(draft));
    const at = nodeName === undefined ? onlyNode : nodes.names.indexOf(nodeName);
    return classes.push(new NumberedPods(draft, classes.length, at)) - 1;
  };
  const isPerNode = own.some(({ facts }) => facts.workload.onEveryNode);
  const ownClasses = drafts.map((ofTemplate) => {
    const [one] = ofTemplate;
    if (isPerNode && one !== undefined) return nodes.names.map((_, node) => add(one, node));
    return ofTemplate.map((draft) => add(draft, undefined));
  });
  const classOf = new Map(distinct.map((one) => [one, add(one, undefined)]));
  const otherClasses = foreign.map((one) => classOf.get(one) ?? -1);
  if (classes.length > MOST_CLASSES) return undefined;
  const { names, alike } = nodes;
  const cluster: Cluster = {
    ...{ budget, names, nodes: nodes.nodes, alike, search, classes, passed, usableIn, volumes },
    domains: new Map(),
  };
  budget.spend(classes.length * nodes.names.length);
  return {
    cluster,
    scheduler: scheduler(cluster, { unknownIsHarmless: assumption === 'harmless' }),
    claimNames: new ClaimNames(),
    symmetry: () => symmetryOf(cluster),
    attachDetach: attachDetach(cluster),
    kubelets: kubelets(cluster),
    waitedFor: waitedFor(cluster),
    own: ownClasses,
    others: otherClasses,
  };
}

/** What comes before the first state, but for nodes, pods and claims. */
const OPERATIONS_OF_A_WORLD = 50;

/** What pods of one class take beside their claims. */
const OPERATIONS_OF_PODS = 10;

/** The claims of pods, one list for those that hold the same. */
class ClaimLists {
  readonly #withOwn = new Map<readonly Claim[], readonly Claim[]>();

  of({ claims, ownClaims }: PodFacts, ordinal: number | undefined): readonly Claim[] {
    const own = ordinal === undefined ? undefined : ownClaims[ordinal];
    if (own === undefined || own.length === 0) return claims;
    const known = this.#withOwn.get(own) ?? [...claims, ...own];
    this.#withOwn.set(own, known);
    return known;
  }
}
