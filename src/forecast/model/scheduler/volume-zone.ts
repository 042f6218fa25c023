import type { Place } from '../../../facts/claim.ts';
import type { Node } from '../../../objects/node.ts';
import { currentLabel, ZONE_LABELS } from '../../../objects/zone.ts';
import type { NodeFilter } from './filter.ts';

/** `pkg/scheduler/framework/plugins/volumezone/volume_zone.go:Filter`. */
export const volumeZone: NodeFilter = ({ claims }, node) => claims.every(({ claim }) => isInZone(node, claim));

/** A node without any zone or region label passes; a beta label of the volume also finds its successor on the node. */
export function isInZone({ labels }: Node, { zones }: Pick<Place, 'zones'>): boolean {
  if (!ZONE_LABELS.some((label) => labels.has(label))) return true;
  for (const [label, allowed] of zones) {
    const value = labels.get(label) ?? labels.get(currentLabel(label));
    if (value === undefined || !allowed.includes(value)) return false;
  }
  return true;
}
