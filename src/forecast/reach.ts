import type { Claim } from '../facts/claim.ts';
import type { NodeSearch } from '../facts/node-search.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import type { Fact } from '../objects/fact.ts';
import { HOSTNAME } from '../objects/node.ts';
import type { Assumption } from './assumption.ts';
import { type Bonds, bondsOf } from './bonds.ts';
import { type Ground, groundFor, nodesToJoin } from './placement.ts';
import { sharedClaims } from './reasons.ts';
import { type Crowd, type GroundWithin, groundWithin, isOfOneNode, type OldPods } from './topology.ts';
import { placements, willKeepItsNode } from './unbound.ts';

const NOWHERE: Ground = { nowhere: true, mayPart: false, mayNotJoin: false };

const EVERYWHERE: Ground = { nowhere: false, mayPart: true, mayNotJoin: false };

export const ONE_NODE: Ground = { nowhere: false, mayPart: false, mayNotJoin: false };

/** Pods that run at once, for as long as they like. A CronJob meets itself in its next run. */
export function pairOf(incoming: PodFacts, running: PodFacts): Crowd {
  const { replicas, kind } = running.workload;
  // The last pod of a second run meets the others of its own run too.
  const staying = incoming === running ? 2 * replicas - 1 : replicas;
  const sameRevision = incoming !== running || kind !== 'CronJob';
  return { incoming, running, sameRevision, staying: Math.max(1, staying), weather: false };
}

/**
 * Unknown nodes are none under the harmless assumption, because then nothing lands anywhere, and several under the
 * others. A volume that will be made on one node keeps everybody there.
 */
export function groundOf(pods: Crowd, shared: readonly Claim[], assumption: Assumption): Ground {
  const { nodes } = pods.incoming;
  if (!nodes.known) return assumption === 'harmless' ? NOWHERE : EVERYWHERE;
  const ground = groundFor(pods, nodes.value);
  return !ground.nowhere && shared.some(willKeepItsNode) ? ONE_NODE : ground;
}

/** What is left of the ground to a pod that has to share a domain with those that run. */
export function reach(
  pods: Crowd,
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

/** Whether affinity holds the incoming pod to the very node of the running ones. */
export function isHeld(pods: Crowd, assumption: Assumption): boolean {
  const bonds = bondsOf(pods, assumption);
  if (bonds.share.length === 0) return false;
  const shared = sharedClaims(pods);
  return !mayPartSomewhere(placements(pods, shared), shared, bonds, assumption);
}

function mayPartSomewhere(
  cases: Iterable<Crowd>,
  shared: readonly Claim[],
  bonds: Bonds,
  assumption: Assumption,
): boolean {
  for (const placed of cases) {
    if (reach(placed, bonds, groundOf(placed, shared, assumption), assumption).mayPart) return true;
  }
  return false;
}

/** Whether affinity holds the incoming pod to old ones that may be on several nodes, as it brings nobody together. */
export function followsOldPodsApart(pods: Crowd, assumption: Assumption): boolean {
  const { podAffinity } = pods.incoming.workload.template;
  if (!podAffinity.some(({ topologyKey }) => topologyKey === HOSTNAME)) return false;
  const shared = sharedClaims(pods);
  for (const placed of placements(pods, shared)) {
    if (mayFollowApart(placed, groundOf(placed, shared, assumption), assumption)) return true;
  }
  return false;
}

/**
 * Affinity by hostname asks for a node with some pod that it means, whichever that is
 * (`scheduler/framework/plugins/interpodaffinity/filtering.go:satisfyPodAffinity`), so it holds everybody on one node
 * only where those that run are on one.
 */
function mayFollowApart(pods: Crowd, ground: Ground, assumption: Assumption): boolean {
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
  return mayPartSomewhere(placements(pods, facts.claims), facts.claims, bonds, assumption);
}

/** Unknown nodes are taken for such as kubelets make. */
export function areOfOneNode(share: readonly string[], nodes: Fact<NodeSearch>): boolean {
  return share.some((topology) => (nodes.known ? isOfOneNode(topology, nodes.value) : topology === HOSTNAME));
}
