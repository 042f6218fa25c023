import type { Claim } from '../facts/claim.ts';
import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import { isExclusive } from '../objects/access-mode.ts';
import type { Fact } from '../objects/fact.ts';
import { needsNamespaceLabels } from './togetherness.ts';

/** How to take what is not known: as doing no harm, as a disk for one node, or as a claim for one pod. */
export type Assumption = 'harmless' | 'one-node' | 'one-pod';

export const ASSUMPTIONS: readonly Assumption[] = ['harmless', 'one-node', 'one-pod'];

/** What a claim does to pods that want it at once. */
export type Exclusivity = 'shared' | 'one-node' | 'one-pod';

export function exclusivityOf(claim: Claim, assumption: Assumption): Exclusivity {
  if (isTrue(claim.onePod, assumption === 'one-pod')) return 'one-pod';
  return isAttachedToOne(claim, assumption) ? 'one-node' : 'shared';
}

/** Whether the attach-detach controller lets one node have it at a time, whatever the scheduler does before. */
export function isAttachedToOne({ accessModes, attachable }: Claim, assumption: Assumption): boolean {
  const harmful = assumption !== 'harmless';
  const exclusive = accessModes.known ? isExclusive(accessModes.value) : harmful;
  return exclusive && isTrue(attachable, harmful);
}

function isTrue(fact: Fact<boolean>, otherwise: boolean): boolean {
  return fact.known ? fact.value : otherwise;
}

/** Every reason why something about a workload is not known, each once. */
export function openQuestions({ otherUsers, autoscaledTo, ...pods }: WorkloadFacts): readonly string[] {
  const others = [...otherUsers.pods.flatMap(openAbout), ...otherUsers.unknown];
  return [...new Set([...openAbout(pods), ...others, ...(autoscaledTo.known ? [] : [autoscaledTo.because])])];
}

function openAbout({ workload, claims, bystanders, nodes, namespaceLabels }: PodFacts): readonly string[] {
  const labelsMatter = needsNamespaceLabels(workload.template, workload.metadata.namespace);
  const facts = [
    ...claims.flatMap(({ accessModes, attachable, onePod }) => [accessModes, attachable, onePod]),
    bystanders,
    nodes,
    ...(labelsMatter ? [namespaceLabels] : []),
  ];
  return facts.flatMap((fact) => (fact.known ? [] : [fact.because]));
}
