import type { Claim, Place } from '../facts/claim.ts';
import { isThere } from '../facts/landing-queries.ts';
import type { NodeSearch } from '../facts/node-search.ts';
import type { PodFacts } from '../facts/workload-facts.ts';
import { HOSTNAME } from '../objects/node.ts';
import type { Toleration } from '../objects/toleration.ts';
import { type Arrival, landingNodes } from './placement.ts';

/**
 * The pods once for each place that the unbound volumes which they share may get, as the running pods choose it: a
 * volume is made, or one that is there is taken, where the first pod lands. All of them are then where that volume is.
 * Places of several volumes are the nodes that they have in common, so that volumes of one kind are looked at together.
 */
export function* placements<Pods extends Arrival>(pods: Pods, shared: readonly Claim[]): Generator<Pods, void> {
  const { nodes } = pods.incoming;
  const unbound = shared.filter((claim) => claim.onceBound !== undefined && !willKeepItsNode(claim));
  // Pods that are somewhere have their volumes.
  if (unbound.length === 0 || !nodes.known || pods.places !== undefined) yield pods;
  else yield* placedFrom(pods, alike(unbound, nodes.value), nodes.value, new Set());
}

/** Whether a volume will be made on one node and keep everybody there. Nodes are too many to try each. */
export function willKeepItsNode({ onceBound }: Claim): boolean {
  return onceBound?.type === 'domain' && onceBound.topology === HOSTNAME;
}

/** Volumes that may get the same places, and how many they are. */
interface Kind {
  readonly claim: Claim;
  readonly count: number;
}

function alike(claims: readonly Claim[], nodes: NodeSearch): readonly Kind[] {
  const kinds: Kind[] = [];
  for (const claim of claims) {
    nodes.budget.spend(1 + kinds.length);
    const at = kinds.findIndex((kind) => isAlike(kind.claim, claim));
    const kind = kinds[at];
    if (kind === undefined) kinds.push({ claim, count: 1 });
    else kinds[at] = { ...kind, count: kind.count + 1 };
  }
  return kinds;
}

function isAlike({ onceBound: a, ...one }: Claim, { onceBound: b, ...other }: Claim): boolean {
  if (a === b) return true;
  const isOfClass = a?.type === 'domain' && b?.type === 'domain' && a.topology === b.topology;
  return isOfClass && one.nodeAffinity === other.nodeAffinity;
}

function* placedFrom<Pods extends Arrival>(
  pods: Pods,
  [kind, ...others]: readonly Kind[],
  nodes: NodeSearch,
  seen: Set<string>,
): Generator<Pods, void> {
  if (kind === undefined) {
    yield pods;
    return;
  }
  for (const places of choicesFor(kind, pods, nodes)) {
    const placed = at(places, pods);
    const id = `${others.length} more than ${nodes.idOf(onlyAt(placed.running.placed))}`;
    if (!seen.has(id)) yield* placedFrom(placed, others, nodes, seen.add(id));
    // Of one node all other choices leave the same.
    if (pods.running.placed.length > 0 && isOneNode(pods.running.placed, nodes)) return;
  }
}

/** The places that let a running pod land: of one volume, or what several have in common. */
function choicesFor({ claim, count }: Kind, pods: Arrival, nodes: NodeSearch): Iterable<readonly Place[]> {
  const { onceBound } = claim;
  switch (onceBound?.type) {
    case 'place':
      return combined(onceBound.places, count, pods, nodes);
    case 'domain':
      return domainsFor(onceBound.topology, pods.running, nodes);
    case undefined:
      return [[]];
    default:
      return onceBound satisfies never;
  }
}

/** Places by themselves first; what is one node already has no smaller part in common with another. */
function* combined(
  places: readonly Place[],
  most: number,
  pods: Arrival,
  nodes: NodeSearch,
): Iterable<readonly Place[]> {
  let level: { readonly last: number; readonly chosen: readonly Place[] }[] = [{ last: -1, chosen: [] }];
  for (let size = 1; size <= most && level.length > 0; size++) {
    const larger: typeof level = [];
    for (const { last, chosen } of level) {
      for (const [index, place] of places.entries()) {
        if (index <= last) continue;
        const together = [...chosen, place];
        if (landingNodes(at(together, pods).running, nodes, { limit: 1 }).size === 0) continue;
        yield together;
        if (!isOneNode(together, nodes)) larger.push({ last: index, chosen: together });
      }
    }
    level = larger;
  }
}

function isOneNode(places: readonly Place[], nodes: NodeSearch): boolean {
  return nodes.find([onlyAt(places)], 2).length < 2;
}

/** What volumes ask of a node, whatever pods do. */
function onlyAt(places: readonly Place[]) {
  const selectors = places.flatMap(({ nodeAffinity }) => (nodeAffinity === undefined ? [] : [nodeAffinity]));
  return { selectors, zones: places.map(({ zones }) => zones), tolerations: EVERY_TAINT, weather: false };
}

const EVERY_TAINT: readonly Toleration[] = [{ key: '', operator: 'Exists', value: '', effect: '' }];

/** More domains than this are not looked at one by one: no cloud has as many zones in one region. */
const MOST_DOMAINS = 64;

/**
 * Where a volume can be used that stays in one domain: there, and on nodes that are in none, of which nobody can tell.
 * A name that is a number is none: Azure numbers the fault domains of nodes that are in no zone so
 * (cloud-provider-azure pkg/provider/azure_standard.go:GetZoneByNodeName).
 */
function domainsFor(topology: string, running: PodFacts, nodes: NodeSearch): Iterable<readonly Place[]> {
  const labelled = { ...onlyAt([]), selectors: [[{ expressions: [isThere(topology)], fields: [] }]] };
  const seen = nodes.domains([topology], [nodes.queries.of(running, false), labelled], MOST_DOMAINS);
  const domains = [...seen.keys()].filter((domain) => !/^\d*$/.test(domain));
  if (domains.length < 2) return [[]];
  return domains.map((domain) => [
    elsewhereIs(
      domains.filter((other) => other !== domain),
      topology,
    ),
  ]);
}

function elsewhereIs(others: readonly string[], topology: string): Place {
  const notElsewhere = { key: topology, operator: 'NotIn', values: others } as const;
  return { nodeAffinity: [{ expressions: [notElsewhere], fields: [] }], zones: new Map() };
}

function at<Pods extends Arrival>(places: readonly Place[], pods: Pods): Pods {
  if (places.length === 0) return pods;
  const placed = (facts: PodFacts): PodFacts => ({ ...facts, placed: [...facts.placed, ...places] });
  const incoming = placed(pods.incoming);
  return { ...pods, incoming, running: pods.running === pods.incoming ? incoming : placed(pods.running) };
}
