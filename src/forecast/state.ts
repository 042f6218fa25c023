/**
 * Where everything is at one moment, as numbers: for each volume the node that has it attached, for each volume the
 * place that it has got, and then the pods in the order of their codes. Pods of one class on one node in one phase are
 * alike, so that states are alike which differ in their names alone.
 */
export type State = readonly number[];

/** How far a pod has come. A node it has from `STARTING` on. */
export const WAITING = 0;
export const STARTING = 1;
export const READY = 2;
export const TERMINATING = 3;

/**
 * A code has six bits for the class, counted from 1 so that no attachment looks like a pod, two for the phase and eight for
 * the node: one UTF-16 unit.
 */
export const MOST_CLASSES = 63;
export const MOST_NODES = 254;

const CLASS_SHIFT = 10;
const PHASE_SHIFT = 8;

/** `node` is -1 for a pod that has none. */
export function podCode(podClass: number, phase: number, node: number): number {
  return ((podClass + 1) << CLASS_SHIFT) | (phase << PHASE_SHIFT) | (node + 1);
}

export function classOf(code: number): number {
  return (code >> CLASS_SHIFT) - 1;
}

export function phaseOf(code: number): number {
  return (code >> PHASE_SHIFT) & 3;
}

/** -1 for a pod that has none. */
export function nodeOf(code: number): number {
  return (code & 0xff) - 1;
}

/** A pod that has ended by itself: it is done, and on no node any more. */
export function endedCode(podClass: number): number {
  return podCode(podClass, READY, -1);
}

/** How states of so many volumes begin: none is attached, none has got a place. */
export function emptyState(volumes: number): State {
  return new Array<number>(2 * volumes).fill(0);
}

/** Where the pods begin. */
export function firstPod(volumes: number): number {
  return 2 * volumes;
}

/** The node that has the volume attached, or -1. */
export function attachedTo(state: State, volume: number): number {
  return (state[volume] ?? 0) - 1;
}

/** The place that a volume has got which was still to be made, or -1. */
export function placeOf(state: State, volume: number, volumes: number): number {
  return (state[volumes + volume] ?? 0) - 1;
}

export function withAttached(state: State, volume: number, node: number): State {
  return state.with(volume, node + 1);
}

export function withPlace(state: State, volume: number, volumes: number, place: number): State {
  return state.with(volumes + volume, place + 1);
}

export function withPod(state: State, first: number, code: number): State {
  return replaced(state, first, -1, code);
}

export function withoutPod(state: State, first: number, code: number): State {
  const at = state.indexOf(code, first);
  return at < 0 ? state : state.toSpliced(at, 1);
}

/** One pod of the one code comes to have the other. */
export function withChanged(state: State, first: number, from: number, to: number): State {
  const at = state.indexOf(from, first);
  return at < 0 ? state : replaced(state, first, at, to);
}

/** Without the pod at an index, and with one more in its place in the order. */
function replaced(state: State, first: number, without: number, code: number): State {
  const next: number[] = [];
  let isIn = false;
  for (let index = 0; index < state.length; index++) {
    if (index === without) continue;
    const other = state[index] ?? 0;
    if (!isIn && index >= first && other > code) {
      next.push(code);
      isIn = true;
    }
    next.push(other);
  }
  if (!isIn) next.push(code);
  return next;
}

/** Alike for states that are. */
export function keyOf(state: State): string {
  return String.fromCharCode(...state);
}
