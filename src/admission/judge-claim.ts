import { accessModeFacts } from '../facts/access-mode-facts.ts';
import { known } from '../facts/fact.ts';
import { gatherFacts, gathering, namespaceLabelsOf } from '../facts/gather.ts';
import { overlaid } from '../facts/overlay.ts';
import type { PersistentVolumeClaim } from '../facts/persistent-volume-claim.ts';
import type { LookedUp } from '../facts/snapshot.ts';
import type { Workload } from '../facts/workload.ts';
import { forecast } from '../forecast/outcome.ts';
import { evaluateClaim, evaluateWorkload, type Finding, isIn } from '../rules/evaluate.ts';
import { applyExemption } from '../rules/exemption.ts';
import { type Context, gatherLive, senderOf } from './context.ts';
import type { Judgement } from './judge-workload.ts';
import type { Subject } from './subject.ts';

/** A claim is judged by itself, and by what its arrival makes certain of the workloads that mount it already. */
export async function judgeClaim(
  context: Context,
  { claim, previous }: Subject & { readonly type: 'claim' },
): Promise<Judgement> {
  const { metadata } = claim;
  const { own, before, namespaceLabels } = await ownFindings(context, claim, previous);
  const completed = previous === undefined ? await completedFindings(context, claim) : [];
  const { kept, problems } = applyExemption([...own, ...completed], metadata.annotations, context.deps.rules);
  return {
    judged: {
      found: kept.filter((finding) => !isIn(finding, before)),
      existing: kept.filter((finding) => isIn(finding, before)),
      notes: problems,
      deniable: metadata.controller === undefined,
    },
    namespaceLabels,
  };
}

async function ownFindings(
  context: Context,
  claim: PersistentVolumeClaim,
  previous: PersistentVolumeClaim | undefined,
) {
  const { rules, matrix } = context.deps;
  const facts = await gatherLive(context, (snapshot) =>
    gathering(snapshot, matrix, (reading) => ({
      now: accessModeFacts(claim, reading),
      before: previous === undefined ? undefined : accessModeFacts(previous, reading),
      namespaceLabels: namespaceLabelsOf(claim.metadata.namespace, reading),
    })),
  );
  return {
    own: evaluateClaim(rules, claim.metadata.name, facts.now),
    before: facts.before === undefined ? [] : evaluateClaim(rules, claim.metadata.name, facts.before),
    namespaceLabels: facts.namespaceLabels,
  };
}

/** What the workloads that wait for this claim turn out to be, now that its mode is known. */
async function completedFindings(context: Context, claim: PersistentVolumeClaim): Promise<readonly Finding[]> {
  const { namespace, name } = claim.metadata;
  const arrived: LookedUp = { kind: 'PersistentVolumeClaim', namespace, name, found: known(claim) };
  const found: Finding[] = [];
  for (const workload of workloadsWaitingFor(context, namespace, name)) {
    const facts = await gatherLive(context, (snapshot) =>
      gatherFacts(workload, overlaid(snapshot, [arrived]), context.deps.matrix),
    );
    const findings = evaluateWorkload(context.deps.rules, facts.workload, forecast(facts));
    const { kept } = applyExemption(findings, workload.metadata.annotations, context.deps.rules);
    const about = `${workload.kind} ${workload.metadata.name}`;
    found.push(...kept.filter(({ claims }) => claims.includes(name)).map((finding) => ({ ...finding, name: about })));
  }
  return found;
}

/** Watched, admitted a moment ago, and in a dry run also dry-ran by the same user; the latest version of each. */
function workloadsWaitingFor({ deps, request }: Context, namespace: string, claim: string): readonly Workload[] {
  const { user, dryRun } = senderOf(request);
  const watched = deps.snapshot.workloadsMounting(namespace, claim);
  const latest = new Map<string, Workload>();
  for (const workload of [
    ...watched.workloads,
    ...deps.recent.workloadsMounting(namespace, claim),
    ...(dryRun ? deps.recent.dryRunWorkloadsMounting(user, namespace, claim) : []),
  ]) {
    latest.set(`${workload.kind} ${workload.metadata.name}`, workload);
  }
  return [...latest.values()];
}
