import { ANY_NODE, type NodeFilter } from './filter.ts';

/** `pkg/scheduler/framework/plugins/volumezone/volume_zone.go:Filter`. */
export const volumeZone: NodeFilter = ({ claims }, nodes) => {
  const zones = claims.map(({ claim }) => claim.zones).filter(({ size }) => size > 0);
  if (zones.length === 0) return undefined;
  const query = { ...ANY_NODE, zones };
  return ({ name }) => nodes.fits(name, query);
};
