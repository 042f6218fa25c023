import type { Place } from '../../facts/claim.ts';
import type { NodeSearch } from '../../facts/node-search.ts';
import { HOSTNAME, type Node } from '../../objects/node.ts';
import type { Cluster, Volume } from '../cluster.ts';
import { placeOf } from '../state.ts';
import { ANY_NODE, type Asker, domainsOf, type NodeFilter, type Plugin } from './filter.ts';
import { choicesOf } from './place-choices.ts';

/**
 * A claim that is being deleted is for no pod that is still to come, and those that run keep it
 * (`pkg/scheduler/framework/plugins/volumebinding/volume_binding.go:podHasPVCs`).
 */
export const deletedClaims: NodeFilter = ({ claims, areThere }) =>
  !areThere && claims.some(({ claim }) => claim.deleting) ? () => false : undefined;

/** Where the volume is already: `pkg/scheduler/framework/plugins/volumebinding/binder.go:checkBoundClaims`. */
export const volumeBinding = ({ claims }: Pick<Asker, 'claims'>, nodes: NodeSearch): ReturnType<NodeFilter> => {
  const selectors = claims.flatMap(({ claim: { nodeAffinity } }) => (nodeAffinity === undefined ? [] : [nodeAffinity]));
  if (selectors.length === 0) return undefined;
  const query = { ...ANY_NODE, selectors };
  return ({ name }) => nodes.fits(name, query);
};

/** Which nodes can use a volume that is in a place. */
export interface Reach {
  readonly isUsable: (node: Node) => boolean;
  /** Only one node can, or none, as with a local volume. */
  readonly isOfOne: boolean;
}

export function reachOf({ nodeAffinity, zones }: Place, nodes: NodeSearch): Reach {
  const query = { ...ANY_NODE, selectors: nodeAffinity === undefined ? [] : [nodeAffinity], zones: [zones] };
  const [one, another] = nodes.find([query], 2);
  if (another === undefined) return { isUsable: ({ name }) => name === one?.name, isOfOne: true };
  return { isUsable: ({ name }) => nodes.fits(name, query), isOfOne: false };
}

/** Where a volume has come to be that was made, or taken, for the first pod. */
export const placedVolumes: Plugin = (cluster) => {
  const { classes, volumes } = cluster;
  if (volumes.every(({ claim }) => claim.onceBound === undefined)) return undefined;
  const usable = volumes.map((volume) => usableFrom(volume, cluster));
  const toBePlaced = classes.map((podClass) =>
    podClass.volumes.filter((volume) => volumes[volume]?.claim.onceBound !== undefined),
  );
  return (podClass, node, state) => {
    for (const volume of toBePlaced[podClass] ?? []) {
      const place = placeOf(state, volume, volumes.length);
      if (place >= 0 && !usable[volume]?.(place, node)) return false;
    }
    return true;
  };
};

/** A place that any node can use. */
const ANYWHERE = 255;

/** By volume and node, the choices of places that a volume may get when its first pod lands on the node. */
export function placesOfVolumes(cluster: Cluster): readonly (readonly (readonly number[])[])[] {
  return cluster.volumes.map((volume) => {
    const { onceBound } = volume.claim;
    if (onceBound === undefined) return [];
    if (onceBound.type === 'domain') return placesByDomain(onceBound.topology, cluster).map((place) => [place]);
    const usable = usableOf(volume, cluster);
    cluster.budget.spend(cluster.nodes.length * usable.length);
    return cluster.nodes.map((_, node) => usable.flatMap((isUsable, choice) => (isUsable(node) ? [choice] : [])));
  });
}

/** By choice of places, whether a node can use all of them. */
function usableOf(volume: Volume, cluster: Cluster): readonly ((node: number) => boolean)[] {
  const { onceBound } = volume.claim;
  if (onceBound?.type !== 'place') return [];
  const by = onceBound.places.map((place) => cluster.usableIn.get(place) ?? []);
  return choicesOf(volume, cluster).map((places) => (node) => places.every((place) => by[place]?.[node] ?? false));
}

/**
 * A name that is a number is no zone: Azure numbers the fault domains of nodes that are in none so (cloud-provider-azure
 * pkg/provider/azure_standard.go:GetZoneByNodeName).
 */
function placesByDomain(topology: string, cluster: Cluster): readonly number[] {
  const domains = domainsOf(cluster, topology);
  return cluster.nodes.map((node, index) => {
    const domain = domains[index] ?? -1;
    const isNumber = topology !== HOSTNAME && /^\d*$/.test(node?.labels.get(topology) ?? '');
    return domain < 0 || isNumber ? ANYWHERE : domain;
  });
}

function usableFrom(volume: Volume, cluster: Cluster): (place: number, node: number) => boolean {
  const { onceBound } = volume.claim;
  if (onceBound?.type === 'place') {
    const usable = usableOf(volume, cluster);
    return (choice, node) => usable[choice]?.(node) ?? true;
  }
  const domains = onceBound === undefined ? [] : placesByDomain(onceBound.topology, cluster);
  return (place, node) => {
    const domain = domains[node] ?? ANYWHERE;
    return place === ANYWHERE || domain === ANYWHERE || domain === place;
  };
}
