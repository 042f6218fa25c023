import type { PodFacts } from '../facts/workload-facts.ts';
import type { Assumption } from './assumption.ts';
import { bondsOf, keepsApart } from './bonds.ts';
import { landingNodes, staysTainted } from './placement.ts';
import { areOfOneNode, isHeld, pairOf } from './reach.ts';
import { anyOf, claimReasons, NO_NODE_LEFT, type Reason, sharedClaims } from './reasons.ts';
import { type Crowd, sharesDomain, spansDomains } from './topology.ts';
import { placements, willKeepItsNode } from './unbound.ts';

/** Why the pods of a DaemonSet may have to wait for each other: each has a node of its own to be on, and no other. */
export function meetingOnEveryNode(
  facts: PodFacts,
  assumption: Assumption,
  tied: ReadonlySet<string>,
): readonly Reason[] {
  return anyOf(placements(pairOf(facts, facts), facts.claims), facts.budget, ({ incoming }) =>
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

/** Whether there is an old pod on every node that the new ones may land on, of which there are several, and affinity holds them to it. */
export function joinEach(pods: Crowd, places: ReadonlySet<string>, assumption: Assumption): boolean {
  const { nodes } = pods.incoming;
  if (!nodes.known || !areOfOneNode(bondsOf(pods, assumption).share, nodes)) return false;
  const query = nodes.value.queries.of(pods.incoming, false);
  return landingNodes(pods.incoming, nodes.value).size > 1 && nodes.value.find([query], 1, places).length === 0;
}

/** Why pods of a DaemonSet may have to wait for an old one that nobody replaces, and to which affinity holds them. */
export function meetingWhereTainted(pods: Crowd, assumption: Assumption): readonly Reason[] {
  const { incoming } = pods;
  if (!incoming.nodes.known || !staysWhereTainted(pods)) return [];
  const comeElsewhere = landingNodes(incoming, incoming.nodes.value).size > 0;
  return comeElsewhere && isHeld(pods, assumption) ? NO_NODE_LEFT : [];
}

/** Why a pod that comes to the node of the one it replaces may have to wait for it to go. */
export function meetingInPlace(pods: Crowd, assumption: Assumption): readonly Reason[] {
  const onePod = claimReasons(sharedClaims(pods), assumption).filter(({ cause }) => cause === 'one-pod');
  if (onePod.length > 0) return onePod;
  return keepsApart(bondsOf(pods, assumption)) ? NO_NODE_LEFT : [];
}

/** Whether an old pod stays on a node to which the new one may not come only for a taint. */
export function staysWhereTainted({ incoming, places }: Crowd): boolean {
  const { nodes } = incoming;
  return nodes.known && places !== undefined && staysTainted(incoming, places, nodes.value);
}
