import type { Budget } from '../budget.ts';
import type { Claim } from '../facts/claim.ts';
import { known } from '../objects/fact.ts';
import { sameJson } from '../objects/same-json.ts';
import { type Assumption, type Exclusivity, exclusivityOf, isAttachedToOne } from './assumption.ts';
import type { Crowd } from './topology.ts';

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

export const NO_NODE_LEFT: readonly Reason[] = [{ cause: 'no-node-left', claims: [] }];

export const TOO_FEW_NODES: readonly Reason[] = [{ cause: 'too-few-nodes', claims: [] }];

export const OTHERS_ELSEWHERE: readonly Reason[] = [{ cause: 'others-elsewhere', claims: [] }];

const NOTHING_TIED: ReadonlySet<string> = new Set();

/**
 * The claims of the incoming pod that are the same volume as one of the running pod's. Only one and the same claim is
 * kept for one pod (`scheduler/framework/plugins/volumerestrictions:isReadWriteOncePodPVCConflict`).
 */
export function sharedClaims({ incoming, running }: Pick<Crowd, 'incoming' | 'running'>): readonly Claim[] {
  incoming.budget.spend(incoming.claims.length + running.claims.length);
  if (incoming.claims === running.claims) return incoming.claims;
  const held = Map.groupBy(running.claims, ({ identity }) => identity);
  return incoming.claims.flatMap((claim) => {
    const same = held.get(claim.identity);
    if (same === undefined) return [];
    return [same.some((other) => isSameClaim(other, claim)) ? claim : { ...claim, onePod: known(false) }];
  });
}

/** The first of the claims of its disk is a claim itself. */
function isSameClaim(a: Claim, b: Claim): boolean {
  return a.name === b.name && a.claimsOfDisk[0]?.namespace === b.claimsOfDisk[0]?.namespace;
}

/** What the claims do to pods on different nodes. One that takes one pod keeps the second from ever getting that far. */
export function claimReasons(
  claims: readonly Claim[],
  assumption: Assumption,
  tied: ReadonlySet<string> = NOTHING_TIED,
): readonly Reason[] {
  const named = (exclusivity: Exclusivity, among = claims): readonly string[] =>
    among.filter((claim) => exclusivityOf(claim, assumption) === exclusivity).map(({ name }) => name);
  const onePod = named('one-pod');
  if (onePod.length > 0) return [{ cause: 'one-pod', claims: onePod }];
  const oneNode = named(
    'one-node',
    claims.filter(({ identity }) => !tied.has(identity)),
  );
  return oneNode.length > 0 ? [{ cause: 'volume-elsewhere', claims: oneNode }] : [];
}

/** A pod that gets past the scheduler waits for the attachment, where there is one. */
export function attachedReasons(
  shared: readonly Claim[],
  otherwise: readonly Reason[],
  assumption: Assumption,
): readonly Reason[] {
  const attached = shared.filter((claim) => isAttachedToOne(claim, assumption));
  return attached.length === 0 ? otherwise : [{ cause: 'volume-elsewhere', claims: attached.map(({ name }) => name) }];
}

/**
 * What the kubelet says where both are on one node: a ReadWriteOncePod volume is mounted for one pod, by whatever claim
 * (`pkg/volume/util/operationexecutor/operation_generator.go:GenerateMountVolumeFunc`).
 */
export function besideReasons({ incoming, running }: Crowd, assumption: Assumption): readonly Reason[] {
  const held = new Set(running.claims.map(({ identity }) => identity));
  const shared = incoming.claims.filter(({ identity }) => held.has(identity));
  const onePod = shared.filter((claim) => exclusivityOf(claim, assumption) === 'one-pod');
  return onePod.length === 0 ? [] : [{ cause: 'one-pod', claims: onePod.map(({ name }) => name) }];
}

/** All reasons that there are in any of these cases, each once. What was found before the budget ended stands. */
export function anyOf<Case>(
  cases: Iterable<Case>,
  budget: Budget,
  reasonsIn: (one: Case) => readonly Reason[],
): readonly Reason[] {
  const reasons: Reason[] = [];
  budget.answer(() => {
    for (const one of cases) {
      for (const reason of reasonsIn(one)) {
        if (!reasons.some((other) => sameJson(other, reason))) reasons.push(reason);
      }
    }
  }, undefined);
  return reasons;
}

export function isElsewhere({ cause }: Reason): boolean {
  return cause === 'volume-elsewhere';
}
