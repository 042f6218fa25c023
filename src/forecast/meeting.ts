import type { Claim } from '../facts/claim.ts';
import type { NodeSearch } from '../facts/node-search.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import { HOSTNAME } from '../objects/node.ts';
import type { Assumption } from './assumption.ts';
import { type Bonds, bondsOf, keepsApart } from './bonds.ts';
import { pairsWithTheirOwn } from './own-claims.ts';
import type { Ground } from './placement.ts';
import { groundOf, isHeld, ONE_NODE, pairOf, reach } from './reach.ts';
import {
  anyOf,
  attachedReasons,
  besideReasons,
  claimReasons,
  NO_NODE_LEFT,
  type Reason,
  sharedClaims,
  TOO_FEW_NODES,
} from './reasons.ts';
import { type Crowd, domainsSpread, domainsTaken, isOneDomain } from './topology.ts';
import { placements } from './unbound.ts';

/** Why the incoming pod may have to wait for as long as the running ones stay; nothing if it never has to. */
export function meeting(pods: Crowd, assumption: Assumption): readonly Reason[] {
  const { budget } = pods.incoming;
  return anyOf(pairsWithTheirOwn(pods), budget, (pair) => {
    const shared = sharedClaims(pair);
    let ofAll: Bonds | undefined;
    const bondsAt = (placed: Crowd): Bonds => {
      if (hasBystanders(pair)) return bondsOf(placed, assumption);
      ofAll ??= bondsOf(pair, assumption);
      return ofAll;
    };
    const reasons = claimReasons(shared, assumption, pair.tied);
    const beside = besideReasons(pair, assumption);
    return anyOf(placements(pair, shared), budget, (placed) =>
      meetingThere(placed, { shared, reasons, beside, bondsAt }, assumption),
    );
  });
}

/** What is the same wherever unbound volumes get their places. */
interface Anywhere {
  readonly shared: readonly Claim[];
  /** Where pods part. */
  readonly reasons: readonly Reason[];
  /** Where they do not. */
  readonly beside: readonly Reason[];
  readonly bondsAt: (placed: Crowd) => Bonds;
}

/** Then it depends on where the volumes are whether affinity holds the pods to each other. */
function hasBystanders({ incoming }: Crowd): boolean {
  return !incoming.bystanders.known || incoming.bystanders.value.length > 0;
}

/** The same where every unbound volume has its place. */
function meetingThere(
  pods: Crowd,
  { shared, reasons, beside, bondsAt }: Anywhere,
  assumption: Assumption,
): readonly Reason[] {
  const { incoming } = pods;
  incoming.budget.spend(OPERATIONS_OF_A_CASE + shared.length);
  const onePod = reasons.some(({ cause }) => cause === 'one-pod');
  // The scheduler keeps the second pod waiting, on whatever node. One with a nodeName never meets it.
  if (onePod && incoming.workload.template.nodeName === undefined) return reasons;
  const ground = groundOf(pods, shared, assumption);
  if (onePod) return ground.mayPart ? attachedReasons(shared, reasons, assumption) : reasons;
  if (ground.nowhere) return pods.places === undefined || !incoming.nodes.known ? [] : NO_NODE_LEFT;
  const bonds = bondsAt(pods);
  const { mayPart, mayNotJoin } = reach(pods, bonds, ground, assumption);
  if (bonds.share.length > 0 && keepsApart(bonds)) {
    if (!mayPart) return NO_NODE_LEFT;
    // Old pods may be together or not, and a spread is against the one what affinity is against the other.
    if (bonds.share.includes(HOSTNAME) && pods.old?.places === undefined) return [...NO_NODE_LEFT, ...reasons];
  }
  const crowded = crowdedOut(pods, bonds, ground);
  // Of replicas that are still to come some may land before the places are taken, if there are several.
  const areTaken = pods.places !== undefined && !pods.sameRevision;
  if (crowded.length > 0 && (areTaken || isOnlyPlace(pods, bonds))) return crowded;
  const pending = crowded.length === 0 && mayNotJoin ? NO_NODE_LEFT : crowded;
  return [...pending, ...(mayPart ? reasons : beside)];
}

/** To ask for the nodes of both pods, beside what that looks at. */
const OPERATIONS_OF_A_CASE = 10;

function isOnlyPlace(pods: Crowd, { avoid }: Bonds): boolean {
  const { nodes } = pods.incoming;
  return nodes.known && avoid.some((topology) => isOneDomain(topology, pods, nodes.value));
}

/** Why pods that have to keep apart may leave no place for another: for want of nodes, or because a volume leaves one. */
function crowdedOut(pods: Crowd, bonds: Bonds, ground: Ground): readonly Reason[] {
  const { nodes, claims } = pods.incoming;
  if (!nodes.known || !keepsApart(bonds)) return [];
  const free = placesLeft(pods, bonds, nodes.value);
  const left = ground === ONE_NODE ? 1 : free;
  if (left === undefined) return [];
  if (left > 1) return TOO_FEW_NODES;
  const pinning = claims.filter(isPinned);
  const anywhere = { ...pods, incoming: withoutClaims(pods.incoming), running: withoutClaims(pods.running) };
  const isAtFault = placesLeft(anywhere, bonds, nodes.value) !== 1;
  return isAtFault ? [{ cause: 'no-node-left', claims: pinning.map(({ name }) => name) }] : NO_NODE_LEFT;
}

/** How many places there are if running pods may take all of them; nothing if one stays free. */
function placesLeft(pods: Crowd, { avoid, spread }: Bonds, nodes: NodeSearch): number | undefined {
  let fewest: number | undefined;
  const count = (domains: number | undefined): void => {
    if (domains !== undefined) fewest = Math.min(domains, fewest ?? domains);
  };
  for (const topology of avoid) count(domainsTaken(topology, pods, nodes));
  for (const crowding of spread) count(domainsSpread(crowding, pods, nodes));
  return fewest;
}

function isPinned({ nodeAffinity, zones, onceBound }: Claim): boolean {
  return nodeAffinity !== undefined || zones.size > 0 || onceBound !== undefined;
}

function withoutClaims(facts: PodFacts): PodFacts {
  return { ...facts, claims: [], placed: [] };
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
  now: Partial<Pick<Crowd, 'places' | 'weather' | 'tied'>> = {},
): readonly Reason[] {
  return meeting({ ...pairOf(one, other), ...now }, assumption);
}

/** Whether pods of each have to come to a pod of the other, so that neither starts where none runs. */
export function waitForEachOther(one: PodFacts, other: PodFacts, assumption: Assumption): boolean {
  return [pairOf(one, other), pairOf(other, one)].every((pair) => {
    const { share, mayBeFirst } = bondsOf(pair, assumption);
    return share.length > 0 && !mayBeFirst;
  });
}

/** The volumes, by identity, to whose node affinity to another user of them holds the pods of a workload. */
export function tiedVolumes(facts: PodFacts, others: readonly PodFacts[], assumption: Assumption): ReadonlySet<string> {
  const pairs = others.map((other) => pairOf(facts, other)).filter((pair) => isHeld(pair, assumption));
  return new Set(pairs.flatMap(sharedClaims).map(({ identity }) => identity));
}
