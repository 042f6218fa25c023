import { oneLine } from '../decision/message.ts';
import { MODE_LABEL } from '../decision/mode.ts';
import type { WorkloadFacts } from '../facts/gather.ts';
import { forecast } from '../forecast/outcome.ts';
import {
  hadAffinity,
  MUTATE_LABEL,
  type Mutation,
  mutateValueFrom,
  type Repair,
  repairOf,
} from '../mutations/repair.ts';
import { evaluateWorkload } from '../rules/evaluate.ts';
import { applyExemption } from '../rules/exemption.ts';
import { BRING_TOGETHER, WRITE_AT_ONCE } from '../rules/remedy.ts';
import type { Context } from './context.ts';
import { gatherWorkload } from './judge-workload.ts';
import type { Patched } from './response.ts';
import type { Subject } from './subject.ts';

/** Repairs a workload as its namespace asks; `undefined` where nothing is asked, needed or possible. */
export async function repairWorkload(
  context: Context,
  { workload, previous, object, previousObject }: Subject & { readonly type: 'workload' },
): Promise<(Patched & { readonly mutation: Mutation }) | undefined> {
  if (workload.metadata.controller !== undefined) return undefined; // its operator would put it back
  const facts = await gatherWorkload(context, workload);
  const { namespaceLabels } = facts;
  if (!namespaceLabels.known || namespaceLabels.value.get(MODE_LABEL) === 'off') return undefined;
  const wanted = mutateValueFrom(namespaceLabels);
  if (wanted === undefined || isExempt(facts, context)) return undefined;
  const repair = repairOf(facts, object, wanted, previousObject);
  if (repair === undefined) return undefined;
  const severalRun = previous !== undefined && previous.replicas > 1 && !hadAffinity(previousObject);
  return {
    verdict: 'mutate',
    mutation: repair.mutation,
    patch: repair.patch,
    warnings: warningsFor(workload.metadata.name, repair, severalRun).map(oneLine),
    annotations: { mutated: repair.mutation },
  };
}

/** Somebody knows better, and says why: everything that a repair would be for is ignored. */
function isExempt(facts: WorkloadFacts, { deps }: Context): boolean {
  const { workload } = facts;
  const errors = evaluateWorkload(deps.rules, workload, forecast(facts)).filter(({ severity }) => severity === 'error');
  return errors.length > 0 && applyExemption(errors, workload.metadata.annotations, deps.rules).kept.length === 0;
}

/** Several pods that run without affinity may be on several nodes. */
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
