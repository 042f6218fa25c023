import { type Maker, makerOf, type Workload } from '../objects/workload.ts';
import type { Finding } from '../rules/evaluate.ts';
import type { Context } from './context.ts';
import { ownerAt } from './owner.ts';
import { findOnce, gatherWorkload, replicasFindings } from './workload-findings.ts';

/** What the maker of a workload was judged for, and why nobody can tell if that is so. */
export interface OfMaker {
  readonly findings: readonly Finding[];
  readonly problem: string | undefined;
}

/**
 * The findings that a workload has from its maker, a ReplicaSet from its Deployment or a Job from its CronJob: that one was
 * judged for them. A maker that is not there, or is another object, leaves none; nor does it for what it does not say itself,
 * such as other claims or more pods.
 */
export function judgedOfMaker(context: Context, workload: Workload): OfMaker | Promise<OfMaker> {
  const reference = makerOf(workload);
  return reference === undefined ? NOTHING : judgedOf(reference, context, workload);
}

async function judgedOf(reference: Maker, context: Context, workload: Workload): Promise<OfMaker> {
  const owner = await ownerAt(context, workload.metadata.namespace, reference);
  switch (owner.type) {
    case 'there': {
      const findings = replicasFindings(findOnce(context.judge), await gatherWorkload(context, owner.workload));
      return { findings, problem: undefined };
    }
    case 'made-up':
      return NOTHING;
    case 'unknown': {
      const { kind, name } = reference;
      return { findings: [], problem: `not denied, as its owner ${kind} ${name} ${owner.because}` };
    }
    default:
      return owner satisfies never;
  }
}

const NOTHING: OfMaker = { findings: [], problem: undefined };
