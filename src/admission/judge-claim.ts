import { accessModeFacts } from '../facts/access-mode-facts.ts';
import { gatherFacts, gathering } from '../facts/gather.ts';
import { namespaceLabelsOf } from '../facts/namespace-labels.ts';
import { known } from '../objects/fact.ts';
import type { OwnerReference } from '../objects/metadata.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import { idOfWorkload } from '../objects/workload.ts';
import {
  evaluateClaim,
  type Finding,
  foundInClaim,
  isIn,
  openFindings,
  overBudgetFindings,
} from '../rules/evaluate.ts';
import { applyExemption, type Exemption } from '../rules/exemption.ts';
import { judge } from '../rules/judge.ts';
import { overlaid } from '../snapshot/layered-snapshot.ts';
import type { LookedUp } from '../snapshot/snapshot.ts';
import { type Context, exemptionTerms, gatherLive } from './context.ts';
import { isOperator } from './identity.ts';
import type { Judgement } from './judge-workload.ts';
import { isOfKubernetes, type Owner, ownerAt } from './owner.ts';
import type { Subject } from './subject.ts';
import { workloadsWaitingFor } from './waiting-workloads.ts';

/** A claim is judged by itself, and by what its arrival makes certain of the workloads that mount it already. */
export async function judgeClaim(
  context: Context,
  { claim, previous, controllers }: Subject & { readonly type: 'claim' },
): Promise<Judgement> {
  const { metadata } = claim;
  const controlled = await controlledBy(context, metadata.namespace, controllers);
  const { own, before, namespaceLabels } = await ownFindings(context, claim, previous);
  const completed = previous === undefined ? await completedFindings(context, claim) : NOTHING_COMPLETED;
  const { deps } = context;
  const found = [...own, ...completed.found];
  const { kept, exemptions, problems } = applyExemption(found, metadata, deps.rules, exemptionTerms(deps));
  return {
    judged: {
      found: kept.filter((finding) => !isIn(finding, before)),
      existing: kept.filter((finding) => isIn(finding, before)),
      exemptions: [...exemptions, ...completed.exemptions],
      notes: [...problems, ...controlled.problems],
      deniable: !controlled.counts,
    },
    namespaceLabels,
  };
}

/**
 * Whether a controller makes the claim, so that nobody would read a denial: an operator of another namespace does, for its
 * custom resource or for a workload that is there. Kubernetes' own controllers do not come here, and what anybody else writes
 * of an owner, whoever may write the claim could.
 */
async function controlledBy(
  context: Context,
  namespace: string,
  controllers: readonly OwnerReference[],
): Promise<{ readonly counts: boolean; readonly problems: readonly string[] }> {
  if (!isOperator(context.request)) return { counts: false, problems: [] };
  const owners = await Promise.all(controllers.filter(isOfKubernetes).map((one) => ownerAt(context, namespace, one)));
  const problems = owners.flatMap((owner: Owner) =>
    owner.type === 'unknown' ? [`not denied, as its owner ${owner.because}`] : [],
  );
  const counts = controllers.some((one) => !isOfKubernetes(one)) || owners.some(({ type }) => type !== 'made-up');
  return { counts, problems };
}

async function ownFindings(
  context: Context,
  claim: PersistentVolumeClaim,
  previous: PersistentVolumeClaim | undefined,
) {
  const { rules, matrix } = context.deps;
  const facts = await gatherLive(context, (snapshot) =>
    gathering(snapshot, matrix, context.budget, (reading) => ({
      now: accessModeFacts(claim, reading),
      before: previous === undefined ? undefined : accessModeFacts(previous, reading),
      namespaceLabels: namespaceLabelsOf(claim.metadata.namespace, reading),
    })),
  );
  return {
    own: evaluateClaim(rules, claim, facts.now),
    before: facts.before === undefined ? [] : evaluateClaim(rules, claim, facts.before),
    namespaceLabels: facts.namespaceLabels,
  };
}

interface Completed {
  readonly found: readonly Finding[];
  /** Exemptions that the workloads' own annotations made. */
  readonly exemptions: readonly Exemption[];
}

const NOTHING_COMPLETED: Completed = { found: [], exemptions: [] };

/** What the workloads that wait for this claim turn out to be, now that its mode is known. */
async function completedFindings(context: Context, claim: PersistentVolumeClaim): Promise<Completed> {
  const { namespace, name } = claim.metadata;
  const itself = foundInClaim(claim.metadata);
  const arrived: LookedUp = { kind: 'PersistentVolumeClaim', namespace, name, found: known(claim) };
  const { rules, matrix, settings } = context.deps;
  const found: Finding[] = [];
  const exempted: Exemption[] = [];
  const waiting = await workloadsWaitingFor(context, namespace, name);
  for (const workload of waiting.workloads) {
    if (context.budget.isSpent) break;
    const facts = await gatherLive(context, (snapshot) =>
      gatherFacts(workload, overlaid(snapshot, [arrived]), matrix, context.budget),
    );
    const ofClaim = judge(context.judge, facts).filter(({ claims }) => claims.includes(name));
    const about = { name: `${workload.kind} ${workload.metadata.name}`, annotations: workload.metadata.annotations };
    const { kept, exemptions } = applyExemption(ofClaim, about, rules, exemptionTerms(context.deps));
    const isDoubtful = settings.policy.dryRun === 'same' && waiting.dryRun.has(idOfWorkload(workload));
    const completed = kept.map((finding) => ({ ...finding, arrived: itself }));
    found.push(...(isDoubtful ? completed.map(rememberedOnly) : completed));
    exempted.push(...exemptions);
  }
  const open = waiting.unknown.length === 0 ? [] : openFindings(rules, itself, waiting.unknown);
  const unasked = context.budget.gaveUp ? overBudgetFindings(rules, itself) : [];
  return { found: [...found, ...open, ...unasked], exemptions: exempted };
}

/** What rests on a dry run alone denies nobody, also where dry runs are denied. */
function rememberedOnly(finding: Finding): Finding {
  if (finding.severity !== 'error') return finding;
  return { ...finding, severity: 'warning', detail: `${finding.detail}, only remembered from a dry run` };
}
