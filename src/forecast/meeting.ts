import type { Claim } from '../facts/claim.ts';
import { type Fact, known } from '../facts/fact.ts';
import type { PodFacts } from '../facts/gather.ts';
import { HOSTNAME } from '../facts/node.ts';
import type { NodeIndex } from '../facts/node-index.ts';
import { sameJson } from '../facts/same-json.ts';
import { type Assumption, type Exclusivity, exclusivityOf, isAttachedToOne } from './assumption.ts';
import { type Bonds, bondsOf, keepsApart } from './bonds.ts';
import { pairsWithTheirOwn, withClaims } from './own-claims.ts';
import { type Ground, groundFor, landingNodes, nodesToJoin, staysTainted } from './placement.ts';
import {
  type Crowd,
  domainsSpread,
  domainsTaken,
  type GroundWithin,
  groundWithin,
  isOfOneNode,
  type OldPods,
  sharesDomain,
  spansDomains,
} from './topology.ts';
import { placements, willKeepItsNode } from './unbound.ts';

/**
 * Why a pod waits. `volume-elsewhere`: its volume is attached to another node. `one-pod`: its claim takes one pod at
 * a time. `no-node-left`: it has to share its only place with another pod and may not. `too-few-nodes`: each pod
 * needs a place of its own, a node or a zone, and there are several, but no more than pods.
 */
export type Cause = 'volume-elsewhere' | 'one-pod' | 'no-node-left' | 'too-few-nodes';

export interface Reason {
  readonly cause: Cause;
  /** The claims at fault, by name; none where the pods alone are. */
  readonly claims: readonly string[];
}

/** A pod that is to start while others run: of another revision of the template, or of the same. */
export type Meeting = Crowd;

/** Why the incoming pod may have to wait for as long as the running ones stay; nothing if it never has to. */
export function meeting(pods: Meeting, assumption: Assumption): readonly Reason[] {
  const cases = pairsWithTheirOwn(pods).flatMap((pair) => placements(pair, sharedClaims(pair)));
  return anyOf(cases, (placed) => meetingThere(placed, assumption));
}

/** All reasons that there are in any of these cases, each once. */
function anyOf<Case>(cases: readonly Case[], reasonsIn: (one: Case) => readonly Reason[]): readonly Reason[] {
  const reasons: Reason[] = [];
  for (const reason of cases.flatMap(reasonsIn)) {
    if (!reasons.some((other) => sameJson(other, reason))) reasons.push(reason);
  }
  return reasons;
}

/** The same where every unbound volume has its place. */
function meetingThere(pods: Meeting, assumption: Assumption): readonly Reason[] {
  const { incoming } = pods;
  const shared = sharedClaims(pods);
  const reasons = claimReasons(shared, assumption, pods.tied);
  const onePod = reasons.some(({ cause }) => cause === 'one-pod');
  // The scheduler keeps the second pod waiting, on whatever node. One with a nodeName never meets it.
  if (onePod && incoming.workload.template.nodeName === undefined) return reasons;
  const ground = groundOf(pods, shared, assumption);
  if (onePod) return ground.mayPart ? attachedReasons(shared, reasons, assumption) : reasons;
  if (ground.nowhere) return pods.places === undefined || !incoming.nodes.known ? [] : NO_NODE_LEFT;
  const bonds = bondsOf(pods, assumption);
  const { mayPart, mayNotJoin } = reach(pods, bonds, ground, assumption);
  if (bonds.share.length > 0 && keepsApart(bonds)) {
    if (!mayPart) return NO_NODE_LEFT;
    // Old pods may be together or not, and a spread is against the one what affinity is against the other.
    if (bonds.share.includes(HOSTNAME) && pods.old?.places === undefined) return [...NO_NODE_LEFT, ...reasons];
  }
  const crowded = crowdedOut(pods, bonds, ground);
  // Of replicas that are still to come some may land before the places are taken.
  if (crowded.length > 0 && pods.places !== undefined && !pods.sameRevision) return crowded;
  const pending = crowded.length === 0 && mayNotJoin ? NO_NODE_LEFT : crowded;
  return [...pending, ...(mayPart ? reasons : besideReasons(pods))];
}

/**
 * What the kubelet says where both are on one node: a ReadWriteOncePod volume is mounted for one pod, by whatever claim
 * (`pkg/volume/util/operationexecutor/operation_generator.go:GenerateMountVolumeFunc`).
 */
function besideReasons({ incoming, running }: Meeting): readonly Reason[] {
  const held = new Set(running.claims.map(({ identity }) => identity));
  const onePod = incoming.claims.filter(({ identity, onePod }) => held.has(identity) && onePod.known && onePod.value);
  return onePod.length === 0 ? [] : [{ cause: 'one-pod', claims: onePod.map(({ name }) => name) }];
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

/**
 * The claims of the incoming pod that are the same volume as one of the running pod's. Only one and the same claim is
 * kept for one pod (`scheduler/framework/plugins/volumerestrictions:isReadWriteOncePodPVCConflict`).
 */
export function sharedClaims({ incoming, running }: Pick<Meeting, 'incoming' | 'running'>): readonly Claim[] {
  return incoming.claims.flatMap((claim) => {
    const same = running.claims.filter(({ identity }) => identity === claim.identity);
    if (same.length === 0) return [];
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

const NOTHING_TIED: ReadonlySet<string> = new Set();
const NO_NODE_LEFT: readonly Reason[] = [{ cause: 'no-node-left', claims: [] }];
const TOO_FEW_NODES: readonly Reason[] = [{ cause: 'too-few-nodes', claims: [] }];

const NOWHERE: Ground = { nowhere: true, mayPart: false, mayNotJoin: false };
const EVERYWHERE: Ground = { nowhere: false, mayPart: true, mayNotJoin: false };
const ONE_NODE: Ground = { nowhere: false, mayPart: false, mayNotJoin: false };

/**
 * Unknown nodes are none under the harmless assumption, because then nothing lands anywhere, and several under the
 * others. A volume that will be made on one node keeps everybody there.
 */
function groundOf(pods: Meeting, shared: readonly Claim[], assumption: Assumption): Ground {
  const { nodes } = pods.incoming;
  if (!nodes.known) return assumption === 'harmless' ? NOWHERE : EVERYWHERE;
  const ground = groundFor(pods, nodes.value);
  return !ground.nowhere && shared.some(willKeepItsNode) ? ONE_NODE : ground;
}

/** What is left of the ground to a pod that has to share a domain with those that run. */
function reach(
  pods: Meeting,
  { share, mayBeFirst, avoid }: Bonds,
  ground: Ground,
  assumption: Assumption,
): GroundWithin {
  if (share.length === 0) return { mayPart: ground.mayPart, mayNotJoin: false };
  const { nodes } = pods.incoming;
  if (areOfOneNode(share, nodes)) {
    const mayPart = avoid.length === 0 && mayFollowApart(pods, ground, assumption);
    return { mayPart, mayNotJoin: ground.mayNotJoin };
  }
  if (!nodes.known || ground === ONE_NODE) return ground;
  const within = groundWithin(share, mayBeFirst, pods, nodes.value);
  return share.some((topology) => avoid.includes(topology)) ? { ...within, mayPart: false } : within;
}

/** Whether affinity holds the incoming pod to old ones that may be on several nodes, as it brings nobody together. */
export function followsOldPodsApart(pods: Meeting, assumption: Assumption): boolean {
  const shared = sharedClaims(pods);
  return placements(pods, shared).some((placed) =>
    mayFollowApart(placed, groundOf(placed, shared, assumption), assumption),
  );
}

/**
 * Affinity by hostname asks for a node with some pod that it means, whichever that is
 * (`scheduler/framework/plugins/interpodaffinity/filtering.go:satisfyPodAffinity`), so it holds everybody on one node
 * only where those that run are on one.
 */
function mayFollowApart(pods: Meeting, ground: Ground, assumption: Assumption): boolean {
  const { incoming, running, old, weather } = pods;
  if (old === undefined || old.count < 2 || ground.nowhere || ground === ONE_NODE) return false;
  const { facts, places } = old;
  const { share, avoid } = bondsOf(
    { ...pods, running: facts, sameRevision: facts.workload === incoming.workload },
    assumption,
  );
  if (!share.includes(HOSTNAME) || avoid.length > 0 || !mayBeApart(old, assumption)) return false;
  if (!incoming.nodes.known) return true;
  const joined = nodesToJoin({ incoming, running: facts, places, weather }, incoming.nodes.value);
  return joined.length > (running.workload === facts.workload ? 0 : 1);
}

function mayBeApart({ facts, places }: OldPods, assumption: Assumption): boolean {
  if (places !== undefined) return places.size > 1;
  const pods = pairOf(facts, facts);
  const bonds = bondsOf(pods, assumption);
  return placements(pods, facts.claims).some(
    (placed) => reach(placed, bonds, groundOf(placed, facts.claims, assumption), assumption).mayPart,
  );
}

/** Unknown nodes are taken for such as kubelets make. */
function areOfOneNode(share: readonly string[], nodes: Fact<NodeIndex>): boolean {
  return share.some((topology) => (nodes.known ? isOfOneNode(topology, nodes.value) : topology === HOSTNAME));
}

/** Why pods that have to keep apart may leave no place for another. */
function crowdedOut(pods: Meeting, bonds: Bonds, ground: Ground): readonly Reason[] {
  const { nodes } = pods.incoming;
  if (!nodes.known || !keepsApart(bonds)) return [];
  if (ground === ONE_NODE) return NO_NODE_LEFT;
  const taken = [
    ...bonds.avoid.map((topology) => domainsTaken(topology, pods, nodes.value)),
    ...bonds.spread.map((crowding) => domainsSpread(crowding, pods, nodes.value)),
  ].filter((domains) => domains !== undefined);
  if (taken.length === 0) return [];
  return Math.min(...taken) > 1 ? TOO_FEW_NODES : NO_NODE_LEFT;
}

/** Why the pods of a DaemonSet may have to wait for each other: each has a node of its own to be on, and no other. */
export function meetingOnEveryNode(
  facts: PodFacts,
  assumption: Assumption,
  tied: ReadonlySet<string>,
): readonly Reason[] {
  return anyOf(placements(pairOf(facts, facts), facts.claims), ({ incoming }) =>
    meetingOnEachOf(incoming, assumption, tied),
  );
}

function meetingOnEachOf(facts: PodFacts, assumption: Assumption, tied: ReadonlySet<string>): readonly Reason[] {
  const { nodes } = facts;
  const several = nodes.known ? landingNodes(facts, nodes.value).size > 1 : assumption !== 'harmless';
  if (!several || facts.claims.some(willKeepItsNode)) return [];
  const bonds = bondsOf(pairOf(facts, facts), assumption);
  const reasons = claimReasons(facts.claims, assumption);
  if (areOfOneNode(bonds.share, nodes) || facts.claims.some(({ identity }) => tied.has(identity))) return NO_NODE_LEFT;
  if (!nodes.known) return reasons;
  const { share, avoid } = bonds;
  const parted = share.length > 0 && spansDomains(share, facts, nodes.value);
  const packed = avoid.some((topology) => sharesDomain([topology], facts, nodes.value));
  // Those that run are all of one domain, or one of each.
  const runs = parted ? sharesDomain(share, facts, nodes.value) : !packed || spansDomains(avoid, facts, nodes.value);
  return [...(parted || packed ? NO_NODE_LEFT : []), ...(runs ? reasons : [])];
}

/**
 * Why pods of one workload may have to wait for those of another. Required affinity counts if the one has it: a pod that
 * runs stays where it is when the pod to which it was held comes again elsewhere
 * (`requiredDuringSchedulingIgnoredDuringExecution`).
 */
export function meetingOfTwo(
  one: PodFacts,
  other: PodFacts,
  assumption: Assumption,
  now: Partial<Pick<Meeting, 'places' | 'weather' | 'tied'>> = {},
): readonly Reason[] {
  return meeting({ ...pairOf(one, other), ...now }, assumption);
}

/** The volumes, by identity, to whose node affinity to another user of them holds the pods of a workload. */
export function tiedVolumes(facts: PodFacts, others: readonly PodFacts[], assumption: Assumption): ReadonlySet<string> {
  const pairs = others.map((other) => pairOf(facts, other)).filter((pair) => isHeld(pair, assumption));
  return new Set(pairs.flatMap(sharedClaims).map(({ identity }) => identity));
}

/** Whether affinity holds the incoming pod to the very node of the running ones. */
function isHeld(pods: Meeting, assumption: Assumption): boolean {
  const bonds = bondsOf(pods, assumption);
  if (bonds.share.length === 0) return false;
  const shared = sharedClaims(pods);
  return placements(pods, shared).every(
    (placed) => !reach(placed, bonds, groundOf(placed, shared, assumption), assumption).mayPart,
  );
}

/** Pods that run at once, for as long as they like. A CronJob meets itself in its next run. */
function pairOf(incoming: PodFacts, running: PodFacts): Meeting {
  const { replicas, kind } = running.workload;
  // The last pod of a second run meets the others of its own run too.
  const staying = incoming === running ? 2 * replicas - 1 : replicas;
  const sameRevision = incoming !== running || kind !== 'CronJob';
  return { incoming, running, sameRevision, staying: Math.max(1, staying), weather: false };
}

/**
 * Whether a volume that only one node may attach may have to move, because the pod that comes after it has gone can land
 * elsewhere. Affinity to a pod that has gone holds nothing; pods that stay hold, and keep what they share. A DaemonSet's
 * stay on nodes that the new template fits (`pkg/controller/daemon/daemon_controller.go:podsShouldBeOnNode`).
 */
export function mayMove(pods: Meeting, assumption: Assumption): boolean {
  const { ownClaims } = pods.incoming;
  return ownClaims.length === 0
    ? mayMoveWith([], pods, assumption)
    : ownClaims.some((own) => mayMoveWith(own, pods, assumption));
}

/** The same of a pod with these volumes for itself, which comes in the place of the one that had them. */
function mayMoveWith(own: readonly Claim[], pods: Meeting, assumption: Assumption): boolean {
  const { incoming, running, staying } = pods;
  const moving = [...(staying > 0 ? [] : sharedClaims(pods)), ...own];
  const withItsOwn = { ...pods, incoming: withClaims(incoming, own), running: withClaims(running, own) };
  const grounds = placements(withItsOwn, moving).map((placed) => groundOf(placed, moving, assumption));
  const daemonsStay = !grounds.some(({ mayNotJoin }) => mayNotJoin) || staysWhereTainted(pods);
  const someStay = staying > 0 || (incoming.workload.onEveryNode && daemonsStay);
  if (someStay && isHeld(pods, assumption)) return false;
  return grounds.some(({ mayPart }) => mayPart) && moving.some((claim) => isAttachedToOne(claim, assumption));
}

/** Whether an old pod stays on a node to which the new one may not come only for a taint. */
function staysWhereTainted({ incoming, places }: Meeting): boolean {
  const { nodes } = incoming;
  return nodes.known && places !== undefined && staysTainted(incoming, places, nodes.value);
}

/** Whether there is an old pod on every node that the new ones may land on, of which there are several, and affinity holds them to it. */
export function joinEach(pods: Meeting, places: ReadonlySet<string>, assumption: Assumption): boolean {
  const { nodes } = pods.incoming;
  if (!nodes.known || !areOfOneNode(bondsOf(pods, assumption).share, nodes)) return false;
  const landing = landingNodes(pods.incoming, nodes.value, { limit: nodes.value.size });
  return landing.size > 1 && [...landing].every((name) => places.has(name));
}

/** Why pods of a DaemonSet may have to wait for an old one that nobody replaces, and to which affinity holds them. */
export function meetingWhereTainted(pods: Meeting, assumption: Assumption): readonly Reason[] {
  const { incoming } = pods;
  if (!incoming.nodes.known || !staysWhereTainted(pods)) return [];
  const comeElsewhere = landingNodes(incoming, incoming.nodes.value).size > 0;
  return comeElsewhere && isHeld(pods, assumption) ? NO_NODE_LEFT : [];
}

/** Why a pod that comes to the node of the one it replaces may have to wait for it to go. */
export function meetingInPlace(pods: Meeting, assumption: Assumption): readonly Reason[] {
  const onePod = claimReasons(sharedClaims(pods), assumption).filter(({ cause }) => cause === 'one-pod');
  if (onePod.length > 0) return onePod;
  return keepsApart(bondsOf(pods, assumption)) ? NO_NODE_LEFT : [];
}
