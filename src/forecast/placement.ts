import type { Claim } from '../facts/claim.ts';
import type { NodeIndex, NodeQuery } from '../facts/node-index.ts';
import type { PodTemplate, SpreadConstraint } from '../facts/pod-template.ts';
import type { NodeSelectorTerm } from '../facts/selector.ts';
import type { Toleration } from '../facts/toleration.ts';

/**
 * The nodes on which pods of a template may run, as far as lasting constraints tell: at most two of their names,
 * because nothing depends on a third. Free capacity, cordons and the health of nodes are not looked at.
 */
export function landingNodes(template: PodTemplate, claims: readonly Claim[], nodes: NodeIndex): ReadonlySet<string> {
  if (template.nodeName !== undefined) return new Set([template.nodeName]);
  return new Set(nodes.find(queryFor(template, claims), 2).map((node) => node.name));
}

/** How many nodes a spread over nodes counts, of which volumes leave none out; no more than two are counted. */
export function placesToSpread(constraint: SpreadConstraint, template: PodTemplate, nodes: NodeIndex): number {
  const selectors = [HAS_HOSTNAME, ...(constraint.countsUnselected ? [] : selectorsOf(template))];
  const tolerations = constraint.countsTainted ? EVERY_TAINT : template.tolerations;
  return nodes.find({ selectors, zones: [], tolerations }, 2).length;
}

const HAS_HOSTNAME: readonly NodeSelectorTerm[] = [
  { expressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists', values: [] }], fields: [] },
];

const EVERY_TAINT: readonly Toleration[] = [{ key: '', operator: 'Exists', value: '', effect: '' }];

function queryFor(template: PodTemplate, claims: readonly Claim[]): NodeQuery {
  const volumes = claims.flatMap(({ nodeAffinity }) => (nodeAffinity === undefined ? [] : [nodeAffinity]));
  return {
    selectors: [...selectorsOf(template), ...volumes],
    zones: claims.map((claim) => claim.zones),
    tolerations: template.tolerations,
  };
}

function selectorsOf({ nodeSelector, nodeAffinity }: PodTemplate): readonly (readonly NodeSelectorTerm[])[] {
  return [
    ...(nodeSelector.length > 0 ? [[{ expressions: nodeSelector, fields: [] }]] : []),
    ...(nodeAffinity === undefined ? [] : [nodeAffinity]),
  ];
}
