import { exemptionAnnotation } from '../decision/decide.ts';
import { inWords } from '../decision/message.ts';
import { MODE_LABEL } from '../decision/mode.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import {
  hadAffinity,
  MUTATE_LABEL,
  type Mutation,
  mutateValueFrom,
  type Repair,
  repairOf,
} from '../mutations/repair.ts';
import type { Metadata } from '../objects/metadata.ts';
import { foundIn, MORE_THAN_JUDGED } from '../rules/evaluate.ts';
import { applyExemption, type Exemption, IGNORE_ANNOTATION } from '../rules/exemption.ts';
import { judge } from '../rules/judge.ts';
import { BRING_TOGETHER, WRITE_AT_ONCE } from '../rules/remedy.ts';
import { type Context, exemptionTerms } from './context.ts';
import { isOfKubernetes, ownerAt } from './owner.ts';
import { type Answer, hasRoomFor } from './response.ts';
import type { Subject } from './subject.ts';
import { gatherWorkload } from './workload-findings.ts';

/** What was done to a workload, or why it was left as it is. */
export interface Repaired {
  readonly answer: Answer;
  readonly mutation?: Mutation | 'boot-id';
  readonly exemptions?: readonly Exemption[];
}

/** Repairs a workload as its namespace asks, where something is asked, needed and possible. */
export async function repairWorkload(
  context: Context,
  { workload, previous, object, previousObject }: Subject & { readonly type: 'workload' },
): Promise<Repaired> {
  if (await isControlled(context, workload.metadata)) return LEFT_ALONE; // its operator would put it back
  const facts = await gatherWorkload(context, workload);
  const { namespaceLabels } = facts;
  if (!namespaceLabels.known || namespaceLabels.value.get(MODE_LABEL) === 'off') return LEFT_ALONE;
  const wanted = mutateValueFrom(namespaceLabels);
  if (wanted === undefined) return LEFT_ALONE;
  const exemptions = exemptionsOf(facts, context);
  if (exemptions.length > 0) return { ...leftAlone(exemptionAnnotation(exemptions)), exemptions };
  const repair = repairOf(facts, object, wanted, previousObject);
  // Whether a change ends anything is not known where something was not looked at.
  if (context.budget.gaveUp) return leftAlone({ skipped: MORE_THAN_JUDGED });
  if (repair === undefined) return LEFT_ALONE;
  if (!hasRoomFor(repair.patch)) return leftAlone({ skipped: 'what a repair would have to repeat is too large' });
  const severalRun = previous !== undefined && previous.replicas > 1 && !hadAffinity(previousObject);
  const answer = {
    verdict: 'mutate',
    patch: repair.patch,
    warnings: warningsFor(inWords(foundIn(workload)), repair, severalRun),
    annotations: { mutated: repair.mutation },
  } as const;
  return { answer, mutation: repair.mutation };
}

const LEFT_ALONE: Repaired = leftAlone({});

function leftAlone(annotations: Readonly<Record<string, string>>): Repaired {
  return { answer: { verdict: 'allow', warnings: [], annotations } };
}

/** No controller of Kubernetes makes Deployments, but an operator may let them go with the one that it runs in itself. */
async function isControlled(context: Context, { namespace, controller }: Metadata): Promise<boolean> {
  if (controller === undefined || !isOfKubernetes(controller)) return controller !== undefined;
  return (await ownerAt(context, namespace, controller)).type !== 'made-up';
}

/** The exemptions of an object that ignores everything that a repair would be for, and says why. */
function exemptionsOf(facts: WorkloadFacts, { deps, judge: by }: Context): readonly Exemption[] {
  const { metadata } = facts.workload;
  if (!metadata.annotations.has(IGNORE_ANNOTATION)) return [];
  const findings = judge(by, facts);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const { kept, exemptions } = applyExemption(errors, metadata, deps.rules, exemptionTerms(deps));
  return kept.length === 0 ? exemptions : [];
}

/** The warnings after a repair. Several pods that run without affinity may be on several nodes. */
function warningsFor(name: string, { mutation, declared }: Repair, severalRun: boolean): readonly string[] {
  switch (mutation) {
    case 'drop-rolling-update':
      return [`${name}: left-over rollingUpdate dropped, as it is not allowed beside Recreate (${MUTATE_LABEL})`];
    case 'recreate':
      return [`${name}: strategy set to Recreate (${MUTATE_LABEL})`, ...driftWarning(name, 'spec.strategy', declared)];
    case 'pod-affinity':
      return [
        `${name}: pods held on one node by pod affinity (${MUTATE_LABEL}); one rollout follows`,
        `${name}: ${WRITE_AT_ONCE}; the program must bear that`,
        ...(severalRun ? [`${name}: pods that run on several nodes stay apart; ${BRING_TOGETHER}`] : []),
        ...driftWarning(name, 'affinity', declared),
      ];
    default:
      return mutation satisfies never;
  }
}

function driftWarning(name: string, field: string, declared: Repair['declared']): readonly string[] {
  if (declared === 'no') return [];
  const when = declared === 'yes' ? `your manifest sets ${field}:` : `if your manifest sets ${field},`;
  return [`${name}: ${when} GitOps tools will see drift`];
}
