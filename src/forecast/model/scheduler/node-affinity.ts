import type { Node } from '../../../objects/node.ts';
import { selectorsOf } from '../../../objects/pod-template.ts';
import { matchesRequirement, type NodeSelectorTerm } from '../../../objects/selector.ts';
import type { NodeFilter } from './filter.ts';

/** `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go:Filter`. */
export const nodeAffinity: NodeFilter = ({ template }, node) =>
  selectorsOf(template).every((terms) => matchesSomeTerm(node, terms));

/** `component-helpers/scheduling/corev1/nodeaffinity`: a term without any requirement matches no node. */
export function matchesSomeTerm(node: Node, terms: readonly NodeSelectorTerm[]): boolean {
  return terms.some(
    ({ expressions, fields }) =>
      expressions.length + fields.length > 0 &&
      expressions.every((expression) => matchesRequirement(expression, node.labels.get(expression.key))) &&
      fields.every((field) => matchesRequirement(field, node.name)),
  );
}
