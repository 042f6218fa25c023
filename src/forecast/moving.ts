import type { Claim } from '../facts/claim.ts';
import { type Assumption, isAttachedToOne } from './assumption.ts';
import { staysWhereTainted } from './every-node.ts';
import { withClaims } from './own-claims.ts';
import { groundOf, isHeld } from './reach.ts';
import { sharedClaims } from './reasons.ts';
import type { Crowd } from './topology.ts';
import { placements } from './unbound.ts';

/**
 * Whether a volume that only one node may attach may have to move, because the pod that comes after it has gone can land
 * elsewhere. Affinity to a pod that has gone holds nothing; pods that stay hold, and keep what they share. A DaemonSet's
 * stay on nodes that the new template fits (`pkg/controller/daemon/daemon_controller.go:podsShouldBeOnNode`).
 */
export function mayMove(pods: Crowd, assumption: Assumption): boolean {
  const { ownClaims } = pods.incoming;
  return ownClaims.length === 0
    ? mayMoveWith([], pods, assumption)
    : ownClaims.some((own) => mayMoveWith(own, pods, assumption));
}

/** The same of a pod with these volumes for itself, which comes in the place of the one that had them. */
function mayMoveWith(own: readonly Claim[], pods: Crowd, assumption: Assumption): boolean {
  const { incoming, running, staying, places } = pods;
  const moving = [...(staying > 0 ? [] : sharedClaims(pods)), ...own];
  const withItsOwn = { ...pods, incoming: withClaims(incoming, own), running: withClaims(running, own) };
  // Its own volumes are where one of the pods is, whichever.
  const seats = own.length === 0 || places === undefined ? [places] : [...places].map((name) => new Set([name]));
  if (!moving.some((claim) => isAttachedToOne(claim, assumption))) return false;
  const grounds = seats
    .flatMap((seat) => [...placements({ ...withItsOwn, places: seat }, moving)])
    .map((placed) => groundOf(placed, moving, assumption));
  if (!grounds.some(({ mayPart }) => mayPart)) return false;
  const daemonsStay = !grounds.some(({ mayNotJoin }) => mayNotJoin) || staysWhereTainted(pods);
  const someStay = staying > 0 || (incoming.workload.onEveryNode && daemonsStay);
  return !someStay || !isHeld(pods, assumption);
}
