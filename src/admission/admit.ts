import { decide } from '../decision/decide.ts';
import { modeFrom } from '../decision/mode.ts';
import { UnreadableObjectError } from '../facts/json.ts';
import { mutateProblem } from '../mutations/repair.ts';
import type { Admission, Admitted, Observation } from './admission.ts';
import { type AdmissionDeps, type Context, senderOf } from './context.ts';
import { neverJudged } from './identity.ts';
import { judgeClaim } from './judge-claim.ts';
import { type Judgement, judgeScale, judgeWorkload } from './judge-workload.ts';
import { repairWorkload } from './repair-workload.ts';
import { type Answer, toResponse } from './response.ts';
import { type AdmissionRequest, reviewParser } from './review.ts';
import { type Subject, subjectFrom, UNCHANGED } from './subject.ts';

type Judgeable = Exclude<Subject, { readonly type: 'none' }>;

/** The admission protocol over a snapshot of the cluster: one request in, one answer and one observation out. */
export function createAdmission(deps: AdmissionDeps): Admission {
  const parseReview = reviewParser();
  return {
    async validate(body, signal) {
      const context = { deps, request: parseReview(body), signal };
      return admitted(context.request, 'validate', await validated(context));
    },
    async mutate(body, signal) {
      const context = { deps, request: parseReview(body), signal };
      return admitted(context.request, 'mutate', await mutated(context));
    },
  };
}

/** An answer with what there is to tell about it. */
interface Outcome {
  readonly answer: Answer;
  readonly verdict: Observation['verdict'];
  readonly findings?: Observation['findings'];
  readonly mutations?: readonly string[];
}

async function validated(context: Context): Promise<Outcome> {
  const { request, deps } = context;
  const subject = subjectOf(context);
  if (subject.type === 'none') return skipped(subject.because);
  if (subject.type === 'workload' && subject.unchanged) return skipped(UNCHANGED);
  const { judged, namespaceLabels } = await judge(context, subject);
  const problem = subject.type === 'workload' ? mutateProblem(namespaceLabels) : undefined;
  const notes = [...judged.notes, ...(problem === undefined ? [] : [problem])];
  const { defaultMode, policy } = deps.settings;
  const answer = decide({ ...judged, notes }, modeFrom(namespaceLabels, defaultMode), policy, request.dryRun === true);
  if (answer.verdict === 'allow') remember(context, subject);
  const findings = [...judged.found, ...judged.existing].map(({ rule, severity }) => ({ rule: rule.id, severity }));
  return {
    answer,
    verdict: answer.verdict === 'allow' && answer.warnings.length > 0 ? 'warn' : answer.verdict,
    findings,
  };
}

async function mutated(context: Context): Promise<Outcome> {
  const subject = subjectOf(context);
  if (subject.type === 'none') return skipped(subject.because);
  if (subject.type !== 'workload' || subject.workload.kind !== 'Deployment') {
    return skipped('only Deployments are repaired');
  }
  const patched = await repairWorkload(context, subject);
  if (patched === undefined) return { answer: allowedWith({}), verdict: 'allow' };
  const { mutation, ...answer } = patched;
  return { answer, verdict: 'mutate', mutations: [mutation] };
}

function subjectOf({ request, deps }: Context): Subject {
  const because = neverJudged(request, deps.settings.exempt);
  if (because !== undefined) return { type: 'none', because };
  try {
    return subjectFrom(request);
  } catch (error) {
    // Nothing can be said of such an object, and the API server refuses it by itself if it is not one of its own.
    if (error instanceof UnreadableObjectError) return { type: 'none', because: error.message };
    throw error;
  }
}

function judge(context: Context, subject: Judgeable): Promise<Judgement> {
  switch (subject.type) {
    case 'workload':
      return judgeWorkload(context, subject);
    case 'scale':
      return judgeScale(context, subject);
    case 'claim':
      return judgeClaim(context, subject);
    default:
      return subject satisfies never;
  }
}

function remember({ deps, request }: Context, subject: Judgeable): void {
  const sender = senderOf(request);
  if (subject.type === 'workload') {
    deps.recent.remember({ ...sender, object: { kind: subject.workload.kind, value: subject.workload } });
  }
  if (subject.type === 'claim') {
    deps.recent.remember({ ...sender, object: { kind: 'PersistentVolumeClaim', value: subject.claim } });
  }
}

function skipped(because: string): Outcome {
  return { answer: allowedWith({ skipped: because }), verdict: 'skip' };
}

function allowedWith(annotations: Readonly<Record<string, string>>): Answer {
  return { verdict: 'allow', warnings: [], annotations };
}

function admitted(request: AdmissionRequest, webhook: Observation['webhook'], outcome: Outcome): Admitted {
  const { answer, verdict, findings = [], mutations = [] } = outcome;
  const { uid, kind, namespace = '', name = '', operation, userInfo, dryRun } = request;
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
      findings,
      mutations,
    },
  };
}
