import type { PodTemplate } from '../objects/pod-template.ts';
import {
  idOfWorkload,
  labelsOfOrdinal,
  ordinalOfOwner,
  runSamePods,
  runsPods,
  type Workload,
} from '../objects/workload.ts';
import { mayBeExclusive, type Reading } from './claim.ts';
import { claimByName } from './claim-facts.ts';
import { OPERATIONS_OF_A_LOOKUP, podFacts } from './pod-facts.ts';
import type { OtherUsers, PodFacts } from './workload-facts.ts';

/** The number of other users that are looked at: whoever reads of so many has understood, and each costs look-ups. */
const MOST_OTHER_USERS = 16;

/** Operations that the search for other users may take. The rest is left to judge by what the running ones do. */
const OPERATIONS_FOR_OTHERS = 10_000;

/** Top-level workloads that run pods. What is finished, suspended or scaled to nothing uses no claim. */
export function otherUsersOf({ workload, claims }: PodFacts, nodes: PodFacts['nodes'], reading: Reading): OtherUsers {
  const budget = reading.budget.share(OPERATIONS_FOR_OTHERS);
  const pods: PodFacts[] = [];
  const unknown = new Set<string>();
  budget.answer(() => {
    const others = new Map<string, OtherUser>();
    const met = new Set<string>();
    for (const { namespace, name } of claims.filter(mayBeExclusive).flatMap(({ claimsOfDisk }) => claimsOfDisk)) {
      budget.spend(OPERATIONS_OF_A_LOOKUP);
      const users = reading.snapshot.workloadsMounting(namespace, name);
      for (const because of users.unknown) unknown.add(because);
      budget.spend(2 * users.workloads.length);
      const running = users.workloads.filter((other) => runsPods(other) && !runSamePods(other, workload));
      for (const other of firstByName(running)) {
        const id = idOfWorkload(other);
        if (others.size >= MOST_OTHER_USERS && !met.has(id)) continue;
        budget.spend(other.template.volumes.length);
        addUser(others, other, name);
        met.add(id);
      }
    }
    for (const other of [...others.values()].slice(0, MOST_OTHER_USERS)) {
      pods.push({ ...userFacts(other, nodes, { ...reading, budget }), budget: reading.budget });
    }
  }, undefined);
  return { pods, unknown: [...unknown] };
}

/** The first by name where there are too many: every replica picks the same, in whatever order they were watched. */
export function firstByName(workloads: readonly Workload[]): readonly Workload[] {
  if (workloads.length <= MOST_OTHER_USERS) return workloads;
  const first: Workload[] = [];
  for (const workload of workloads) {
    const at = first.findLastIndex((other) => !isBefore(workload, other)) + 1;
    if (at < MOST_OTHER_USERS) first.splice(at, 0, workload);
    if (first.length > MOST_OTHER_USERS) first.pop();
  }
  return first;
}

function isBefore({ kind, metadata }: Workload, other: Workload): boolean {
  const { name } = other.metadata;
  return metadata.name === name ? kind < other.kind : metadata.name < name;
}

/** All pods of a workload, or the one pod of a StatefulSet that has these claims for itself. */
interface OtherUser {
  readonly workload: Workload;
  readonly claimsForItself: readonly string[];
  readonly siblings: PodTemplate | undefined;
}

function addUser(others: Map<string, OtherUser>, workload: Workload, claim: string): void {
  const { volumes } = workload.template;
  const isShared = volumes.some((volume) => volume.type === 'claim' && volume.claimName === claim);
  const ordinal = isShared ? undefined : ordinalOfOwner(workload, claim);
  if (ordinal === undefined) {
    others.set(idOfWorkload(workload), { workload, claimsForItself: [], siblings: undefined });
    return;
  }
  const id = `${idOfWorkload(workload)} ${ordinal}`;
  const claimsForItself = [...(others.get(id)?.claimsForItself ?? []), claim];
  const siblings = workload.replicas > 1 ? workload.template : undefined;
  others.set(id, { workload: onlyPod(workload, ordinal), claimsForItself, siblings });
}

export function onlyPod(workload: Workload, ordinal: number): Workload {
  const { template } = workload;
  const labels = new Map([...template.labels, ...labelsOfOrdinal(workload, ordinal)]);
  return { ...workload, template: { ...template, labels } };
}

function userFacts(
  { workload, claimsForItself, siblings }: OtherUser,
  nodes: PodFacts['nodes'],
  reading: Reading,
): PodFacts {
  const facts = podFacts(workload, nodes, reading);
  const { namespace } = workload.metadata;
  const held = claimsForItself.map((claimName) => claimByName(namespace, claimName, reading));
  const ownClaims = held.length > 0 ? [] : facts.ownClaims; // those of one pod are all that is meant of it
  return { ...facts, claims: [...facts.claims, ...held], ownClaims, siblings };
}
