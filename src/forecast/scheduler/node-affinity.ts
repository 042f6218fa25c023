import type { Node } from '../../objects/node.ts';
import { matchesRequirement, type NodeSelectorTerm } from '../../objects/selector.ts';
import { ANY_NODE, type NodeFilter } from './filter.ts';

/** `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go:Filter`. */
export const nodeAffinity: NodeFilter = ({ template }, nodes) => {
  const selectors = nodes.queries.selectorsOf(template);
  if (selectors.length === 0) return undefined;
  if (isShort(selectors)) return (node) => selectors.every((terms) => matchesSomeTerm(node, terms));
  const query = { ...ANY_NODE, selectors };
  return ({ name }) => nodes.fits(name, query);
};

/** Up to so many requirements and values are compared sooner than they are put in order. */
const SHORT = 16;

function isShort(selectors: readonly (readonly NodeSelectorTerm[])[]): boolean {
  let size = 0;
  for (const terms of selectors) {
    for (const { expressions, fields } of terms) {
      for (const { values } of [...expressions, ...fields]) {
        size += 1 + values.length;
        if (size > SHORT) return false;
      }
    }
  }
  return true;
}

/** `component-helpers/scheduling/corev1/nodeaffinity`: a term without any requirement matches no node. */
function matchesSomeTerm(node: Node, terms: readonly NodeSelectorTerm[]): boolean {
  return terms.some(
    ({ expressions, fields }) =>
      expressions.length + fields.length > 0 &&
      expressions.every((expression) => matchesRequirement(expression, node.labels.get(expression.key))) &&
      fields.every((field) => matchesRequirement(field, node.name)),
  );
}
