import type { Claim } from '../facts/claim.ts';
import type { WorkloadFacts } from '../facts/gather.ts';
import type { PodTemplate, SpreadConstraint } from '../facts/pod-template.ts';
import type { Workload } from '../facts/workload.ts';
import { ASSUMPTIONS, type Assumption, exclusivityOf, openQuestions } from './assumption.ts';
import { landingNodes, placesToSpread } from './placement.ts';
import { keepsOldPods, overlaps } from './rolling-update.ts';
import { mustKeepApart, mustShareNode, type Pod, spreadsApart } from './togetherness.ts';

/**
 * Why a pod waits. `volume-elsewhere`: its volume is attached to another node. `one-pod`: its claim takes one pod at
 * a time. `no-node-left`: it has to share a node with another pod and may not.
 */
export type Cause = 'volume-elsewhere' | 'one-pod' | 'no-node-left';

export interface Reason {
  readonly cause: Cause;
  /** The claims at fault, by name; none where the pods alone are. */
  readonly claims: readonly string[];
}

export interface Outcome {
  /** Some pod will wait for a volume that is attached to another node. */
  readonly multiAttach: boolean;
  /** It will never end without a person. */
  readonly stuck: boolean;
  /** For a rollout, what old pods do to new ones; for the steady state, what replicas do to each other. */
  readonly reasons: readonly Reason[];
}

/** Worst cases over the scheduler's choice among the nodes that pass its filters, and over nothing else. */
export interface Outcomes {
  /** The rollout that is being asked for, and the next one after it. */
  readonly rollout: Outcome;
  /** All replicas running at once. */
  readonly steady: Outcome;
  /** Old pods stay for as long as new ones do not become available. */
  readonly oldPodsStay: boolean;
  /** New pods are created while old ones are still wanted. */
  readonly overlap: boolean;
}

export interface Forecast {
  /** What will happen even if everything unknown turns out well. */
  readonly certain: Outcomes;
  /** What may happen, by how the unknown turns out; empty when everything is known. */
  readonly possible: readonly Outcomes[];
  /** What is not known. */
  readonly open: readonly string[];
}

/** `running` is the template of the pods that a rollout replaces, with its claims; absent, it is the workload's own. */
export function forecast(facts: WorkloadFacts, running?: WorkloadFacts): Forecast {
  const open = [...new Set([...openQuestions(facts), ...(running === undefined ? [] : openQuestions(running))])];
  return {
    certain: outcomes(facts, running, 'harmless'),
    possible: open.length === 0 ? [] : ASSUMPTIONS.slice(1).map((assumption) => outcomes(facts, running, assumption)),
    open,
  };
}

function outcomes(facts: WorkloadFacts, running: WorkloadFacts | undefined, assumption: Assumption): Outcomes {
  const { workload } = facts;
  const next = meeting({ incoming: facts, running: facts, sameTemplate: false }, assumption);
  const now = running === undefined ? NOTHING : meeting({ incoming: facts, running, sameTemplate: false }, assumption);
  const replicas = meeting({ incoming: facts, running: facts, sameTemplate: true }, assumption);
  return {
    rollout: moves(workload) ? rolloutOutcome(workload, [...now, ...next], replicas) : QUIET,
    steady: moves(workload) && workload.replicas > 1 ? steadyOutcome(replicas) : QUIET,
    oldPodsStay: keepsOldPods(workload),
    overlap: overlaps(workload),
  };
}

const NOTHING: readonly Reason[] = [];
const QUIET: Outcome = { multiAttach: false, stuck: false, reasons: NOTHING };

/** Paused, scaled to nothing or going away, a workload starts no pods. */
function moves({ replicas, paused, metadata }: Workload): boolean {
  return replicas > 0 && !paused && !metadata.deleting;
}

/** Old pods in the way end the rollout only where they stay; replicas in each other's way end any. */
function rolloutOutcome(workload: Workload, inTheWay: readonly Reason[], replicas: readonly Reason[]): Outcome {
  const split = workload.replicas > 1 && replicas.length > 0;
  const elsewhere = [...inTheWay, ...(split ? replicas : [])].some(({ cause }) => cause === 'volume-elsewhere');
  const held = keepsOldPods(workload) && inTheWay.length > 0;
  return { multiAttach: elsewhere, stuck: held || split, reasons: merged(inTheWay) };
}

function steadyOutcome(replicas: readonly Reason[]): Outcome {
  const elsewhere = replicas.some(({ cause }) => cause === 'volume-elsewhere');
  return { multiAttach: elsewhere, stuck: replicas.length > 0, reasons: replicas };
}

/** A pod that is to start while another runs: of another template's ReplicaSet, or of the same. */
interface Meeting {
  readonly incoming: WorkloadFacts;
  readonly running: WorkloadFacts;
  readonly sameTemplate: boolean;
}

/** Why the incoming pod may have to wait for as long as the running one stays; nothing if it never has to. */
function meeting({ incoming, running, sameTemplate }: Meeting, assumption: Assumption): readonly Reason[] {
  const shared = incoming.claims.filter((claim) => running.claims.some(({ identity }) => identity === claim.identity));
  const onePod = shared.filter((claim) => exclusivityOf(claim, assumption) === 'one-pod');
  if (onePod.length > 0) return [{ cause: 'one-pod', claims: onePod.map(({ name }) => name) }];

  const nodes = nodesForBoth(incoming, running, shared, assumption);
  if (nodes === 0) return NOTHING;
  const several = nodes > 1;
  const pods = podsOf(incoming.workload.template, running.workload.template, sameTemplate);
  const where = {
    namespace: incoming.workload.metadata.namespace,
    namespaceLabels: incoming.namespaceLabels,
    unknownIsHarmless: assumption === 'harmless',
  };
  const placesOf = (constraint: SpreadConstraint): number =>
    incoming.nodes.known ? placesToSpread(constraint, incoming.workload.template, incoming.nodes.value) : nodes;
  const together = mustShareNode(pods.incoming, pods.running, where);
  const apart =
    mustKeepApart(pods.incoming, pods.running, where) || spreadsApart(pods.incoming, pods.running, placesOf);
  if (apart && (together || !several)) return [{ cause: 'no-node-left', claims: [] }];
  if (together || !several) return NOTHING;

  const oneNode = shared.filter((claim) => exclusivityOf(claim, assumption) === 'one-node');
  return oneNode.length === 0 ? NOTHING : [{ cause: 'volume-elsewhere', claims: oneNode.map(({ name }) => name) }];
}

function podsOf(incoming: PodTemplate, running: PodTemplate, same: boolean): { incoming: Pod; running: Pod } {
  return {
    incoming: { template: incoming, podTemplateHash: 'new' },
    running: { template: running, podTemplateHash: same ? 'new' : 'old' },
  };
}

/**
 * How many nodes the two pods can be on between them; no more than two are counted. Unknown nodes are none under the
 * harmless assumption, because then nothing lands anywhere, and several under the others.
 */
function nodesForBoth(
  incoming: WorkloadFacts,
  running: WorkloadFacts,
  shared: readonly Claim[],
  assumption: Assumption,
): number {
  if (!incoming.nodes.known) return assumption === 'harmless' ? 0 : 2;
  const landing = landingNodes(incoming.workload.template, incoming.claims, incoming.nodes.value);
  if (shared.some((claim) => claim.pinnedOnceBound)) return Math.min(landing.size, 1);
  if (incoming === running) return landing.size;
  const sitting = landingNodes(running.workload.template, running.claims, incoming.nodes.value);
  return new Set([...landing, ...sitting]).size;
}

/** One reason per cause, with all its claims. */
function merged(reasons: readonly Reason[]): readonly Reason[] {
  const byCause = new Map<Cause, Set<string>>();
  for (const { cause, claims } of reasons) byCause.set(cause, new Set([...(byCause.get(cause) ?? []), ...claims]));
  return [...byCause].map(([cause, claims]) => ({ cause, claims: [...claims] }));
}
