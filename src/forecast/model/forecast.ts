import type { WorkloadFacts } from '../../facts/workload-facts.ts';
import type { Workload } from '../../objects/workload.ts';
import { ASSUMPTIONS, type Assumption, openQuestions } from '../assumption.ts';
import { type Forecast, heldUp, type Outcome, type Outcomes } from '../outcome.ts';
import type { Reason } from '../reasons.ts';
import { overlaps, podsThatStay, replacesPods } from '../rolling-update.ts';
import type { Running } from '../running.ts';
import type { SharedWith } from '../shared-with.ts';
import { mayGoWrong } from './may-go-wrong.ts';
import { type Answer, reasonsOf } from './question.ts';
import { Questions } from './questions.ts';
import { cutReplicas, hidesTrouble } from './replicas.ts';

/** How to search. */
export interface How {
  /** Whether steps that nothing undoes are taken at once; without that every order is looked at. */
  readonly takesAtOnce: boolean;
  /** Whether fewer pods stand for many. */
  readonly cutsReplicas: boolean;
  /** Whether pods of Jobs end by themselves, as they do everywhere but where the oracle plays the kubelets. */
  readonly podsEnd: boolean;
}

const USUAL = { takesAtOnce: true, cutsReplicas: true, podsEnd: true };

/**
 * Worst cases for a workload whose pods run as `running` tells, or anywhere that its template allows. What was found
 * before the budget of the facts ended stands; what was not asked then is answered as doing no harm.
 */
export function forecast(wanted: WorkloadFacts, running: Running = {}, how: Partial<How> = {}): Forecast {
  const facts = ofWhatStarts(wanted, running);
  const all = [facts, ...(running.before === undefined ? [] : [running.before])];
  const open = [...new Set(all.flatMap((one) => [...openQuestions(one), ...one.nearby.unknown]))];
  const outcomesIf = (assumption: Assumption): Outcomes =>
    facts.budget.answer(() => outcomes(facts, running, assumption, { ...USUAL, ...how }), ALL_QUIET);
  return {
    certain: outcomesIf('harmless'),
    possible: open.length === 0 ? [] : ASSUMPTIONS.slice(1).map(outcomesIf),
    open,
    overBudget: facts.budget.gaveUp,
  };
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
  if (!mayGoWrong(wanted, now.before)) return { ...ALL_QUIET, autoscaled: asAutoscaled(QUIET) };
  const most = autoscaled ?? wanted.workload.replicas;
  const cut = how.cutsReplicas
    ? cutReplicas(wanted, now.before, most)
    : { before: now.before?.workload, wanted: wanted.workload, most };
  const facts = { ...wanted, workload: cut.wanted };
  const before = now.before && cut.before && { ...now.before, workload: cut.before };
  const running = { ...now, before };
  const { workload } = facts;
  const asked = new Questions(facts, running, { assumption, most: cut.most, ...how });
  if (!asked.isLookedAt) {
    facts.budget.giveUp();
    return ALL_QUIET;
  }
  const rolls = replacesPods(workload) && !workload.paused;
  const more = workload.replicas > (running.before?.workload.replicas ?? workload.replicas);
  const creation = asked.creation(workload.replicas);
  const next = workload.concurrencyPolicy === undefined ? undefined : asked.nextRun();
  const rollouts = rolls ? asked.rollouts() : [];
  const created = steadyOutcome(creation, facts);
  const steady = created.stuck && waitsForItsEnd(workload, asked, how) ? { ...created, stuck: false } : created;
  const replaces = workload.concurrencyPolicy === 'Replace' && next !== undefined && next.multiAttach.length > 0;
  const isNew = rolls || more || running.before === undefined;
  const { budget } = facts;
  const areApart = (): boolean => budget.answer(() => asked.oldPodsApart(), false);
  const rollout = rolls ? rolloutOutcome(rollouts, facts, areApart) : more ? { ...steady, waits: [] } : QUIET;
  const sharedBy = (answers: readonly Answer[]) => budget.answer(() => asked.sharedBy(answers), []);
  const isStuck = rollout.stuck || created.stuck;
  if (!isStuck && budget.answer(() => hidesTrouble(wanted, most, cut), true)) budget.giveUp();
  return {
    rollout,
    steady: replaces ? { ...steady, multiAttach: true } : steady,
    autoscaled: asAutoscaled(autoscaled === undefined ? QUIET : steadyOutcome(asked.creation(cut.most), facts)),
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
function autoscaledReplicas({ workload, autoscaledTo }: WorkloadFacts, assumption: Assumption): number | undefined {
  const more = assumption === 'harmless' ? 0 : workload.replicas + 1;
  const replicas = autoscaledTo.known ? autoscaledTo.value : more;
  return replicas > workload.replicas ? replicas : undefined;
}

function steadyOutcome({ own, multiAttach }: Answer, facts: WorkloadFacts): Outcome {
  const waits = heldUp(reasonsOf(own, facts), 'replicas', 'for-ever');
  return { multiAttach: multiAttach.length > 0, stuck: own.length > 0, waits };
}

function rolloutOutcome(answers: readonly Answer[], facts: WorkloadFacts, areApart: () => boolean): Outcome {
  const { workload } = facts;
  const reasons = reasonsOf(
    answers.flatMap((answer) => answer.own),
    facts,
  );
  const late = [...new Set(answers.flatMap(({ multiAttach }) => multiAttach))];
  const stuck = reasons.length > 0;
  // Once all old ones may go, it is each other that pods wait for.
  const oldPodsStay = stuck && (podsThatStay(workload) > 0 || workload.onEveryNode);
  const heldBy = oldPodsStay ? (areApart() ? 'old-pods-apart' : 'old-pods') : 'replicas';
  const [others, own] = [reasons.filter(isOthersElsewhere), reasons.filter((reason) => !isOthersElsewhere(reason))];
  return {
    multiAttach: late.length > 0,
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
function waitsOnTheWay(late: readonly string[], { claims, workload }: WorkloadFacts): Outcome['waits'] {
  const isAlone = claims.some(({ onePod }) => onePod.known && onePod.value);
  if (isAlone || late.length === 0) return [];
  const lasts = overlaps(workload) ? 'until-told-to-go' : 'until-gone';
  return heldUp([{ cause: 'volume-elsewhere', claims: late }], 'old-pods', lasts);
}

/** Where pods of a run wait for each other, and none of them would wait for ever, as each ends some time. */
function waitsForItsEnd({ kind, replicas }: Workload, asked: Questions, how: How): boolean {
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
