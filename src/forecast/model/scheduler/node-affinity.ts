import { ANY_NODE, type NodeFilter } from './filter.ts';

/** `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go:Filter`. */
export const nodeAffinity: NodeFilter = ({ template }, nodes) => {
  const selectors = nodes.queries.selectorsOf(template);
  if (selectors.length === 0) return undefined;
  const query = { ...ANY_NODE, selectors };
  return ({ name }) => nodes.fits(name, query);
};
