import { mayBeExclusive } from '../facts/claim.ts';
import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import type { OtherPods } from '../forecast/parts.ts';
import { READY, STARTING, TERMINATING, WAITING } from '../forecast/state.ts';
import type { RunningPod } from '../objects/running-pod.ts';
import { idOfWorkload, type Workload } from '../objects/workload.ts';
import type { ClusterNow } from './cluster-now.ts';
import { isReplacedAtOnce } from './keepers.ts';

/** A pod that is there, or comes besides, where the pods in question are to come. */
export interface Standing {
  readonly pods: OtherPods;
  /** Absent of one that is still to get one. */
  readonly node: string | undefined;
  readonly phase: number;
  /** Its volumes are with it. */
  readonly has: boolean;
}

interface Question {
  readonly due: { readonly workload: Workload; readonly pods: readonly RunningPod[] };
  readonly cluster: ClusterNow;
  readonly gone: ReadonlySet<string>;
  readonly stay: boolean;
}

/** More than these on one node, as far as along and holding the same, are like so many; where pods are counted, each counts. */
const MOST_ALIKE = 3;

/** Those of the workload that stay, those of others that hold its volumes or decide where it may be, and what keeps volumes on nodes that are gone. */
export function podsAround(
  facts: WorkloadFacts,
  due: Question['due'],
  { cluster, gone, stay }: Pick<Question, 'cluster' | 'gone' | 'stay'>,
): readonly Standing[] {
  const question = { due, cluster, gone, stay };
  const around: Standing[] = [...ownPods(facts, question)];
  const users = Map.groupBy([...facts.otherUsers.pods, ...facts.nearby.pods], ({ workload }) => idOfWorkload(workload));
  for (const [, kinds] of users) around.push(...podsOf(kinds, question));
  const counts = [facts, ...facts.otherUsers.pods, ...facts.nearby.pods].some(
    ({ workload }) => workload.template.spread.length > 0,
  );
  return counts ? around : fewAlike(around);
}

/** Whether it may matter to its pods which others of them there are, and where. */
export function mayMeet({ workload, claims }: PodFacts): boolean {
  return keepsApart(workload) || claims.some(mayBeExclusive);
}

/** Whether more of its pods need more places. */
export function keepsApart({ template }: Workload): boolean {
  const { podAffinity, podAntiAffinity, spread, hostPorts, restrictedDisks } = template;
  return [podAffinity, podAntiAffinity, spread, hostPorts, restrictedDisks].some(({ length }) => length > 0);
}

function ownPods(facts: WorkloadFacts, { due, cluster, gone, stay }: Question): readonly Standing[] {
  const shared = { ...facts, ownClaims: [] };
  const held = { ...facts, claims: [...facts.claims, ...facts.ownClaims.flat()], ownClaims: [] };
  const isDue = new Set(due.pods);
  const meet = mayMeet(facts);
  return cluster.pods.of(due.workload).flatMap((pod): readonly Standing[] => {
    if (pod.nodeName === undefined) return [];
    const number = ordinalIn(pod, facts.workload);
    if (isDue.has(pod)) return stay ? [terminating(pod, { facts: held, number })] : [];
    if (!meet) return [];
    if (!gone.has(pod.nodeName)) return [standing(pod, { facts: shared, number })];
    if (stay) return [terminating(pod, { facts: shared, number })];
    // Another one of a StatefulSet, which comes as well.
    return due.workload.kind === 'StatefulSet' && !pod.deleting ? [coming({ facts: shared, number })] : [];
  });
}

function podsOf(kinds: readonly PodFacts[], { cluster, gone, stay }: Question): readonly Standing[] {
  const [first] = kinds;
  if (first === undefined) return [];
  const without = { ...first, claims: [], ownClaims: [] };
  return cluster.pods.of(first.workload).flatMap((pod): readonly Standing[] => {
    if (pod.nodeName === undefined) return [];
    const kind = kinds.find(({ claims }) => claims.every(({ name, disk }) => isHeld(pod, name, disk))) ?? without;
    const pods = { facts: { ...kind, ownClaims: [] }, number: ordinalIn(pod, kind.workload) };
    if (!gone.has(pod.nodeName) || kind.workload.onEveryNode) return [standing(pod, pods)];
    const comes = pod.deleting || kind.workload.replicas === 0 ? [] : [coming(pods)];
    if (!stay) return comes;
    return isReplacedAtOnce(kind.workload, cluster) ? [terminating(pod, pods), ...comes] : [terminating(pod, pods)];
  });
}

function isHeld(pod: RunningPod, claim: string, disk: string | undefined): boolean {
  return pod.claims.includes(claim) || (disk !== undefined && pod.disks.includes(disk));
}

function standing(pod: RunningPod, pods: OtherPods): Standing {
  const phase = pod.deleting ? TERMINATING : pod.isStarting ? STARTING : READY;
  return { pods, node: pod.nodeName, phase, has: !pod.isStarting };
}

function terminating(pod: RunningPod, pods: OtherPods): Standing {
  return { pods, node: pod.nodeName, phase: TERMINATING, has: !pod.isStarting };
}

function coming(pods: OtherPods): Standing {
  return { pods, node: undefined, phase: WAITING, has: false };
}

/** A StatefulSet's pod is called by its ordinal. */
function ordinalIn({ name }: RunningPod, { kind }: Workload): number | undefined {
  return kind === 'StatefulSet' ? ordinalOf(name) : undefined;
}

export function ordinalOf(pod: string): number {
  return Number(/-(\d+)$/.exec(pod)?.[1] ?? 0);
}

function fewAlike(around: readonly Standing[]): readonly Standing[] {
  const counts = new Map<string, number>();
  return around.filter(({ pods: { facts }, node = '', phase }) => {
    const held = facts.claims.map(({ identity }) => identity);
    const key = JSON.stringify([idOfWorkload(facts.workload), held, node, phase]);
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    return before < MOST_ALIKE;
  });
}
