import type { Judged } from '../decision/decide.ts';
import { gathering } from '../facts/gather.ts';
import { namespaceLabelsOf } from '../facts/namespace-labels.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { type Fact, known } from '../objects/fact.ts';
import { claimNames, type Workload } from '../objects/workload.ts';
import { type Finding, isIn, overBudgetFindings } from '../rules/evaluate.ts';
import { applyExemption } from '../rules/exemption.ts';
import { judge } from '../rules/judge.ts';
import { type Context, exemptionTerms, gatherLive, senderOf } from './context.ts';
import { isAutoscaler } from './identity.ts';
import { judgedOfMaker, type OfMaker } from './judge-maker.ts';
import { goingOn, isIdle, replicasBefore, replicasBeforeProblem, restored, started } from './replicas-before.ts';
import type { Subject } from './subject.ts';
import {
  findingsBefore,
  findOnce,
  gatherBefore,
  gatherWorkload,
  replicasFindings,
  withReplicas,
} from './workload-findings.ts';

/** A judgement, and the namespace labels that choose what becomes of it. */
export interface Judgement {
  readonly judged: Judged;
  readonly namespaceLabels: Fact<ReadonlyMap<string, string>>;
}

/** What was found in a workload, and what of it is nobody's doing. */
export interface Found {
  readonly facts: WorkloadFacts;
  readonly now: readonly Finding[];
  readonly before: readonly Finding[];
}

type WorkloadSubject = Subject & { readonly type: 'workload' };

export async function judgeWorkload(context: Context, subject: WorkloadSubject): Promise<Judgement> {
  const { workload, previous } = subject;
  const maker = await judgedOfMaker(context, workload); // first, so that nothing else uses its look-up up
  if (previous !== undefined && !isIdle(previous)) {
    return judgement(context, await changeOf(context, subject, previous), maker);
  }
  const asked = previous === undefined ? restored(workload) : started(workload, previous);
  const facts = await gatherWorkload(context, asked);
  const now = judge(context.judge, facts);
  return judgement(context, { facts, now, before: [] }, maker);
}

/**
 * What a change does to a workload that may have pods. Where it is stopped or paused, or asks for replicas from before, only
 * what is new counts: the rest is no business of anybody who stops it.
 */
async function changeOf(context: Context, subject: WorkloadSubject, previous: Workload): Promise<Found> {
  const { workload, sameTemplate, onlyReplicas } = subject;
  const find = findOnce(context.judge);
  const goesOn = goingOn(workload, Math.max(previous.replicas, previous.observedReplicas));
  const facts = await gatherWorkload(context, goesOn);
  const asked = restored(workload).replicas;
  const goesBack = asked <= replicasBefore(previous);
  const before = await gatherBefore(context, goesBack ? restored(previous) : previous, { asked: goesOn, facts });
  const all = sameTemplate ? find(facts) : judge(context.judge, facts, { before });
  const rollout = all.filter(({ judges }) => judges !== 'steady');
  const steady = replicasFindings(find, asked === 0 ? withReplicas(facts, 0) : facts);
  const found = [...rollout, ...steady];
  const isStopped = workload.replicas === 0 || isPaused(workload);
  if (onlyReplicas && asked <= previous.replicas) {
    // Fewer of the same make nothing new, also where it is more than could be judged.
    const asBefore = isStopped ? [] : found.filter(({ overBudget }) => overBudget !== true);
    return { facts, now: asBefore, before: asBefore };
  }
  // Nothing that is not there was there before.
  const old = found.length === 0 ? [] : findingsBefore(find, before, facts.workload);
  const isNew = (finding: Finding): boolean => !isIn(finding, old);
  const now = [
    ...(isStopped ? rollout.filter(isNew) : rollout),
    ...(asked > workload.replicas ? steady.filter(isNew) : steady),
  ];
  return { facts, now, before: old };
}

function isPaused({ kind, paused }: Workload): boolean {
  return kind === 'Deployment' && paused;
}

/** What the maker was judged for is no finding of what it made. */
export function judgement(
  context: Context,
  { facts: { workload, namespaceLabels }, now, before }: Found,
  maker: OfMaker,
): Judgement {
  const { deps, request } = context;
  const own = now.filter((finding) => !isIn(finding, maker.findings));
  const { kept, exemptions, problems } = applyExemption(own, workload.metadata, deps.rules, exemptionTerms(deps));
  const doubts = [maker.problem, dryRunDoubt(context, workload)].filter((doubt) => doubt !== undefined);
  const problem = replicasBeforeProblem(workload);
  return {
    judged: {
      found: kept.filter((finding) => !isIn(finding, before)),
      existing: kept.filter((finding) => isIn(finding, before)),
      exemptions,
      notes: [...problems, ...(problem === undefined ? [] : [problem]), ...doubts],
      deniable: doubts.length === 0 && !isAutoscaler(request, deps.settings.exempt),
    },
    namespaceLabels,
  };
}

/** Why a dry run is not denied as others are: its claim is only remembered, of a review that anybody may have sent. */
function dryRunDoubt({ deps, request }: Context, workload: Workload): string | undefined {
  const { user, dryRun } = senderOf(request);
  if (!dryRun || deps.settings.policy.dryRun !== 'same') return undefined;
  const { namespace } = workload.metadata;
  const remembered = claimNames(workload).find((name) => deps.recent.dryRunClaim(user, namespace, name) !== undefined);
  if (remembered === undefined) return undefined;
  return `not denied, as claim ${remembered} is only remembered from a dry run`;
}

/** The judgement of an object that is too much to judge, where nothing was found before the budget ended. */
export async function unjudged(context: Context): Promise<Judgement> {
  const { deps, request } = context;
  const { kind, namespace = '', name = '' } = request;
  const namespaceLabels =
    namespace === ''
      ? known(new Map())
      : await gatherLive(context, (snapshot) =>
          gathering(snapshot, deps.matrix, context.budget, (reading) => namespaceLabelsOf(namespace, reading)),
        );
  const found = overBudgetFindings(deps.rules, { kind: kind.kind, namespace, name });
  const deniable = !isAutoscaler(request, deps.settings.exempt);
  return { judged: { found, existing: [], exemptions: [], notes: [], deniable }, namespaceLabels };
}
