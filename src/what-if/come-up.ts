import type { Budget } from '../budget.ts';
import { gatherFacts } from '../facts/gather.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import { type Assumption, openQuestions } from '../forecast/assumption.ts';
import { podsFrom, type Steps } from '../forecast/cluster.ts';
import { replicaSet } from '../forecast/controllers/replica-set.ts';
import { nothing } from '../forecast/initial-states.ts';
import { areAllUp, operationsOfAState } from '../forecast/question.ts';
import { followsOthers } from '../forecast/scheduler/inter-pod-affinity.ts';
import { reach } from '../forecast/search.ts';
import { nodeOf, phaseOf, podCode, READY, type State, withAttached, withPod } from '../forecast/state.ts';
import { type Wait, waitsIn } from '../forecast/why-pods-wait.ts';
import { type World, worldOf } from '../forecast/world.ts';
import type { RunningPod } from '../objects/running-pod.ts';
import type { Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { ClusterNow } from './cluster-now.ts';
import { toleratingToday } from './nodes-as-now.ts';
import { keepsApart, podsAround, type Standing } from './pods-around.ts';

/** Pods that have to come anew, all of one workload. */
export interface Due {
  /** Of a StatefulSet the one with the ordinal of its one pod. */
  readonly workload: Workload;
  readonly pods: readonly RunningPod[];
}

/** In what they come. */
export interface Situation {
  readonly cluster: ClusterNow;
  /** The nodes as the scheduler sees them then. */
  readonly snapshot: ClusterSnapshot;
  readonly matrix: StorageMatrix;
  /** The nodes that go. */
  readonly gone: ReadonlySet<string>;
  /** What may be spent on all of it. */
  readonly budget: Budget;
  /** Whether the pods that were there stay Terminating and keep their volumes, as on a node that is silent. */
  readonly stay: boolean;
}

/** Whether they all come up whatever the scheduler chooses, in some ways, or in none; and why they wait otherwise. */
export interface ComeUp {
  readonly ways: 'all' | 'some' | 'none';
  readonly waits: readonly Wait[];
  /** Why more than that is not known. */
  readonly open: readonly string[];
}

/** Ten times what a review has: nobody's request waits for it. */
const MOST_OPERATIONS = 450_000;

/** A minute of work at most, for a zone of thousands of nodes. */
export const MOST_OPERATIONS_OF_ALL = 300_000_000;

/** So many that come at once stand for any number: two may part, and where pods keep apart each needs a place. */
const ENOUGH = 2;
const ENOUGH_APART = 4;

export function comeUp(due: Due, situation: Situation): ComeUp {
  const budget = situation.budget.share(MOST_OPERATIONS);
  return budget.answer(() => asked(due, situation, budget), {
    ways: 'some',
    waits: [],
    open: ['it takes more steps to find out than one question has'],
  });
}

function asked(due: Due, situation: Situation, budget: Budget): ComeUp {
  const replicas = Math.min(due.pods.length, keepsApart(due.workload) ? ENOUGH_APART : ENOUGH);
  const workload = { ...toleratingToday(due.workload), replicas };
  const { facts } = gatherFacts(workload, situation.snapshot, situation.matrix, budget);
  const wanted = { ...facts, workload: { ...facts.workload, replicas } };
  const certain = comeUpIf('harmless', wanted, due, situation);
  const open = openQuestions([wanted]);
  if (certain.ways === 'none' || open.length === 0) return certain;
  const possible = comeUpIf('one-node', wanted, due, situation);
  if (possible.ways === certain.ways) return certain;
  return { ways: 'some', waits: possible.waits, open: [...open, ...possible.open] };
}

function comeUpIf(assumption: Assumption, facts: WorkloadFacts, due: Due, situation: Situation): ComeUp {
  const { budget } = facts;
  const around = podsAround(facts, due, situation);
  const world = worldOf({
    own: [{ facts, revision: 'new', ordinals: numbered(facts), countsCordons: false, areThere: false }],
    others: around.map(({ pods }) => pods),
    places: new Set(around.flatMap(({ node }) => node ?? [])),
    mostPods: facts.workload.replicas + around.length,
    ...{ assumption, budget },
  });
  if (world === undefined) return { ways: 'some', waits: [], open: ['more nodes or pods differ than are looked at'] };
  const { cluster, scheduler, kubelets, attachDetach } = world;
  const [own = 0] = world.own[0] ?? [];
  const controller = replicaSet(cluster, new Map([[own, facts.workload.replicas]]));
  const isUp = (state: State): boolean => areAllUp(state, cluster);
  const start = kubelets.start(() => true);
  const reached = reach(
    {
      starts: [startOf(around, world)],
      atOnce: [controller.create, situation.stay ? onlyOnLive(start, world, situation) : start],
      steps: [scheduler.bind, attachDetach],
      slow: [],
    },
    {
      isUrgent: () => false,
      symmetry: world.symmetry,
      isLast: lastOf(isUp),
      operations: operationsOfAState({ world }),
      budget,
    },
  );
  const ends = reached.ends.map((index) => reached.states[index] ?? []);
  const stuck = ends.filter((end) => !isUp(end));
  const follows = followsOthers(cluster, { unknownIsHarmless: assumption === 'harmless' });
  const open = reached.isWhole ? [] : ['it takes more steps to find out than one question has'];
  const isOneWay = reached.isWhole && (stuck.length === 0 || stuck.length === ends.length);
  return {
    ways: !isOneWay ? 'some' : stuck.length === 0 ? 'all' : 'none',
    waits: stuck.slice(0, MOST_STUCK).flatMap((end) => waitsIn(end, world, follows)),
    open,
  };
}

/** Once it has ended well and badly there is nothing left to find. */
function lastOf(isUp: (state: State) => boolean): (end: State) => boolean {
  const met = new Set<boolean>();
  return (end) => met.add(isUp(end)).size > 1;
}

/** Ends of one question that are put into words: further ones say the same. */
const MOST_STUCK = 8;

function numbered({ workload }: PodFacts): number | undefined {
  return workload.kind === 'StatefulSet' ? 1 : undefined;
}

/** A pod that a dead node has been given does not start there. */
function onlyOnLive(start: Steps, { cluster }: World, { gone }: Situation): Steps {
  const dead = cluster.names.map((name) => gone.has(name));
  const first = podsFrom(cluster);
  const readyThere = (state: State): number =>
    state.slice(first).filter((pod) => phaseOf(pod) === READY && dead[nodeOf(pod)]).length;
  return (state) => {
    const before = readyThere(state);
    return start(state).filter((next) => readyThere(next) === before);
  };
}

/** Volumes that go to one node at a time are where a pod has them that has started. */
function startOf(around: readonly Standing[], world: World): State {
  const { cluster, others } = world;
  let state = nothing(world);
  for (const [index, { node, phase }] of around.entries()) {
    const at = node === undefined ? -1 : cluster.names.indexOf(node);
    state = withPod(state, podsFrom(cluster), podCode(others[index] ?? 0, phase, at));
  }
  for (const [volume, { isAttachedToOne }] of cluster.volumes.entries()) {
    if (!isAttachedToOne) continue;
    const holder = around.find(
      ({ node, has }, index) =>
        has && node !== undefined && cluster.classes[others[index] ?? 0]?.volumes.includes(volume),
    );
    if (holder?.node !== undefined) state = withAttached(state, volume, cluster.names.indexOf(holder.node));
  }
  return state;
}
