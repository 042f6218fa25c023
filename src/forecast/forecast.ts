import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { Workload } from '../objects/workload.ts';
import { type Assumption, openQuestions } from './assumption.ts';
import { cutReplicas, hidesTrouble } from './fewer-replicas.ts';
import { mayGoWrong } from './may-go-wrong.ts';
import type { Forecast, Outcome, Outcomes, SharedWith } from './outcome.ts';
import { type Answer, reasonsOf } from './question.ts';
import { type Asking, Questions } from './questions.ts';
import { heldUp, type Reason } from './reasons.ts';
import { keyOf, type RecurringAnswers } from './recurring-answers.ts';
import { overlaps, podsThatStay, replacesPods } from './rolling-update.ts';
import type { Running } from './running.ts';

/** How to search. */
export interface How {
  /** Whether steps that nothing undoes are taken at once; without that every order is looked at. */
  readonly takesAtOnce: boolean;
  /** Whether fewer pods stand for many. */
  readonly cutsReplicas: boolean;
  /** Whether pods of Jobs end by themselves, as they do everywhere but where the oracle plays the kubelets. */
  readonly podsEnd: boolean;
  /** What was found before, so that it need not be searched for again. */
  readonly answers?: Pick<RecurringAnswers, 'answer'> | undefined;
}

const USUAL = { takesAtOnce: true, cutsReplicas: true, podsEnd: true };

/**
 * Worst cases for a workload whose pods run as `running` tells, or anywhere that its template allows. What was found
 * before the budget of the facts ended stands; what was not asked then is answered as doing no harm.
 */
export function forecast(wanted: WorkloadFacts, running: Running = {}, how: Partial<How> = {}): Forecast {
  const facts = ofWhatStarts(wanted, running);
  const all = [facts, ...(running.before === undefined ? [] : [running.before])];
  const open = openQuestions(all);
  const outcomesIf = (assumption: Assumption): Outcomes =>
    facts.budget.answer(() => outcomes(facts, running, assumption, { ...USUAL, ...how }), ALL_QUIET);
  return {
    certain: outcomesIf('harmless'),
    possible: open.length === 0 ? [] : possibleOutcomes(all, outcomesIf),
    open,
    overBudget: facts.budget.gaveUp,
  };
}

/** By assumption but for the harmless one. Those that take nothing for something else are not asked apart. */
function possibleOutcomes(
  all: readonly WorkloadFacts[],
  outcomesIf: (assumption: Assumption) => Outcomes,
): readonly Outcomes[] {
  const oneNode = outcomesIf('one-node');
  const pods = all.flatMap((one) => [one, ...one.otherUsers.pods, ...one.nearby.pods]);
  const mayBeForOnePod = pods.some((one) =>
    [...one.claims, ...one.ownClaims.flat()].some(({ onePod }) => !onePod.known),
  );
  return [oneNode, mayBeForOnePod ? outcomesIf('one-pod') : oneNode];
}

/** Paused, a Deployment is only scaled, and starts more of what runs (`pkg/controller/deployment/deployment_controller.go:syncDeployment`). */
function ofWhatStarts(facts: WorkloadFacts, { before }: Running): WorkloadFacts {
  const { workload, autoscaledTo } = facts;
  if (before === undefined || !workload.paused) return facts;
  const { metadata, replicas, paused } = workload;
  return { ...before, autoscaledTo, workload: { ...before.workload, metadata, replicas, paused } };
}

const QUIET: Outcome = { multiAttach: false, stuck: false, waits: [] };

const ALL_QUIET: Outcomes = { rollout: QUIET, steady: QUIET, autoscaled: undefined, shared: [] };

function outcomes(wanted: WorkloadFacts, now: Running, assumption: Assumption, how: How): Outcomes {
  if (!startsPods(wanted.workload, now)) return ALL_QUIET;
  const autoscaled = autoscaledReplicas(wanted, assumption);
  const asAutoscaled = (outcome: Outcome): Outcomes['autoscaled'] =>
    autoscaled === undefined ? undefined : { replicas: autoscaled, outcome };
  if (!mayGoWrong(wanted, now.before, assumption)) return { ...ALL_QUIET, autoscaled: asAutoscaled(QUIET) };
  const uncut = { before: now.before?.workload, wanted: wanted.workload, most: autoscaled ?? wanted.workload.replicas };
  const cut = how.cutsReplicas ? cutReplicas(wanted, now.before, uncut.most) : uncut;
  const facts = { ...wanted, workload: cut.wanted };
  const before = now.before && cut.before && { ...now.before, workload: cut.before };
  const asking = { ...how, assumption, most: cut.most };
  const search = (): Outcomes => searched(facts, { ...now, before }, asking);
  const key = how.answers && keyOf(facts, recurring(wanted, now), asking);
  const found = how.answers && key !== undefined ? how.answers.answer(facts, key, search) : search();
  const { budget } = facts;
  const isStuck = found.rollout.stuck || found.steady.waits.length > 0;
  if (!isStuck && budget.answer(() => hidesTrouble(wanted, uncut.most, cut), true)) budget.giveUp();
  return { ...found, autoscaled: asAutoscaled(found.autoscaled?.outcome ?? QUIET) };
}

/**
 * An update to the very same has the answer of what it was, where its pods run and no run of it begins: nothing else looks at
 * what was before.
 */
function recurring(wanted: WorkloadFacts, running: Running): Running {
  const { paused, concurrencyPolicy } = wanted.workload;
  const isSame = running.before === wanted && !paused && concurrencyPolicy === undefined;
  return isSame ? { places: running.places } : running;
}

/** What is found in every way that things may go. */
function searched(facts: WorkloadFacts, running: Running, asking: Asking): Outcomes {
  const { workload, budget } = facts;
  const asked = new Questions(facts, running, asking);
  if (!asked.isLookedAt) {
    budget.giveUp();
    return ALL_QUIET;
  }
  const rolls = replacesPods(workload) && !workload.paused;
  const more = workload.replicas > (running.before?.workload.replicas ?? workload.replicas);
  const creation = asked.creation(workload.replicas);
  const next = workload.concurrencyPolicy === undefined ? undefined : asked.nextRun();
  const rollouts = rolls ? asked.rollouts() : [];
  const one = (): Answer => (workload.replicas === 1 ? creation : asked.creation(1));
  const created = steadyOutcome(creation, facts, one);
  const steady = created.stuck && waitsForItsEnd(workload, asked, asking) ? { ...created, stuck: false } : created;
  const replaces = workload.concurrencyPolicy === 'Replace' && next !== undefined && next.multiAttach.length > 0;
  const isNew = rolls || more || running.before === undefined;
  const areApart = (): boolean => budget.answer(() => asked.oldPodsApart(), false);
  const unseen = unseenReasons(facts, asking.assumption);
  const scaled = more ? { ...steady, waits: [] } : QUIET;
  const replicas = asking.most;
  const isAutoscaled = replicas > workload.replicas;
  const sharedBy = (answers: readonly Answer[]) => budget.answer(() => asked.sharedBy(answers), []);
  return {
    rollout: rolls ? rolloutOutcome(rollouts, facts, areApart, unseen) : scaled,
    steady: replaces ? { ...steady, multiAttach: true } : steady,
    autoscaled: isAutoscaled ? { replicas, outcome: steadyOutcome(asked.creation(replicas), facts, one) } : undefined,
    shared: isNew
      ? [...sharedBy(rolls && running.before !== undefined ? rollouts : [creation]), ...nextRunOf(facts, next)]
      : [],
  };
}

/**
 * Paused, scaled to nothing or going away, a workload starts no pods; but a Deployment whose pods run already is scaled
 * while it is paused (`pkg/controller/deployment/deployment_controller.go:syncDeployment`).
 */
function startsPods({ kind, replicas, paused, metadata }: Workload, { before, places }: Running): boolean {
  if (metadata.deleting || replicas === 0) return false;
  return !paused || (kind === 'Deployment' && (before !== undefined || places !== undefined));
}

/** An autoscaler that is not known asks for one replica more under the harmful assumptions. */
export function autoscaledReplicas(
  { workload, autoscaledTo }: WorkloadFacts,
  assumption: Assumption,
): number | undefined {
  const more = assumption === 'harmless' ? 0 : workload.replicas + 1;
  const replicas = autoscaledTo.known ? autoscaledTo.value : more;
  return replicas > workload.replicas ? replicas : undefined;
}

/** Where one pod would wait as well, it is not its replicas that are in its way. */
function steadyOutcome({ own, multiAttach }: Answer, facts: WorkloadFacts, one: () => Answer): Outcome {
  const isOthers = own.length > 0 && facts.nearby.pods.length > 0 && one().own.length > 0;
  const waits = heldUp(reasonsOf(own, facts), isOthers ? 'others' : 'replicas', 'for-ever');
  return { multiAttach: multiAttach.length > 0, stuck: own.length > 0, waits };
}

/** Others that the affinity of its pods may mean, when nobody can tell who or where they are, may be where no pod of it may. */
function unseenReasons({ workload, nearby, nodes }: WorkloadFacts, assumption: Assumption): readonly Reason[] {
  if (assumption === 'harmless' || workload.template.podAffinity.length === 0) return [];
  if (nearby.unknown.length === 0 && (nodes.known || nearby.pods.length === 0)) return [];
  return [{ cause: 'others-elsewhere', claims: [] }];
}

function rolloutOutcome(
  answers: readonly Answer[],
  facts: WorkloadFacts,
  areApart: () => boolean,
  unseen: readonly Reason[],
): Outcome {
  const { workload } = facts;
  const seen = reasonsOf(
    answers.flatMap(({ own }) => own),
    facts,
  );
  const reasons = seen.some(isOthersElsewhere) ? seen : [...seen, ...unseen];
  const late = new Set(answers.flatMap(({ multiAttach }) => multiAttach));
  const stuck = reasons.length > 0;
  // Once all old ones may go, it is each other that pods wait for.
  const oldPodsStay = stuck && (podsThatStay(workload) > 0 || workload.onEveryNode);
  const heldBy = oldPodsStay ? (areApart() ? 'old-pods-apart' : 'old-pods') : 'replicas';
  const [others, own] = [reasons.filter(isOthersElsewhere), reasons.filter((reason) => !isOthersElsewhere(reason))];
  return {
    multiAttach: late.size > 0,
    stuck,
    waits: [
      ...heldUp(own, heldBy, 'for-ever'),
      ...heldUp(others, 'others', 'for-ever'),
      ...(oldPodsStay ? [] : waitsOnTheWay(late, facts)),
    ],
  };
}

function isOthersElsewhere({ cause }: Reason): boolean {
  return cause === 'others-elsewhere';
}

/** Where it ends otherwise, nobody has to know for what it waited on the way; with a claim for one pod it waited before. */
function waitsOnTheWay(late: ReadonlySet<string>, { claims, workload }: WorkloadFacts): Outcome['waits'] {
  const isAlone = claims.some(({ onePod }) => onePod.known && onePod.value);
  const unmounted = claims.flatMap((claim) => (claim.unmounted ? [claim.name] : []));
  const awaited = [...late].filter((name) => !unmounted.includes(name));
  if (isAlone || awaited.length === 0) return [];
  const lasts = overlaps(workload) ? 'until-told-to-go' : 'until-gone';
  return heldUp([{ cause: 'volume-elsewhere', claims: awaited }], 'old-pods', lasts);
}

/** Where pods of a run wait for each other, and none of them would wait for ever, as each ends some time. */
function waitsForItsEnd({ kind, replicas }: Workload, asked: Questions, how: Pick<How, 'podsEnd'>): boolean {
  const isRun = kind === 'Job' || kind === 'CronJob';
  if (!isRun || !how.podsEnd) return false;
  const { own, isWhole } = asked.creation(replicas, true);
  return isWhole && own.length === 0;
}

function nextRunOf(facts: WorkloadFacts, next: Answer | undefined): readonly SharedWith[] {
  const { concurrencyPolicy } = facts.workload;
  if (concurrencyPolicy !== 'Allow' || next === undefined || next.own.length === 0) return [];
  return [{ user: 'its next run', reasons: reasonsOf(next.own, facts) }];
}
