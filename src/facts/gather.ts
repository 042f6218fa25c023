import type { Autoscaler } from './autoscaler.ts';
import { besideOthers } from './beside.ts';
import { type Claim, claimByName, claimFacts, claimOf, mayBeExclusive, type Reading } from './claim.ts';
import { type Fact, known, mapFact, unknown } from './fact.ts';
import type { NodeIndex } from './node-index.ts';
import { idOf } from './object-key.ts';
import type { PodTemplate } from './pod-template.ts';
import type { NodeSelectorTerm } from './selector.ts';
import type { ClusterSnapshot, ObjectRef } from './snapshot.ts';
import type { StorageMatrix } from './storage-backend.ts';
import { claimNames, isSameWorkload, labelsOfOrdinal, ordinalOfOwner, runsPods, type Workload } from './workload.ts';

/** What decides where the pods of a workload may run and which volumes they hold. */
export interface PodFacts {
  readonly workload: Workload;
  /** The volumes that its pods share, each once. */
  readonly claims: readonly Claim[];
  /** By pod, volumes that it has for itself and that the pod which replaces it takes over; none where none is there yet. */
  readonly ownClaims: readonly (readonly Claim[])[];
  /** What the other pods of the workload look like, where only one of several is meant. */
  readonly siblings: PodTemplate | undefined;
  /** Other workloads in the namespaces that its required affinity looks into; it may mean their pods. None where it has none. */
  readonly bystanders: Fact<readonly Bystander[]>;
  /** What a node has to match to be beside pods of others, where required affinity means those alone: each of these. */
  readonly beside: readonly (readonly NodeSelectorTerm[])[];
  readonly nodes: Fact<NodeIndex>;
  readonly namespaceLabels: Fact<ReadonlyMap<string, string>>;
}

/** What tells whether a term means the pods of a workload, and where they may be. */
export type Bystander = Pick<PodFacts, 'workload' | 'namespaceLabels'>;

/** Everything a forecast for one workload is made from. */
export interface WorkloadFacts extends PodFacts {
  /** Other workloads that run pods with one of its volumes. */
  readonly otherUsers: OtherUsers;
  /** The most replicas that an autoscaler may ask for; none where there is no autoscaler. */
  readonly autoscaledTo: Fact<number>;
}

export interface OtherUsers {
  readonly pods: readonly PodFacts[];
  /** Why there may be more of them. */
  readonly unknown: readonly string[];
}

/** What was found, and by name what was asked for and missing, so that it can be asked for once more. */
export interface Gathered<T> {
  readonly facts: T;
  readonly missed: readonly ObjectRef[];
}

export function gatherFacts(
  workload: Workload,
  snapshot: ClusterSnapshot,
  matrix: StorageMatrix,
): Gathered<WorkloadFacts> {
  const { namespace, name } = workload.metadata;
  return gathering(snapshot, matrix, (reading) => {
    const autoscalers = snapshot.autoscalersOf(workload.kind, namespace, name);
    const facts = podFacts(autoscalers.known ? atLeast(workload, autoscalers.value) : workload, reading);
    return {
      ...facts,
      otherUsers: otherUsersOf(facts, reading),
      autoscaledTo: mapFact(autoscalers, (all) => Math.max(0, ...all.map(({ maxReplicas }) => maxReplicas))),
    };
  });
}

/** An autoscaler asks for its fewest whatever it measures, unless there are none (`pkg/controller/podautoscaler/horizontal.go:reconcileAutoscaler`). */
function atLeast(workload: Workload, autoscalers: readonly Autoscaler[]): Workload {
  if (workload.replicas === 0) return workload;
  const replicas = Math.max(workload.replicas, ...autoscalers.map(({ minReplicas }) => minReplicas));
  return { ...workload, replicas };
}

function podFacts(workload: Workload, reading: Reading): PodFacts {
  const claims = claimsOf(workload, reading);
  const nodes = reading.snapshot.nodes();
  const bystanders = bystandersOf(workload, reading);
  const namespaceLabels = namespaceLabelsOf(workload.metadata.namespace, reading);
  return {
    workload,
    claims,
    ownClaims: ownClaimsOf(workload, reading),
    siblings: undefined,
    bystanders,
    beside: besideOthers({ workload, namespaceLabels }, { bystanders, nodes }),
    nodes,
    namespaceLabels,
  };
}

const NO_BYSTANDERS: PodFacts['bystanders'] = known([]);

function bystandersOf(workload: Workload, reading: Reading): PodFacts['bystanders'] {
  const { podAffinity } = workload.template;
  if (podAffinity.length === 0) return NO_BYSTANDERS;
  const own = workload.metadata.namespace;
  const anywhere = podAffinity.some(({ namespaceSelector }) => namespaceSelector !== undefined);
  const named = podAffinity.flatMap(({ namespaces }) => (namespaces.length === 0 ? [own] : namespaces));
  const found = reading.snapshot.workloadsIn(anywhere ? 'all' : [...new Set(named)]);
  const watched = { ...reading, missed: () => {} };
  return mapFact(found, (workloads) =>
    workloads
      .filter((other) => runsPods(other) && !isSameWorkload(other, workload))
      .map((other) => ({ workload: other, namespaceLabels: namespaceLabelsOf(other.metadata.namespace, watched) })),
  );
}

/** As many as are looked at: whoever reads of so many has understood, and each costs look-ups. */
const MOST_OTHER_USERS = 16;

/** Top-level workloads that run pods. What is finished, suspended or scaled to nothing uses no claim. */
function otherUsersOf({ workload, claims }: PodFacts, reading: Reading): OtherUsers {
  const others = new Map<string, OtherUser>();
  const unknown = new Set<string>();
  for (const claim of claims.filter(mayBeExclusive)) {
    for (const { namespace, name } of claim.claimsOfDisk) {
      const users = reading.snapshot.workloadsMounting(namespace, name);
      for (const other of users.workloads) addUser(others, other, name);
      for (const because of users.unknown) unknown.add(because);
    }
  }
  const running = [...others.values()].filter(
    (user) => !isSameWorkload(user.workload, workload) && runsPods(user.workload),
  );
  return {
    pods: running.slice(0, MOST_OTHER_USERS).map((other) => userFacts(other, reading)),
    unknown: [...unknown],
  };
}

/** All pods of a workload, or the one pod of a StatefulSet that has these claims for itself. */
interface OtherUser {
  readonly workload: Workload;
  readonly claimsForItself: readonly string[];
  readonly siblings: PodTemplate | undefined;
}

function addUser(others: Map<string, OtherUser>, workload: Workload, claim: string): void {
  const ordinal = claimNames(workload).includes(claim) ? undefined : ordinalOfOwner(workload, claim);
  if (ordinal === undefined) {
    others.set(workloadId(workload), { workload, claimsForItself: [], siblings: undefined });
    return;
  }
  const id = `${workloadId(workload)} ${ordinal}`;
  const claimsForItself = [...(others.get(id)?.claimsForItself ?? []), claim];
  const siblings = workload.replicas > 1 ? workload.template : undefined;
  others.set(id, { workload: onlyPod(workload, ordinal), claimsForItself, siblings });
}

function onlyPod(workload: Workload, ordinal: number): Workload {
  const { template } = workload;
  const labels = new Map([...template.labels, ...labelsOfOrdinal(workload, ordinal)]);
  return { ...workload, template: { ...template, labels } };
}

function userFacts({ workload, claimsForItself, siblings }: OtherUser, reading: Reading): PodFacts {
  const facts = podFacts(workload, reading);
  const { namespace } = workload.metadata;
  const held = claimsForItself.map((claimName) => claimByName(namespace, claimName, reading));
  const ownClaims = held.length > 0 ? [] : facts.ownClaims; // those of one pod are all that is meant of it
  return { ...facts, claims: [...facts.claims, ...held], ownClaims, siblings };
}

function workloadId({ kind, metadata }: Workload): string {
  return idOf({ kind, namespace: metadata.namespace, name: metadata.name });
}

/** The labels choose the mode; a namespace that is not there has none that could be read. */
export function namespaceLabelsOf(name: string, { snapshot, missed }: Reading): Fact<ReadonlyMap<string, string>> {
  const found = snapshot.namespace(name);
  if (found.known && found.value !== undefined) return known(found.value.labels);
  missed({ kind: 'Namespace', namespace: '', name });
  return found.known ? unknown(`namespace ${name} does not exist`) : found;
}

/** Reads with a note of everything that was missed, each object once. */
export function gathering<T>(
  snapshot: ClusterSnapshot,
  matrix: StorageMatrix,
  read: (reading: Reading) => T,
): Gathered<T> {
  const missed = new Map<string, ObjectRef>();
  const facts = read({
    snapshot,
    matrix,
    missed: (ref) => void missed.set(idOf(ref), ref),
  });
  return { facts, missed: [...missed.values()] };
}

function claimsOf({ metadata, template }: Workload, reading: Reading): readonly Claim[] {
  const claims = new Map<string, Claim>();
  for (const volume of template.volumes) {
    const claim = claimOf(volume, metadata.namespace, reading);
    claims.set(volume.type === 'claim' ? `claim ${claim.name}` : claim.identity, claim);
  }
  return [...claims.values()];
}

/** As many pods as are looked at for their own volumes: their places are compared, and nearly always alike. */
const MOST_OWNERS = 16;

/** A claim that is not there has no volume that could move, and none is missed. */
function ownClaimsOf({ metadata, ownClaims, replicas }: Workload, reading: Reading): PodFacts['ownClaims'] {
  const { prefixes, firstOrdinal } = ownClaims;
  const byPod = Array.from({ length: Math.min(replicas, MOST_OWNERS) }, (_, index) =>
    prefixes.flatMap((prefix) => {
      const found = reading.snapshot.claim(metadata.namespace, `${prefix}-${firstOrdinal + index}`);
      if (!found.known || found.value === undefined) return [];
      return [claimFacts(found.value, { ...reading, missed: () => {} })];
    }),
  );
  return byPod.some((claims) => claims.length > 0) ? byPod : [];
}
