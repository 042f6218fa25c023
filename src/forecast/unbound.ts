import type { Claim, Place } from '../facts/claim.ts';
import type { PodFacts } from '../facts/gather.ts';
import { HOSTNAME } from '../facts/node.ts';
import type { NodeIndex } from '../facts/node-index.ts';
import type { Requirement } from '../facts/selector.ts';
import { type Arrival, domainsAmong, landingNodes, queryFor } from './placement.ts';

/**
 * The pods once for each place that the unbound volumes which they share may get, as the running pods choose it: a
 * volume is made, or one that is there is taken, where the first pod lands. All of them are then where that volume is.
 */
export function placements<Pods extends Arrival>(pods: Pods, shared: readonly Claim[]): readonly Pods[] {
  const { nodes } = pods.incoming;
  const unbound = shared.filter(({ onceBound }) => onceBound !== undefined);
  // Pods that are somewhere have their volumes.
  if (unbound.length === 0 || !nodes.known || pods.places !== undefined) return [pods];
  return unbound.reduce<readonly Pods[]>(
    (placed, claim) => placed.flatMap((one) => placesOf(claim, one, nodes.value).map((place) => at(place, claim, one))),
    [pods],
  );
}

/** Whether a volume will be made on one node and keep everybody there. */
export function willKeepItsNode({ onceBound }: Claim): boolean {
  return onceBound?.type === 'domain' && onceBound.topology === HOSTNAME;
}

/** The places that let a running pod land. Nodes are too many to try each: see `willKeepItsNode`. */
function placesOf(claim: Claim, pods: Arrival, nodes: NodeIndex): readonly Place[] {
  const { onceBound } = claim;
  if (onceBound === undefined || willKeepItsNode(claim)) return [claim];
  switch (onceBound.type) {
    case 'place':
      return onceBound.places.filter(
        (place) => landingNodes(at(place, claim, pods).running, nodes, { limit: 1 }).size > 0,
      );
    case 'domain':
      return domainsOf(onceBound.topology, claim, pods.running, nodes);
    default:
      return onceBound satisfies never;
  }
}

/** More domains than this are not looked at one by one: no cloud has as many zones in one region. */
const MOST_DOMAINS = 64;

/**
 * Where a volume can be used that stays in one domain: there, and on nodes that are in none, of which nobody can tell.
 * A name that is a number is none: Azure numbers the fault domains of nodes that are in no zone so
 * (cloud-provider-azure pkg/provider/azure_standard.go:GetZoneByNodeName).
 */
function domainsOf(topology: string, claim: Claim, running: PodFacts, nodes: NodeIndex): readonly Place[] {
  const seen = domainsAmong(topology, queryFor(running, false), nodes, MOST_DOMAINS);
  const domains = seen.filter((domain) => !/^\d*$/.test(domain));
  if (domains.length < 2) return [claim];
  return domains.map((domain) =>
    within(
      claim,
      topology,
      domains.filter((other) => other !== domain),
    ),
  );
}

function within(claim: Claim, topology: string, others: readonly string[]): Place {
  const notElsewhere: Requirement = { key: topology, operator: 'NotIn', values: others };
  const terms = claim.nodeAffinity ?? [{ expressions: [], fields: [] }];
  const nodeAffinity = terms.map((term) => ({ ...term, expressions: [...term.expressions, notElsewhere] }));
  return { nodeAffinity, zones: claim.zones };
}

function at<Pods extends Arrival>({ nodeAffinity, zones }: Place, { identity }: Claim, pods: Pods): Pods {
  const placed = (facts: PodFacts): PodFacts => ({
    ...facts,
    claims: facts.claims.map((claim) => (claim.identity === identity ? { ...claim, nodeAffinity, zones } : claim)),
  });
  const incoming = placed(pods.incoming);
  return { ...pods, incoming, running: pods.running === pods.incoming ? incoming : placed(pods.running) };
}
