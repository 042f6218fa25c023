import type { Autoscaler } from './autoscaler.ts';
import { besideOthers } from './beside.ts';
import type { Budget } from './budget.ts';
import { type Claim, claimByName, claimFacts, claimOf, mayBeExclusive, type Place, type Reading } from './claim.ts';
import { type Fact, known, mapFact, unknown } from './fact.ts';
import { workloadsNearby } from './nearby.ts';
import { NodeSearch } from './node-search.ts';
import { idOf } from './object-key.ts';
import { mayMean, operationsToCompare } from './pod-affinity.ts';
import type { PodTemplate } from './pod-template.ts';
import { withRuntimeClass } from './runtime-class.ts';
import type { NodeSelectorTerm } from './selector.ts';
import type { ClusterSnapshot, ObjectRef } from './snapshot.ts';
import type { StorageMatrix } from './storage-backend.ts';
import {
  idOfWorkload,
  isSameWorkload,
  labelsOfOrdinal,
  ordinalOfOwner,
  runSamePods,
  runsPods,
  type Workload,
} from './workload.ts';

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
  /** Where volumes that are not bound yet are taken to be, in the case that is looked at. */
  readonly placed: readonly Place[];
  readonly nodes: Fact<NodeSearch>;
  readonly namespaceLabels: Fact<ReadonlyMap<string, string>>;
  /** What questions about these pods may cost, those about others in the same review included. */
  readonly budget: Budget;
}

/** What tells whether a term means the pods of a workload, and where they may be. */
export type Bystander = Pick<PodFacts, 'workload' | 'namespaceLabels'>;

/** Everything a forecast for one workload is made from. */
export interface WorkloadFacts extends PodFacts {
  /** Other workloads that run pods with one of its volumes. */
  readonly otherUsers: OtherUsers;
  /** Pods of others that decide where its own may be, by affinity, anti-affinity, spread or host ports of either. */
  readonly nearby: OtherUsers;
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
  budget: Budget,
): Gathered<WorkloadFacts> {
  const { namespace, name } = workload.metadata;
  return gathering(snapshot, matrix, budget, (reading) => {
    const nodes = mapFact(snapshot.nodes(), (index) => new NodeSearch(index, budget));
    const autoscalers = snapshot.autoscalersOf(workload.kind, namespace, name);
    const facts = podFacts(autoscalers.known ? atLeast(workload, autoscalers.value) : workload, nodes, reading);
    const otherUsers = otherUsersOf(facts, nodes, reading);
    return {
      ...facts,
      otherUsers,
      nearby: nearbyOf(facts, otherUsers, reading),
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

function podFacts(written: Workload, known: PodFacts['nodes'], reading: Reading): PodFacts {
  reading.budget.spend(OPERATIONS_OF_A_WORKLOAD);
  const scheduled = withRuntimeClass(written, reading.snapshot);
  const [workload, nodes] = scheduled.known ? [scheduled.value, known] : [written, scheduled];
  const claims = claimsOf(workload, reading);
  const bystanders = bystandersOf(workload, reading);
  const namespaceLabels = namespaceLabelsOf(workload.metadata.namespace, reading);
  return {
    workload,
    claims,
    ownClaims: ownClaimsOf(workload, reading),
    siblings: undefined,
    bystanders,
    beside: besideOthers({ workload, namespaceLabels }, { bystanders, nodes }),
    placed: [],
    nodes,
    namespaceLabels,
    budget: reading.budget,
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
  const isMeant = (other: Workload): boolean =>
    podAffinity.every((term) => {
      reading.budget.spend(operationsToCompare(term));
      return mayMean(term, other.template.labels);
    });
  return mapFact(found, (workloads) =>
    workloads
      .filter((other) => runsPods(other) && isMeant(other) && !runSamePods(other, workload))
      .map((other) => ({ workload: other, namespaceLabels: namespaceLabelsOf(other.metadata.namespace, watched) })),
  );
}

/** As many as are looked at: whoever reads of so many has understood, and each costs look-ups. */
const MOST_OTHER_USERS = 16;

/** Of all that may be other users only so many, or nothing would be left to judge by what those that run do. */
const OPERATIONS_FOR_OTHERS = 10_000;

/** Top-level workloads that run pods. What is finished, suspended or scaled to nothing uses no claim. */
function otherUsersOf({ workload, claims }: PodFacts, nodes: PodFacts['nodes'], reading: Reading): OtherUsers {
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

/** As many as are looked at, and of more than that the same in every replica, in whatever order they were watched. */
function firstByName(workloads: readonly Workload[]): readonly Workload[] {
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

function onlyPod(workload: Workload, ordinal: number): Workload {
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

/** The labels choose the mode; a namespace that is not there has none that could be read. */
export function namespaceLabelsOf(name: string, { snapshot, missed }: Reading): Fact<ReadonlyMap<string, string>> {
  const found = snapshot.namespace(name);
  if (found.known && found.value !== undefined) return known(found.value.labels);
  missed({ kind: 'Namespace', namespace: '', name });
  return found.known ? unknown(`namespace ${name} does not exist`) : found;
}

function nearbyOf(facts: PodFacts, users: OtherUsers, reading: Reading): OtherUsers {
  const { workload, bystanders, nodes } = facts;
  const meant = bystanders.known ? bystanders.value.map((bystander) => bystander.workload) : [];
  const holding = workloadsHolding(facts, reading);
  const spend = (operations: number): void => reading.budget.spend(operations);
  const { workloads, unknown } = workloadsNearby(
    workload,
    { meant: [...holding, ...meant], disks: facts.claims.flatMap(({ disk }) => disk ?? []) },
    reading.snapshot,
    spend,
  );
  const isUser = (other: Workload): boolean => users.pods.some((user) => isSameWorkload(user.workload, other));
  const watched = { ...reading, missed: () => {} };
  const pods = workloads.filter((other) => !isUser(other)).flatMap((other) => nearbyPods(other, nodes, watched));
  return { pods, unknown };
}

/** Whoever mounts a claim that one of its pods has for itself, or decides where a volume is made that is not exclusive. */
function workloadsHolding({ workload, claims, ownClaims }: PodFacts, reading: Reading): readonly Workload[] {
  const toBeMade = claims.filter((claim) => claim.onceBound !== undefined && !mayBeExclusive(claim));
  return [...ownClaims.flat(), ...toBeMade].flatMap(({ name }) => {
    reading.budget.spend(OPERATIONS_OF_A_LOOKUP);
    const { workloads } = reading.snapshot.workloadsMounting(workload.metadata.namespace, name);
    const others = firstByName(workloads).filter((other) => runsPods(other) && !runSamePods(other, workload));
    reading.budget.spend(2 * workloads.length);
    return others;
  });
}

/** Pods that differ by their own volumes are looked at one by one, so many of them. */
const MOST_NEARBY_PODS = 3;

/** What a pod of it stands for, each of several where their own volumes hold them to places. */
function nearbyPods(written: Workload, nodes: PodFacts['nodes'], reading: Reading): readonly PodFacts[] {
  const scheduled = withRuntimeClass(written, reading.snapshot);
  const workload = scheduled.known ? scheduled.value : written;
  const namespaceLabels = namespaceLabelsOf(workload.metadata.namespace, reading);
  const pod = { workload, namespaceLabels, nodes, budget: reading.budget, claims: claimsOf(workload, reading) };
  const one = { ...pod, ownClaims: [], siblings: undefined, bystanders: NO_BYSTANDERS, beside: [], placed: [] };
  const own = ownClaimsOf(workload, reading).slice(0, MOST_NEARBY_PODS);
  if (own.length === 0) return [one];
  return own.map((claims, index) => ({
    ...one,
    workload: onlyPod(workload, workload.ownClaims.firstOrdinal + index),
    claims: [...one.claims, ...claims],
  }));
}

/** Reads with a note of everything that was missed, each object once. */
export function gathering<T>(
  snapshot: ClusterSnapshot,
  matrix: StorageMatrix,
  budget: Budget,
  read: (reading: Reading) => T,
): Gathered<T> {
  const missed = new Map<string, ObjectRef>();
  const facts = read({
    snapshot,
    matrix,
    budget,
    pools: new Map(),
    missed: (ref) => void missed.set(idOf(ref), ref),
  });
  return { facts, missed: [...missed.values()] };
}

/** No node attaches as many: drivers say 16 to 256 (`CSINode.spec.drivers[].allocatable.count`). The first are judged. */
const MOST_CLAIMS = 512;

function claimsOf({ metadata, template }: Workload, reading: Reading): readonly Claim[] {
  const claims = new Map<string, Claim>();
  const named = new Set<string>();
  for (const volume of template.volumes) {
    reading.budget.spend();
    if (volume.type === 'claim' && named.has(volume.claimName)) continue;
    if (volume.type === 'claim') named.add(volume.claimName);
    if (claims.size >= MOST_CLAIMS) {
      reading.budget.giveUp();
      break;
    }
    reading.budget.spend(OPERATIONS_OF_A_LOOKUP);
    const claim = claimOf(volume, metadata.namespace, reading);
    claims.set(volume.type === 'claim' ? `claim ${claim.name}` : claim.identity, claim);
  }
  return [...claims.values()];
}

/** What reading the facts of one workload takes that has one claim. */
const OPERATIONS_OF_A_WORKLOAD = 20;

/** What a look-up by name takes, and what follows from what it brings. */
const OPERATIONS_OF_A_LOOKUP = 10;

/** As many pods as are looked at for their own volumes: their places are compared, and nearly always alike. */
const MOST_OWNERS = 16;

/** A claim that is not there has no volume that could move, and none is missed. */
function ownClaimsOf({ metadata, ownClaims, replicas }: Workload, reading: Reading): PodFacts['ownClaims'] {
  const { prefixes, firstOrdinal } = ownClaims;
  const byPod = Array.from({ length: Math.min(replicas, MOST_OWNERS) }, (_, index) =>
    prefixes.flatMap((prefix) => {
      reading.budget.spend(OPERATIONS_OF_A_LOOKUP);
      const found = reading.snapshot.claim(metadata.namespace, `${prefix}-${firstOrdinal + index}`);
      if (!found.known || found.value === undefined) return [];
      return [claimFacts(found.value, { ...reading, missed: () => {} })];
    }),
  );
  return byPod.some((claims) => claims.length > 0) ? byPod : [];
}
