import type { Claim } from '../facts/claim.ts';
import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import { isExclusive } from '../objects/access-mode.ts';
import type { Fact } from '../objects/fact.ts';
import type { Workload } from '../objects/workload.ts';

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

/** Every reason why something about workloads is not known, each once. */
export function openQuestions(workloads: readonly WorkloadFacts[]): readonly string[] {
  const open = new Set<string>();
  for (const facts of workloads) {
    const { otherUsers, autoscaledTo, nearby } = facts;
    addOpenAbout(facts, open);
    for (const pods of otherUsers.pods) addOpenAbout(pods, open);
    for (const because of otherUsers.unknown) open.add(because);
    addOpen(autoscaledTo, open);
    for (const because of nearby.unknown) open.add(because);
  }
  return [...open];
}

function addOpenAbout({ workload, claims, nodes, namespaceLabels }: PodFacts, open: Set<string>): void {
  for (const { accessModes, attachable, onePod } of claims) {
    addOpen(accessModes, open);
    addOpen(attachable, open);
    addOpen(onePod, open);
  }
  addOpen(nodes, open);
  if (!namespaceLabels.known && needsNamespaceLabels(workload)) addOpen(namespaceLabels, open);
}

function addOpen(fact: Fact<unknown>, open: Set<string>): void {
  if (!fact.known) open.add(fact.because);
}

/** Whether some term needs the labels of the namespace to tell whom it means. */
function needsNamespaceLabels({ template, metadata: { namespace } }: Workload): boolean {
  return [...template.podAffinity, ...template.podAntiAffinity].some(
    ({ namespaces, namespaceSelector = [] }) => namespaceSelector.length > 0 && !namespaces.includes(namespace),
  );
}
