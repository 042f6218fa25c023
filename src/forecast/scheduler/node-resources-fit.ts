import type { NodeFilter } from './filter.ts';

/**
 * Whether the node would have room for the pod if it were empty (`pkg/scheduler/framework/plugins/noderesources/fit.go:fitsRequest`).
 * What other pods take passes; what a node never has does not.
 */
export const nodeResourcesFit: NodeFilter = ({ template: { requests } }) => {
  if (requests.length === 0) return undefined;
  return ({ allocatable }) => {
    if (allocatable === undefined) return true;
    for (const [name, amount] of requests) if (amount > (allocatable.get(name) ?? 0)) return false;
    return true;
  };
};
