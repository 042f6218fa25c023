import type { Judged } from '../decision/decide.ts';
import { type Fact, known } from '../facts/fact.ts';
import { gatherFacts, type WorkloadFacts } from '../facts/gather.ts';
import { objectAt } from '../facts/json.ts';
import { isOwnedByWorkload, PREFIX } from '../facts/metadata.ts';
import { sameJson } from '../facts/same-json.ts';
import type { Workload } from '../facts/workload.ts';
import { forecast } from '../forecast/outcome.ts';
import { evaluateWorkload, type Finding, isIn, openFindings } from '../rules/evaluate.ts';
import { applyExemption } from '../rules/exemption.ts';
import type { Rule } from '../rules/rule.ts';
import { type Context, gatherLive } from './context.ts';
import { isAutoscaler } from './identity.ts';
import type { Subject } from './subject.ts';

/** A judgement, and the namespace labels that choose what becomes of it. */
export interface Judgement {
  readonly judged: Judged;
  readonly namespaceLabels: Fact<ReadonlyMap<string, string>>;
}

/** How many replicas an object ran before somebody stopped it for a while; going back to them is nothing new. */
const REPLICAS_BEFORE = `${PREFIX}replicas-before`;

export async function judgeWorkload(
  context: Context,
  { workload, previous, object, previousObject }: Subject & { readonly type: 'workload' },
): Promise<Judgement> {
  const { rules } = context.deps;
  const facts = await gatherWorkload(context, workload);
  if (previous === undefined) {
    return judgement(context, facts, evaluateWorkload(rules, facts.workload, forecast(facts)), []);
  }
  const before = await gatherWorkload(context, previous);
  const sameTemplate = sameJson(templateOf(object), templateOf(previousObject ?? {}));
  const rollout = evaluateWorkload(
    rules,
    facts.workload,
    forecast(facts, { before: sameTemplate ? undefined : before }),
  );
  const now = [...rollout.filter(({ judges }) => judges !== 'steady'), ...replicasFindings(rules, facts)];
  return judgement(context, facts, now, findingsBefore(rules, before, facts.workload));
}

/**
 * What replicas do to each other. Pausing does not hold them back: a paused Deployment whose pods run is still scaled
 * (`pkg/controller/deployment/deployment_controller.go:syncDeployment`). A suspended Job has no pods, so that resuming it
 * is what brings the problem (`pkg/controller/job/job_controller.go:manageJob`).
 */
function replicasFindings(rules: readonly Rule[], facts: WorkloadFacts): readonly Finding[] {
  const { kind, paused } = facts.workload;
  const workload = { ...facts.workload, paused: paused && kind !== 'Deployment' };
  return evaluateWorkload(rules, workload, forecast({ ...facts, workload })).filter(
    ({ judges }) => judges === 'steady',
  );
}

/** `scale` carries no template, so the workload is read; only what replicas do to each other is judged. */
export async function judgeScale(
  context: Context,
  { kind, replicas, previousReplicas }: Subject & { readonly type: 'scale' },
): Promise<Judgement> {
  const { namespace = '', name = '' } = context.request;
  const rules = context.deps.rules.filter(({ judges }) => judges === 'steady' || judges === 'open');
  const found = await gatherLive(context, (snapshot) => {
    const workload = snapshot.workload(kind, namespace, name);
    const missed = workload.known && workload.value !== undefined ? [] : [{ kind, namespace, name }];
    return { facts: workload, missed };
  });
  if (!found.known || found.value === undefined) {
    const because = found.known ? `${kind} ${namespace}/${name} does not exist` : found.because;
    return { judged: judgedOf(openFindings(rules, name, [because]), []), namespaceLabels: known(new Map()) };
  }
  const facts = await gatherWorkload(context, found.value);
  if (isOwnedByWorkload(found.value.metadata)) return judgement(context, facts, [], []);
  const at = (count: number): readonly Finding[] => {
    const workload = { ...facts.workload, replicas: count, paused: false };
    return evaluateWorkload(rules, workload, forecast({ ...facts, workload }));
  };
  return judgement(
    context,
    { ...facts, workload: { ...facts.workload, replicas } },
    at(replicas),
    at(previousReplicas),
  );
}

export function gatherWorkload(context: Context, workload: Workload): Promise<WorkloadFacts> {
  return gatherLive(context, (snapshot) => gatherFacts(workload, snapshot, context.deps.matrix));
}

/**
 * What was wrong before. Replicas and pausing alone make nothing of a rollout new, so for that the old object is taken
 * with the new replicas, unpaused; what replicas do to each other is taken as it was, with its own.
 */
function findingsBefore(rules: readonly Rule[], before: WorkloadFacts, after: Workload): readonly Finding[] {
  const running = { ...before.workload, replicas: after.replicas, paused: false };
  const rollout = evaluateWorkload(rules, running, forecast({ ...before, workload: running }));
  return [...rollout.filter(({ judges }) => judges !== 'steady'), ...replicasFindings(rules, before)];
}

function judgement(
  { deps, request }: Context,
  { workload, namespaceLabels }: WorkloadFacts,
  now: readonly Finding[],
  before: readonly Finding[],
): Judgement {
  const { kept, problems } = applyExemption(now, workload.metadata.annotations, deps.rules);
  const replicasBefore =
    request.operation === 'UPDATE' ? workload.metadata.annotations.get(REPLICAS_BEFORE) : undefined;
  const restored = workload.replicas <= Number(replicasBefore ?? Number.NaN);
  const isOld = (finding: Finding): boolean => isIn(finding, before) || (restored && finding.judges === 'steady');
  const judged = judgedOf(
    kept.filter((finding) => !isOld(finding)),
    kept.filter(isOld),
  );
  const deniable = !isAutoscaler(request, deps.settings.exempt);
  return { judged: { ...judged, notes: problems, deniable }, namespaceLabels };
}

function judgedOf(found: readonly Finding[], existing: readonly Finding[]): Judged {
  return { found, existing, notes: [], deniable: true };
}

function templateOf(object: Parameters<typeof objectAt>[0]): unknown {
  return objectAt(objectAt(object, 'spec'), 'template');
}
