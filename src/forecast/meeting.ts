import type { Claim } from '../facts/claim.ts';
import type { PodFacts } from '../facts/gather.ts';
import type { SpreadConstraint } from '../facts/pod-template.ts';
import type { WorkloadKind } from '../facts/workload.ts';
import { type Assumption, type Exclusivity, exclusivityOf, isAttachedToOne } from './assumption.ts';
import { type Ground, groundFor, landsOnSeveral, placesToSpread } from './placement.ts';
import { mustKeepApart, mustShareNode, type Pod, spreadsApart } from './togetherness.ts';

/**
 * Why a pod waits. `volume-elsewhere`: its volume is attached to another node. `one-pod`: its claim takes one pod at
 * a time. `no-node-left`: it has to share a node with another pod and may not.
 */
export type Cause = 'volume-elsewhere' | 'one-pod' | 'no-node-left';

export interface Reason {
  readonly cause: Cause;
  /** The claims at fault, by name; none where the pods alone are. */
  readonly claims: readonly string[];
}

/** A pod that is to start while another runs: of another revision of the template, or of the same. */
export interface Meeting {
  readonly incoming: PodFacts;
  readonly running: PodFacts;
  readonly sameRevision: boolean;
  /** The nodes on which pods run, where that is known. */
  readonly places?: ReadonlySet<string> | undefined;
}

/** Why the incoming pod may have to wait for as long as the running one stays; nothing if it never has to. */
export function meeting(pods: Meeting, assumption: Assumption): readonly Reason[] {
  const { incoming } = pods;
  const shared = sharedClaims(pods);
  const reasons = claimReasons(shared, assumption);
  const onePod = reasons.some(({ cause }) => cause === 'one-pod');
  // The scheduler keeps the second pod waiting, on whatever node. One with a nodeName never meets it.
  if (onePod && incoming.workload.template.nodeName === undefined) return reasons;
  const ground = groundOf(pods, shared, assumption);
  if (onePod) return ground.mayPart ? attachedReasons(shared, reasons, assumption) : reasons;
  if (ground.nowhere) return pods.places === undefined ? [] : NO_NODE_LEFT;
  const { together, apart } = togetherness(pods, assumption);
  if (apart && together) return NO_NODE_LEFT;
  if (apart && ground.mayBlockTheOnly) return ground.mayPart ? [...NO_NODE_LEFT, ...reasons] : NO_NODE_LEFT;
  if (together) return ground.mayNotJoin ? NO_NODE_LEFT : [];
  return ground.mayPart ? reasons : [];
}

/** A pod that gets past the scheduler waits for the attachment, where there is one. */
function attachedReasons(
  shared: readonly Claim[],
  otherwise: readonly Reason[],
  assumption: Assumption,
): readonly Reason[] {
  const attached = shared.filter((claim) => isAttachedToOne(claim, assumption));
  return attached.length === 0 ? otherwise : [{ cause: 'volume-elsewhere', claims: attached.map(({ name }) => name) }];
}

/** The claims of the incoming pod that are the same volume as one of the running pod's. */
function sharedClaims({ incoming, running }: Meeting): readonly Claim[] {
  return incoming.claims.filter((claim) => running.claims.some(({ identity }) => identity === claim.identity));
}

/** What the claims do to pods on different nodes. One that takes one pod keeps the second from ever getting that far. */
export function claimReasons(claims: readonly Claim[], assumption: Assumption): readonly Reason[] {
  const named = (exclusivity: Exclusivity): readonly string[] =>
    claims.filter((claim) => exclusivityOf(claim, assumption) === exclusivity).map(({ name }) => name);
  const onePod = named('one-pod');
  if (onePod.length > 0) return [{ cause: 'one-pod', claims: onePod }];
  const oneNode = named('one-node');
  return oneNode.length > 0 ? [{ cause: 'volume-elsewhere', claims: oneNode }] : [];
}

const NO_NODE_LEFT: readonly Reason[] = [{ cause: 'no-node-left', claims: [] }];

const NOWHERE: Ground = { nowhere: true, mayPart: false, mayNotJoin: false, mayBlockTheOnly: false };
const EVERYWHERE: Ground = { nowhere: false, mayPart: true, mayNotJoin: false, mayBlockTheOnly: false };
const ONE_NODE: Ground = { nowhere: false, mayPart: false, mayNotJoin: false, mayBlockTheOnly: true };

/**
 * Unknown nodes are none under the harmless assumption, because then nothing lands anywhere, and several under the
 * others. A volume that will be made on one node keeps everybody there.
 */
function groundOf({ incoming, running, places }: Meeting, shared: readonly Claim[], assumption: Assumption): Ground {
  if (!incoming.nodes.known) return assumption === 'harmless' ? NOWHERE : EVERYWHERE;
  const ground = groundFor(incoming, running, incoming.nodes.value, places);
  return !ground.nowhere && shared.some((claim) => claim.pinnedOnceBound) ? ONE_NODE : ground;
}

function togetherness(
  { incoming, running, sameRevision }: Meeting,
  assumption: Assumption,
): { readonly together: boolean; readonly apart: boolean } {
  const { template, kind, metadata } = incoming.workload;
  const comes: Pod = { template, added: addedLabels(kind, 'new') };
  const runs: Pod = {
    template: running.workload.template,
    added: addedLabels(running.workload.kind, sameRevision ? 'new' : 'old'),
  };
  const where = {
    namespace: metadata.namespace,
    namespaceLabels: incoming.namespaceLabels,
    unknownIsHarmless: assumption === 'harmless',
  };
  const placesOf = (constraint: SpreadConstraint): number =>
    incoming.nodes.known ? placesToSpread(constraint, template, incoming.nodes.value) : 2;
  return {
    together: mustShareNode(comes, runs, where),
    apart: mustKeepApart(comes, runs, where) || spreadsApart(comes, runs, placesOf),
  };
}

/**
 * The label by which a controller tells pods of one revision from those of another
 * (`pkg/controller/deployment/sync.go:getNewReplicaSet`, `pkg/controller/history/controller_history.go`).
 */
function addedLabels(kind: WorkloadKind, revision: 'old' | 'new'): ReadonlyMap<string, string> {
  if (kind === 'Deployment') return new Map([['pod-template-hash', revision]]);
  if (kind === 'StatefulSet' || kind === 'DaemonSet') return new Map([['controller-revision-hash', revision]]);
  return NO_LABELS;
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** Why the pods of a DaemonSet may have to wait for each other: each has a node of its own to be on, and no other. */
export function meetingOnEveryNode(facts: PodFacts, assumption: Assumption): readonly Reason[] {
  const several = facts.nodes.known ? landsOnSeveral(facts, facts.nodes.value) : assumption !== 'harmless';
  if (!several || facts.claims.some((claim) => claim.pinnedOnceBound)) return [];
  const { together } = togetherness({ incoming: facts, running: facts, sameRevision: true }, assumption);
  return together ? NO_NODE_LEFT : claimReasons(facts.claims, assumption);
}

/**
 * Why pods of two workloads may have to wait for each other, whichever comes second. Either one's required affinity to the
 * other holds them on one node.
 */
export function meetingOfTwo(one: PodFacts, other: PodFacts, assumption: Assumption): readonly Reason[] {
  const reasons = meeting({ incoming: one, running: other, sameRevision: true }, assumption);
  if (reasons.every(({ cause }) => cause !== 'volume-elsewhere')) return reasons;
  const back = { incoming: other, running: one, sameRevision: true };
  return togetherness(back, assumption).together ? [] : reasons;
}

/**
 * Whether a volume that only one node may attach may have to move, because the pod that comes after it has gone can land
 * elsewhere. Affinity to a pod that has gone holds nothing.
 */
export function mayMove(pods: Meeting, assumption: Assumption): boolean {
  const shared = sharedClaims(pods);
  return shared.some((claim) => isAttachedToOne(claim, assumption)) && groundOf(pods, shared, assumption).mayPart;
}

/** Why a pod that comes to the node of the one it replaces may have to wait for it to go. */
export function meetingInPlace(pods: Meeting, assumption: Assumption): readonly Reason[] {
  const onePod = claimReasons(sharedClaims(pods), assumption).filter(({ cause }) => cause === 'one-pod');
  if (onePod.length > 0) return onePod;
  return togetherness(pods, assumption).apart ? NO_NODE_LEFT : [];
}
