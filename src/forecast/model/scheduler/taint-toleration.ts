import { ANY_NODE, type NodeFilter } from './filter.ts';

/**
 * `pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go:Filter`, and what a cordon comes to
 * (`nodeunschedulable/node_unschedulable.go:Filter`). What passes counts only for pods that come today.
 */
export const taintToleration: NodeFilter = ({ template: { tolerations }, countsCordons }, nodes) => {
  const query = { ...ANY_NODE, tolerations, weather: countsCordons };
  return ({ name, taints, unschedulable }) => (taints.length === 0 && !unschedulable) || nodes.fits(name, query);
};
