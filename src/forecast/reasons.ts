/**
 * Why a pod waits. `volume-elsewhere`: its volume is attached to another node. `one-pod`: its claim takes one pod at
 * a time. `no-node-left`: it has to share its only place with another pod and may not. `too-few-nodes`: each pod
 * needs a place of its own, a node or a zone, and there are several, but no more than pods. `others-elsewhere`: it has to
 * be with pods of other workloads, which are where it may not be. `out-of-reach`: no node on which it may run can use its
 * volume. `being-deleted`: no pod that comes gets its claim any more.
 */
export type Cause =
  | 'volume-elsewhere'
  | 'one-pod'
  | 'no-node-left'
  | 'too-few-nodes'
  | 'others-elsewhere'
  | 'out-of-reach'
  | 'being-deleted';

export interface Reason {
  readonly cause: Cause;
  /** The claims at fault, by name; none where the pods alone are. */
  readonly claims: readonly string[];
}

/**
 * How long a pod waits. `until-told-to-go`: the controller ends the pod that holds it up, in time. `until-gone`: that pod is
 * going already.
 */
export type Lasts = 'for-ever' | 'until-told-to-go' | 'until-gone';

/** What a pod waits for, who holds it up, and for how long. */
export interface Wait extends Reason {
  /** `old-pods-apart`: only where those are on several nodes. */
  readonly heldBy: 'old-pods' | 'old-pods-apart' | 'replicas' | 'others';
  readonly lasts: Lasts;
}

/** Whether it is over only once somebody ends the old pods, which stay until the new ones are ready. */
export function waitsForOldPodsThatStay({ heldBy, lasts }: Wait): boolean {
  return (heldBy === 'old-pods' || heldBy === 'old-pods-apart') && lasts === 'for-ever';
}

export function heldUp(reasons: readonly Reason[], heldBy: Wait['heldBy'], lasts: Lasts): readonly Wait[] {
  return reasons.map((reason) => ({ ...reason, heldBy, lasts }));
}
