import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { Workload } from '../objects/workload.ts';
import { ASSUMPTIONS, type Assumption, openQuestions } from './assumption.ts';
import { mayBeStranded } from './bystanders.ts';
import { joinEach, meetingInPlace, meetingOnEveryNode, meetingWhereTainted } from './every-node.ts';
import { meeting, meetingOfTwo, tiedVolumes } from './meeting.ts';
import { mayMove } from './moving.ts';
import { followsOldPodsApart } from './reach.ts';
import { claimReasons, isElsewhere, type Lasts, OTHERS_ELSEWHERE, type Reason, type Wait } from './reasons.ts';
import { overlaps, podsOfNewRevision, podsThatStay, replacesPods, waitsForOldPods } from './rolling-update.ts';
import { countsWeather, oldAndNew, oldPodsOf, type Running } from './running.ts';
import { type SharedWith, sharedWith } from './shared-with.ts';

export interface Outcome {
  /** Some pod will wait for a volume that is attached to another node. */
  readonly multiAttach: boolean;
  /** It will never end without a person. */
  readonly stuck: boolean;
  /** For a rollout, what old pods do to new ones; for the steady state, what replicas do to each other. */
  readonly waits: readonly Wait[];
}

/** Worst cases over the scheduler's choice among the nodes that pass its filters, and over nothing else. */
export interface Outcomes {
  /** The rollout that is being asked for, and the next one after it. */
  readonly rollout: Outcome;
  /** All replicas running at once. */
  readonly steady: Outcome;
  /** All replicas running that an autoscaler may ask for, where that is more. */
  readonly autoscaled: { readonly replicas: number; readonly outcome: Outcome } | undefined;
  /** What pods of other workloads, or runs of its own that overlap, do to its pods. */
  readonly shared: readonly SharedWith[];
}

export interface Forecast {
  /** What will happen even if everything unknown turns out well. */
  readonly certain: Outcomes;
  /** What may happen, by how the unknown turns out; empty when everything is known. */
  readonly possible: readonly Outcomes[];
  /** What is not known. */
  readonly open: readonly string[];
  /** Whether the budget left some question unasked: what was found is certain, and there may be more. */
  readonly overBudget: boolean;
}

/**
 * Worst cases for a workload whose pods run as `running` tells, or anywhere that its template allows. Each question that
 * the budget of the facts leaves no time for is answered as doing no harm.
 */
export function forecast(wanted: WorkloadFacts, running: Running = {}): Forecast {
  const facts = ofWhatStarts(wanted, running);
  const { budget } = facts;
  const certain = outcomes(facts, running, 'harmless');
  const open = [...new Set([facts, ...(running.before === undefined ? [] : [running.before])].flatMap(openQuestions))];
  const assumptions = open.length === 0 || budget.isSpent ? [] : ASSUMPTIONS.slice(1);
  const possible = assumptions.map((assumption) => outcomes(facts, running, assumption));
  return { certain, possible, open, overBudget: budget.gaveUp };
}

/** Paused, a Deployment is only scaled, and starts more of what runs (`pkg/controller/deployment/deployment_controller.go:syncDeployment`). */
function ofWhatStarts(facts: WorkloadFacts, { before }: Running): WorkloadFacts {
  const { workload, autoscaledTo } = facts;
  if (before === undefined || !workload.paused) return facts;
  const { metadata, replicas, paused } = workload;
  return { ...before, autoscaledTo, workload: { ...before.workload, metadata, replicas, paused } };
}

function outcomes(facts: WorkloadFacts, running: Running, assumption: Assumption): Outcomes {
  const { workload, otherUsers, claims, budget } = facts;
  const tied = budget.answer(
    () => tiedVolumes(facts, otherUsers.pods, assumption),
    new Set(claims.map(({ identity }) => identity)),
  );
  const split = budget.answer(() => splitOf(facts, running, assumption, tied), []);
  const starts = startsPods(workload, running);
  const rolls = starts && replacesPods(workload) && !workload.paused;
  const more = starts && workload.replicas > (running.before?.workload.replicas ?? workload.replicas);
  const oldPodsApart = rolls && budget.answer(() => areOldPodsApart(facts, running, assumption), false);
  // Then it is old pods that part new ones.
  const inTheWay = rolls ? [...inTheWayOf(facts, running, assumption, tied), ...(oldPodsApart ? split : [])] : [];
  const isSpread = rolls && workload.template.spread.length > 0;
  const untilGone = isSpread ? inTheWayOf(spreadAlone(facts), running, assumption, tied) : inTheWay;
  const scaled = more ? { ...steadyOutcome(split), waits: [] } : QUIET;
  const steady = starts ? steadyOutcome(split) : QUIET;
  const isReplaced = starts && workload.concurrencyPolicy === 'Replace';
  const meets = isReplaced && budget.answer(() => meetsItself(facts, split, assumption, tied), false);
  return {
    rollout: rolls ? rolloutOutcome(facts, running, { split, inTheWay, untilGone, oldPodsApart }, assumption) : scaled,
    steady: meets ? { ...steady, multiAttach: true } : steady,
    autoscaled: starts ? autoscaledOutcome(facts, running, assumption, tied) : undefined,
    shared:
      rolls || more || (starts && running.before === undefined)
        ? sharedWith(facts, running, { inTheWay, tied }, assumption)
        : [],
  };
}

function areOldPodsApart(facts: WorkloadFacts, running: Running, assumption: Assumption): boolean {
  const { before } = running;
  return before !== undefined && followsOldPodsApart(oldAndNew(facts, before, running), assumption);
}

/**
 * The next run comes while the pods of the one that it replaces are still going, or has to wait until they have gone
 * (`pkg/controller/cronjob/cronjob_controllerv2.go:syncCronJob`). Pods of a run that is split wait for each other before.
 */
function meetsItself(
  facts: WorkloadFacts,
  split: readonly Reason[],
  assumption: Assumption,
  tied: ReadonlySet<string>,
): boolean {
  const reasons = meetingOfTwo(facts, facts, assumption, { tied });
  const comesAfter = reasons.length > 0 && split.length === 0;
  return reasons.some(isElsewhere) || (comesAfter && volumesMove(facts, {}, assumption));
}

/** What pods that run already do to new ones: in this rollout, and in the next one after it. */
function inTheWayOf(
  facts: WorkloadFacts,
  running: Running,
  assumption: Assumption,
  tied: ReadonlySet<string>,
): readonly Reason[] {
  const { before, places } = running;
  const { strategy } = facts.workload;
  const meets = (other: WorkloadFacts): readonly Reason[] => {
    const pods = { ...oldAndNew(facts, other, running), tied };
    if (strategy.type !== 'InPlace') return meeting(pods, assumption);
    const inPlace = (): readonly Reason[] => (strategy.surges ? meetingInPlace(pods, assumption) : []);
    return [inPlace, () => meetingWhereTainted(pods, assumption)].flatMap((reasons) =>
      facts.budget.answer(reasons, []),
    );
  };
  const now = before === undefined ? [] : meets(before);
  return before !== undefined && places !== undefined ? now : [...now, ...meets(facts)];
}

/** Pods that are going already no longer count for a spread (`scheduler/framework/plugins/podtopologyspread/common.go:countPodsMatchSelector`). */
function spreadAlone(facts: WorkloadFacts): WorkloadFacts {
  const { workload } = facts;
  const spread = workload.template.spread.map((constraint) => ({ ...constraint, selector: undefined }));
  return { ...facts, workload: { ...workload, template: { ...workload.template, spread } } };
}

/** An autoscaler that is not known asks for one replica more under the harmful assumptions. */
function autoscaledOutcome(
  facts: WorkloadFacts,
  running: Running,
  assumption: Assumption,
  tied: ReadonlySet<string>,
): Outcomes['autoscaled'] {
  const { workload, autoscaledTo } = facts;
  const more = assumption === 'harmless' ? 0 : workload.replicas + 1;
  const replicas = autoscaledTo.known ? autoscaledTo.value : more;
  if (replicas <= workload.replicas) return undefined;
  const scaled = { ...facts, workload: { ...workload, replicas } };
  const split = facts.budget.answer(() => splitOf(scaled, running, assumption, tied), []);
  return { replicas, outcome: steadyOutcome(split) };
}

/** What replicas do to each other. */
function splitOf(
  facts: WorkloadFacts,
  running: Running,
  assumption: Assumption,
  tied: ReadonlySet<string>,
): readonly Reason[] {
  const { workload } = facts;
  const ofOldRevision: Running = workload.paused ? { places: running.places } : running;
  const { before, places: now } = ofOldRevision;
  if (workload.onEveryNode) {
    return joinOldPods(facts, running, assumption)
      ? claimReasons(facts.claims, assumption)
      : meetingOnEveryNode(facts, assumption, tied);
  }
  const pods = before === undefined ? workload.replicas : podsOfNewRevision(workload);
  if (pods < 2) return [];
  const places = before === undefined ? now : undefined; // pods of a new revision meet wherever that lets them
  const staying = pods - 1;
  const weather = countsWeather(facts, running);
  const old = oldPodsOf(facts, ofOldRevision);
  return meeting(
    { incoming: facts, running: facts, sameRevision: true, staying, places, weather, tied, old },
    assumption,
  );
}

/** Whether each pod of a DaemonSet that surges comes to an old one, with which affinity is content. */
function joinOldPods(facts: WorkloadFacts, { before, places }: Running, assumption: Assumption): boolean {
  const { strategy } = facts.workload;
  if (before === undefined || places === undefined || strategy.type !== 'InPlace' || !strategy.surges) return false;
  return joinEach(oldAndNew(facts, before, { before, places }), places, assumption);
}

const QUIET: Outcome = { multiAttach: false, stuck: false, waits: [] };

/**
 * Paused, scaled to nothing or going away, a workload starts no pods; but a Deployment whose pods run already is scaled
 * while it is paused (`pkg/controller/deployment/deployment_controller.go:syncDeployment`).
 */
function startsPods({ kind, replicas, paused, metadata }: Workload, { before, places }: Running): boolean {
  if (metadata.deleting || replicas === 0) return false;
  return !paused || (kind === 'Deployment' && (before !== undefined || places !== undefined));
}

/** What keeps new pods waiting. */
interface InTheWay {
  /** Replicas do, of each other. */
  readonly split: readonly Reason[];
  readonly inTheWay: readonly Reason[];
  /** Old pods do until they have gone, and not only until they are going. */
  readonly untilGone: readonly Reason[];
  /** Affinity holds new pods to old ones that may be on several nodes. */
  readonly oldPodsApart: boolean;
}

/** Old pods in the way end the rollout only where they stay; replicas in each other's way end any. */
function rolloutOutcome(
  facts: WorkloadFacts,
  running: Running,
  { split, inTheWay, untilGone, oldPodsApart }: InTheWay,
  assumption: Assumption,
): Outcome {
  const { workload, budget } = facts;
  const lasts = lastsIn(workload);
  const stay = lasts === 'for-ever';
  const elsewhere = [...inTheWay, ...untilGone, ...split].some(isElsewhere);
  // One that comes sooner is beside old pods.
  const comesAlone = !stay && (waitsForOldPods(workload) || untilGone.length > 0);
  const old = running.before ?? facts;
  const mayBe = (): boolean => mayBeStranded(oldAndNew(facts, old, running), assumption);
  const isStranded = comesAlone && budget.answer(mayBe, false);
  // A pod that had to wait until the old one was gone may then land elsewhere, and a DaemonSet leaves nodes for others.
  const comesAfter = waitsForOldPods(workload) || workload.onEveryNode || comesAlone;
  return {
    multiAttach: elsewhere || (comesAfter && budget.answer(() => volumesMove(facts, running, assumption), false)),
    stuck: (stay && inTheWay.length > 0) || split.length > 0 || isStranded,
    waits: merged([
      ...heldUp(inTheWay, oldPodsApart ? 'old-pods-apart' : 'old-pods', lasts),
      ...heldUp(isStranded ? OTHERS_ELSEWHERE : [], 'others', 'for-ever'),
    ]),
  };
}

function volumesMove(facts: WorkloadFacts, running: Running, assumption: Assumption): boolean {
  const { before = facts, places } = running;
  const staying = facts.workload.onEveryNode ? 0 : podsThatStay(facts.workload);
  const weather = countsWeather(facts, running);
  // The pod that has gone may have been apart from those that stay.
  const old = { facts: before, places, count: before.workload.replicas };
  return mayMove({ incoming: facts, running: before, sameRevision: false, staying, places, weather, old }, assumption);
}

function steadyOutcome(split: readonly Reason[]): Outcome {
  return {
    multiAttach: split.some(isElsewhere),
    stuck: split.length > 0,
    waits: heldUp(split, 'replicas', 'for-ever'),
  };
}

/** How long new pods wait for old ones. */
function lastsIn(workload: Workload): Lasts {
  if (podsThatStay(workload) > 0 || workload.onEveryNode) return 'for-ever';
  return overlaps(workload) ? 'until-told-to-go' : 'until-gone';
}

export function heldUp(reasons: readonly Reason[], heldBy: Wait['heldBy'], lasts: Lasts): readonly Wait[] {
  return reasons.map((reason) => ({ ...reason, heldBy, lasts }));
}

/** One wait per cause, with all its claims. */
function merged(waits: readonly Wait[]): readonly Wait[] {
  const byCause = Map.groupBy(waits, ({ cause }) => cause);
  return [...byCause.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, claims: [...new Set([first, ...others].flatMap(({ claims }) => claims))] }],
  );
}
