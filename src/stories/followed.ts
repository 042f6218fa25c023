import { type Cluster, podsFrom } from '../forecast/cluster.ts';
import {
  attachedTo,
  classOf,
  nodeOf,
  phaseOf,
  podCode,
  READY,
  STARTING,
  type State,
  TERMINATING,
} from '../forecast/state.ts';

/** One pod from its first state to its last. States tell no pods of a class apart, so of several the first one is taken. */
export interface FollowedPod {
  readonly podClass: number;
  /** Among those of its class, from 1 in the order in which they come. */
  readonly number: number;
}

/** Where a pod is in a state; -1 for no node. */
export interface Standing {
  readonly pod: FollowedPod;
  readonly phase: number;
  readonly node: number;
}

/** A state, and who its pods are. */
export interface Moment {
  readonly state: State;
  readonly standing: readonly Standing[];
}

/** What happens between one moment and the next. */
export type Step = Moments &
  (
    | { readonly type: 'created' | 'ended' | 'gone'; readonly pods: readonly FollowedPod[] }
    | { readonly type: 'bound'; readonly pod: FollowedPod; readonly node: number }
    | { readonly type: 'ready'; readonly pod: FollowedPod; readonly node: number }
    | { readonly type: 'attached'; readonly volume: number; readonly node: number }
  );

/** Between which a step is. */
interface Moments {
  readonly before: Moment;
  readonly after: Moment;
}

/** A step of a controller, with all its pods. */
export type PodStep = Extract<Step, { readonly type: 'created' | 'ended' | 'gone' }>;

export interface Followed {
  readonly start: Moment;
  readonly steps: readonly Step[];
  readonly end: Moment;
  /** By class, how many of its pods occur. */
  readonly counts: ReadonlyMap<number, number>;
}

/** The pods of which this is so. */
export function podsAt({ standing }: Moment, isMeant: (one: Standing) => boolean): readonly FollowedPod[] {
  return standing.filter(isMeant).map(({ pod }) => pod);
}

/** Reads the steps out of the states between which they lead. */
export function followed(states: readonly State[], cluster: Cluster): Followed {
  const first = podsFrom(cluster);
  const counts = new Map<number, number>();
  const come = (code: number): Standing => {
    const podClass = classOf(code);
    const number = (counts.get(podClass) ?? 0) + 1;
    counts.set(podClass, number);
    return { pod: { podClass, number }, phase: phaseOf(code), node: nodeOf(code) };
  };
  const [begin = [], ...later] = states;
  const start = { state: begin, standing: begin.slice(first).map(come) };
  const steps: Step[] = [];
  let before: Moment = start;
  for (const state of later) {
    const { pods, changes } = matched(before.standing, state.slice(first), come);
    const after = {
      state,
      standing: pods.toSorted(({ pod: a }, { pod: b }) => a.podClass - b.podClass || a.number - b.number),
    };
    const moments = { before, after };
    steps.push(...stepsOf(changes, moments), ...attachments(moments, cluster));
    before = after;
  }
  return { start, steps, end: before, counts };
}

/** A pod that is not as it was; nothing where it is not there before or after. */
interface Change {
  readonly from: Standing | undefined;
  readonly to: Standing | undefined;
}

/** Who of the pods is which code now: those that stay as they are first, then one of their class. */
function matched(standing: readonly Standing[], codes: readonly number[], come: (code: number) => Standing) {
  const left = [...standing];
  const taken = (at: number): Standing | undefined => (at < 0 ? undefined : left.splice(at, 1)[0]);
  // Of those that are alike the last one stays as it is, so that the first one is the first to go on.
  const staying = codes.map((code) =>
    taken(left.findLastIndex(({ pod, phase, node }) => podCode(pod.podClass, phase, node) === code)),
  );
  const changes: Change[] = [];
  const pods = codes.map((code, at) => {
    const same = staying[at];
    if (same !== undefined) return same;
    const from = taken(left.findIndex(({ pod, phase }) => pod.podClass === classOf(code) && phase <= phaseOf(code)));
    const to = from === undefined ? come(code) : { pod: from.pod, phase: phaseOf(code), node: nodeOf(code) };
    changes.push({ from, to });
    return to;
  });
  for (const from of left) changes.push({ from, to: undefined });
  return { pods, changes };
}

const OF_CONTROLLERS: readonly PodStep['type'][] = ['gone', 'ended', 'created'];

function stepsOf(changes: readonly Change[], moments: Moments): readonly Step[] {
  const byType = Map.groupBy(changes, ofController);
  const together = OF_CONTROLLERS.flatMap((type): readonly Step[] => {
    const pods = (byType.get(type) ?? []).flatMap(({ from, to }) => (from ?? to)?.pod ?? []);
    return pods.length === 0 ? [] : [{ ...moments, type, pods }];
  });
  const each = changes.flatMap(({ from, to }): readonly Step[] => {
    if (to === undefined || to.phase === TERMINATING) return [];
    const { pod, node, phase } = to;
    const isBound = node >= 0 && (from?.node ?? -1) < 0 && phase >= STARTING;
    const isReady = phase === READY && from?.phase !== READY;
    return [
      ...(isBound ? [{ ...moments, type: 'bound' as const, pod, node }] : []),
      ...(isReady ? [{ ...moments, type: 'ready' as const, pod, node }] : []),
    ];
  });
  return [...together, ...each];
}

/** One that has no node goes at once when it is ended. */
function ofController({ from, to }: Change): PodStep['type'] | undefined {
  if (from === undefined) return 'created';
  if (to !== undefined && to.phase !== TERMINATING) return undefined;
  return from.phase === TERMINATING ? 'gone' : 'ended';
}

function attachments(moments: Moments, { volumes }: Cluster): readonly Step[] {
  return volumes.flatMap((_, volume) => {
    const node = attachedTo(moments.after.state, volume);
    const isThere = attachedTo(moments.before.state, volume) === node;
    return isThere ? [] : [{ ...moments, type: 'attached' as const, volume, node }];
  });
}
