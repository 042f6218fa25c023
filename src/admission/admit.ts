import { Budget, OverBudgetError } from '../budget.ts';
import { decide } from '../decision/decide.ts';
import { MOST_OF_NAME } from '../decision/message.ts';
import { modeFrom } from '../decision/mode.ts';
import { shown } from '../decision/shown.ts';
import { aged } from '../decision/stale-cluster.ts';
import { RecurringAnswers } from '../forecast/recurring-answers.ts';
import { isServerSideApplied } from '../mutations/declared.ts';
import { mutateProblem } from '../mutations/repair.ts';
import { UnreadableObjectError } from '../objects/json.ts';
import { claimNames, type Workload } from '../objects/workload.ts';
import { MORE_THAN_JUDGED } from '../rules/evaluate.ts';
import type { Exemption } from '../rules/exemption.ts';
import type { Judge } from '../rules/judge.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { Admission, Admitted, Observation } from './admission.ts';
import { type AdmissionDeps, type Context, senderOf } from './context.ts';
import { guardedFrom, isGuarded } from './guarded.ts';
import { neverJudged } from './identity.ts';
import { judgeClaim } from './judge-claim.ts';
import { judgeGuarded } from './judge-guarded.ts';
import { judgeScale } from './judge-scale.ts';
import { type Judgement, judgeWorkload, unjudged } from './judge-workload.ts';
import { LookUps } from './look-ups.ts';
import { NOBODY_TO_ASK } from './node-reading.ts';
import { recordBootId } from './record-boot-id.ts';
import { type Repaired, repairWorkload } from './repair-workload.ts';
import { type Answer, toResponse } from './response.ts';
import { type AdmissionRequest, reviewParser } from './review.ts';
import { type Subject, subjectFrom, UNCHANGED } from './subject.ts';

type Judgeable = Exclude<Subject, { readonly type: 'none' }>;

/** The admission protocol over a snapshot of the cluster: one request in, one answer and one observation out. */
export function createAdmission(deps: AdmissionDeps): Admission {
  const parseReview = reviewParser();
  const judging: Judge = { rules: deps.rules, answers: new RecurringAnswers() };
  const contextOf = (request: AdmissionRequest, signal: AbortSignal): Context => {
    const budget = new Budget();
    return { deps, request, signal, budget, lookUps: new LookUps(deps.lookUp, budget), judge: judging };
  };
  const door =
    (webhook: Observation['webhook'], answer: (context: Context) => Promise<Outcome>): Admission['validate'] =>
    async (body, signal) => {
      const context = contextOf(parseReview(body), signal);
      try {
        return admitted(context, webhook, await answer(context));
      } catch (error) {
        // Nothing can be said of such an object, and the API server refuses it by itself if it is not one of its own.
        if (error instanceof UnreadableObjectError) return admitted(context, webhook, skipped(error.message));
        throw error;
      }
    };
  return { validate: door('validate', validated), mutate: door('mutate', mutated) };
}

/** An answer with what there is to tell about it. */
interface Outcome extends Pick<Observation, 'verdict' | 'mode' | 'skipped'> {
  readonly answer: Answer;
  readonly findings?: Observation['findings'];
  readonly mutations?: readonly string[];
  readonly exemptions?: readonly Exemption[];
  /** The object's, where the request may name none. */
  readonly name?: string | undefined;
}

async function validated(context: Context): Promise<Outcome> {
  const { request, deps } = context;
  const subject = subjectOf(context);
  if (subject?.type === 'none') return skipped(subject.because);
  if (subject?.type === 'workload' && subject.unchanged) return skipped(UNCHANGED);
  const judgement = subject && (await withinBudget(() => judge(context, subject)));
  const { judged: found, namespaceLabels } = judgement ?? (await unjudged(context));
  const judged = subject?.type === 'guarded' ? found : aged(found, deps.staleFor?.());
  const problem = subject?.type === 'workload' ? mutateProblem(namespaceLabels) : undefined;
  const notes = [...judged.notes, ...(problem === undefined ? [] : [problem])];
  const { defaultMode, policy } = deps.settings;
  const isForGuards = subject === undefined ? isGuarded(request) : subject.type === 'guarded';
  const overwrites = judged.found.length + judged.existing.length > 0 && isOverwritten(subject);
  const answer = decide(
    { ...judged, overwrites, notes },
    modeFrom(namespaceLabels, (isForGuards && deps.guards?.mode) || defaultMode),
    policy,
    request.dryRun === true,
  );
  if (answer.verdict === 'allow' && subject !== undefined) remember(context, subject);
  const { mode, findings } = answer;
  return {
    answer,
    verdict: answer.verdict === 'allow' && answer.warnings.length > 0 ? 'warn' : answer.verdict,
    mode,
    findings,
    exemptions: mode === 'off' ? [] : judged.exemptions,
    name: subject?.type === 'guarded' ? subject.metadata.name : undefined,
  };
}

/** Whether the object exists, and server-side apply sends it once more. */
function isOverwritten(subject: Judgeable | undefined): boolean {
  return subject?.type === 'workload' && subject.previous !== undefined && isServerSideApplied(subject.object);
}

async function mutated(context: Context): Promise<Outcome> {
  const { deps } = context;
  const subject = subjectOf(context);
  if (subject === undefined) return NOT_REPAIRED;
  if (subject.type === 'none') return skipped(subject.because);
  if (subject.type === 'guarded') return outcomeOf(recordBootId(subject, deps.guards?.mode));
  if (subject.type !== 'workload' || subject.workload.kind !== 'Deployment') {
    return skipped('only Deployments are repaired');
  }
  const repaired = await withinBudget(() => repairWorkload(context, subject));
  return repaired === undefined ? NOT_REPAIRED : outcomeOf(repaired);
}

function outcomeOf({ answer, mutation, exemptions = [] }: Repaired): Outcome {
  return { answer, verdict: answer.verdict, mutations: mutation === undefined ? [] : [mutation], exemptions };
}

/** The answer; `undefined` where the budget ends before it is known what is around the object. */
async function withinBudget<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof OverBudgetError) return undefined;
    throw error;
  }
}

/** `undefined` where the budget ends before the object has been read. */
function subjectOf({ request, deps, budget }: Context): Subject | undefined {
  const because = neverJudged(request, deps.settings.exempt);
  if (because !== undefined) return { type: 'none', because };
  return budget.answer(() => {
    const guarded = deps.guards && guardedFrom(request, budget);
    return guarded ?? subjectFrom(request, budget);
  }, undefined);
}

function judge(context: Context, subject: Judgeable): Promise<Judgement> {
  switch (subject.type) {
    case 'workload':
      return judgeWorkload(context, subject);
    case 'scale':
      return judgeScale(context, subject);
    case 'claim':
      return judgeClaim(context, subject);
    case 'guarded':
      return judgeGuarded(context, subject, context.deps.guards?.nodes ?? NOBODY_TO_ASK);
    default:
      return subject satisfies never;
  }
}

function remember({ deps, request }: Context, subject: Judgeable): void {
  const sender = senderOf(request);
  if (subject.type === 'workload' && (sender.dryRun || mayWait(subject.workload, deps.snapshot))) {
    deps.recent.remember({ ...sender, object: { kind: subject.workload.kind, value: subject.workload } });
  }
  if (subject.type === 'claim') {
    deps.recent.remember({ ...sender, object: { kind: 'PersistentVolumeClaim', value: subject.claim } });
  }
}

/** Whether a claim that it mounts may still be to come. Most are there, and nobody has to remember who mounts those. */
function mayWait(workload: Workload, snapshot: ClusterSnapshot): boolean {
  return claimNames(workload).some((name) => {
    const claim = snapshot.get('PersistentVolumeClaim', workload.metadata.namespace, name);
    return !claim.known || claim.value === undefined || claim.value.metadata.deleting;
  });
}

function allowedWith(annotations: Readonly<Record<string, string>>): Answer {
  return { verdict: 'allow', warnings: [], annotations };
}

const NOT_REPAIRED: Outcome = { answer: allowedWith({ skipped: MORE_THAN_JUDGED }), verdict: 'allow' };

function skipped(because: string): Outcome {
  return { answer: allowedWith({ skipped: because }), verdict: 'skip', skipped: because };
}

function admitted({ request, budget }: Context, webhook: Observation['webhook'], outcome: Outcome): Admitted {
  const { answer, verdict, mode, findings = [], mutations = [], exemptions = NONE, skipped: because } = outcome;
  const { uid, kind, namespace = '', operation, userInfo, dryRun } = request;
  const name = request.name || outcome.name || '';
  return {
    review: toResponse(uid, answer),
    observation: {
      webhook,
      uid,
      kind: kind.kind,
      namespace,
      name,
      operation,
      user: userInfo.username ?? '',
      dryRun: dryRun === true,
      verdict,
      mode,
      findings,
      mutations,
      exempted: exemptions.length === 0 ? NONE : exemptions.map(observed),
      skipped: because,
      overBudget: budget.gaveUp,
    },
  };
}

/** Most reviews have none, and need no list of their own for that. */
const NONE: readonly Exemption[] = [];

/** Bytes of a reason. A claim may complete 16 workloads, which tell theirs in one line of the log. */
const MOST_OF_REASON = 200;

function observed({ name, rules, reason }: Exemption): Exemption {
  return { name: shown(name, MOST_OF_NAME), rules, reason: shown(reason, MOST_OF_REASON) };
}
