import type { Claim } from '../facts/claim.ts';
import type { NodeIndex, NodeQuery } from '../facts/node-index.ts';
import type { PodTemplate } from '../facts/pod-template.ts';
import type { NodeSelectorTerm } from '../facts/selector.ts';

/**
 * The nodes on which pods of a template may run, as far as lasting constraints tell: at most two of their names,
 * because nothing depends on a third. Free capacity, cordons and the health of nodes are not looked at.
 */
export function landingNodes(template: PodTemplate, claims: readonly Claim[], nodes: NodeIndex): ReadonlySet<string> {
  if (template.nodeName !== undefined) return new Set([template.nodeName]);
  return new Set(nodes.find(queryFor(template, claims), 2).map((node) => node.name));
}

function queryFor(template: PodTemplate, claims: readonly Claim[]): NodeQuery {
  const selectors: (readonly NodeSelectorTerm[])[] = [];
  if (template.nodeSelector.length > 0) selectors.push([{ expressions: template.nodeSelector, fields: [] }]);
  if (template.nodeAffinity !== undefined) selectors.push(template.nodeAffinity);
  for (const { nodeAffinity } of claims) if (nodeAffinity !== undefined) selectors.push(nodeAffinity);
  return { selectors, zones: claims.map((claim) => claim.zones), tolerations: template.tolerations };
}
