import type { WorkloadFacts } from '../../facts/gather.ts';
import type { Workload } from '../../facts/workload.ts';
import { ASSUMPTIONS, type Assumption, openQuestions } from '../assumption.ts';
import type { Forecast, Outcome, Outcomes } from '../outcome.ts';
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
}

const USUAL = { takesAtOnce: true, cutsReplicas: true };

/**
 * Worst cases for a workload whose pods run as `running` tells, or anywhere that its template allows. What was found
 * before the budget of the facts ended stands; what was not asked then is answered as doing no harm.
 */
export function forecast(wanted: WorkloadFacts, running: Running = {}, how: Partial<How> = {}): Forecast {
  const facts = ofWhatStarts(wanted, running);
  const open = [...new Set([facts, ...(running.before === undefined ? [] : [running.before])].flatMap(openQuestions))];
  const outcomesIf = (assumption: Assumption): Outcomes => {
    const quiet = quietOutcomes(facts.workload);
    return facts.budget.answer(() => outcomes(facts, running, assumption, { ...USUAL, ...how }), quiet);
  };
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

const QUIET: Outcome = { multiAttach: false, stuck: false, reasons: [] };

function outcomes(wanted: WorkloadFacts, now: Running, assumption: Assumption, how: How): Outcomes {
  const quiet = quietOutcomes(wanted.workload);
  if (!startsPods(wanted.workload, now)) return quiet;
  const autoscaled = autoscaledReplicas(wanted, assumption);
  const asAutoscaled = (outcome: Outcome): Outcomes['autoscaled'] =>
    autoscaled === undefined ? undefined : { replicas: autoscaled, outcome };
  if (!mayGoWrong(wanted, now.before)) return { ...quiet, autoscaled: asAutoscaled(QUIET) };
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
    return quiet;
  }
  const rolls = replacesPods(workload) && !workload.paused;
  const more = workload.replicas > (running.before?.workload.replicas ?? workload.replicas);
  const creation = asked.creation(workload.replicas);
  const next = workload.concurrencyPolicy === undefined ? undefined : asked.nextRun();
  const rollouts = rolls ? asked.rollouts() : [];
  const steady = { ...outcomeOf([creation], facts), reasons: reasonsOf(creation.own, facts) };
  const replaces = workload.concurrencyPolicy === 'Replace' && next !== undefined && next.multiAttach.length > 0;
  const isNew = rolls || more || running.before === undefined;
  const rollout = outcomeOf(rollouts, facts);
  const { budget } = facts;
  const sharedBy = (answers: readonly Answer[]) => budget.answer(() => asked.sharedBy(answers), []);
  const isStuck = rollout.stuck || steady.stuck;
  if (!isStuck && budget.answer(() => hidesTrouble(wanted, most, cut), true)) budget.giveUp();
  return {
    rollout: rolls ? rollout : more ? { ...steady, reasons: [] } : QUIET,
    steady: replaces ? { ...steady, multiAttach: true } : steady,
    autoscaled: asAutoscaled(autoscaled === undefined ? QUIET : outcomeOf([asked.creation(cut.most)], facts)),
    shared: isNew
      ? [...sharedBy(rolls && running.before !== undefined ? rollouts : [creation]), ...nextRunOf(facts, next)]
      : [],
    oldPodsStay: quiet.oldPodsStay,
    overlap: quiet.overlap,
    oldPodsApart: rollout.stuck && budget.answer(() => asked.oldPodsApart(), false),
  };
}

function quietOutcomes(workload: Workload): Outcomes {
  return {
    rollout: QUIET,
    steady: QUIET,
    autoscaled: undefined,
    shared: [],
    oldPodsStay: podsThatStay(workload) > 0,
    overlap: overlaps(workload),
    oldPodsApart: false,
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

function outcomeOf(answers: readonly Answer[], facts: WorkloadFacts): Outcome {
  const own = answers.flatMap((answer) => answer.own);
  const late = [...new Set(answers.flatMap(({ multiAttach }) => multiAttach))];
  const reasons = reasonsOf(own, facts);
  // Where it ends otherwise, nobody has to know for what it waited on the way; with a claim for one pod it waited before.
  const isAlone = facts.claims.some(({ onePod }) => onePod.known && onePod.value);
  const isOnTheWay = own.length === 0 && late.length > 0 && !isAlone;
  const onTheWay = isOnTheWay ? [{ cause: 'volume-elsewhere' as const, claims: late }] : [];
  return { multiAttach: late.length > 0, stuck: own.length > 0, reasons: [...reasons, ...onTheWay] };
}

function nextRunOf(facts: WorkloadFacts, next: Answer | undefined): readonly SharedWith[] {
  const { concurrencyPolicy } = facts.workload;
  if (concurrencyPolicy !== 'Allow' || next === undefined || next.own.length === 0) return [];
  return [{ user: 'its next run', reasons: reasonsOf(next.own, facts) }];
}
