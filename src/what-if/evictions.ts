import type { Node } from '../objects/node.ts';

/** Whether the controllers evict pods from nodes that have gone silent together. */
export type Evictions =
  /** The last of these nodes is marked so much later than the first one. */
  | { readonly type: 'go-on'; readonly lastAfterSeconds: number }
  | { readonly type: 'stopped'; readonly because: string };

/** `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go` and `pkg/controller/nodelifecycle/config/v1alpha1/defaults.go`. */
const UNHEALTHY_ZONE_THRESHOLD = 0.55;
const LARGE_CLUSTER = 50;
const NODES_PER_SECOND = 0.1;
const NODES_PER_SECOND_IN_A_LARGE_ZONE = 0.01;

/** Fewer nodes than these never make a zone partially disrupted (`ComputeZoneState`). */
const FEW_SILENT = 2;

interface Zone {
  nodes: number;
  silent: number;
  failing: number;
}

/**
 * By node that fails (`pkg/controller/nodelifecycle/node_lifecycle_controller.go:handleDisruption`): nothing is evicted any
 * more where no node at all is Ready, or in a zone of few nodes of which most are silent.
 */
export function evictionsFrom(
  failing: ReadonlySet<string>,
  nodes: Iterable<Node>,
  ready: ReadonlySet<string>,
): ReadonlyMap<string, Evictions> {
  const zones = new Map<string, Zone>();
  const zoneOf = new Map<string, Zone>();
  for (const node of nodes) {
    const key = zoneKey(node);
    const zone = zones.get(key) ?? { nodes: 0, silent: 0, failing: 0 };
    zones.set(key, zone);
    zone.nodes++;
    if (failing.has(node.name)) zoneOf.set(node.name, zone);
    if (failing.has(node.name) && ready.has(node.name)) zone.failing++;
    if (failing.has(node.name) || !ready.has(node.name)) zone.silent++;
  }
  const isAll = [...zones.values()].every(({ nodes: all, silent }) => silent === all);
  return new Map([...zoneOf].map(([name, zone]) => [name, isAll ? ALL_SILENT : evictionsIn(zone)]));
}

const ALL_SILENT: Evictions = {
  type: 'stopped',
  because: 'no node would be Ready, and then the control plane takes itself for cut off and evicts nothing',
};

function evictionsIn({ nodes, silent, failing }: Zone): Evictions {
  const isPartial = silent < nodes && silent > FEW_SILENT && silent / nodes >= UNHEALTHY_ZONE_THRESHOLD;
  if (isPartial && nodes <= LARGE_CLUSTER) {
    const because = `${silent} of the ${nodes} nodes of its zone would be silent, and from 55 % on nothing is evicted there`;
    return { type: 'stopped', because };
  }
  const rate = isPartial ? NODES_PER_SECOND_IN_A_LARGE_ZONE : NODES_PER_SECOND;
  return { type: 'go-on', lastAfterSeconds: Math.round(Math.max(0, failing - 1) / rate) };
}

/** `component-helpers/node/topology/helpers.go:GetZoneKey`: the labels of old come first. */
function zoneKey({ labels }: Node): string {
  return ['region', 'zone']
    .map(
      (what) =>
        labels.get(`failure-domain.beta.kubernetes.io/${what}`) ?? labels.get(`topology.kubernetes.io/${what}`) ?? '',
    )
    .join('\0');
}
