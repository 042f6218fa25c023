import type { Node } from '../src/objects/node.ts';
import type { Requirement } from '../src/objects/selector.ts';
import type { NodeQuery } from '../src/snapshot/node-query.ts';

/*
 * The model that node look-ups are held against: the scheduler's filters, written as its source reads, one node after
 * the other, and sharing no code with what is tested.
 */

const GA = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);

export function matchingNodes(nodes: readonly Node[], query: NodeQuery): readonly Node[] {
  return nodes.filter(
    (node) =>
      toleratesTaints(node, query) && query.zones.every((zones) => volumeZone(node, zones)) && selected(node, query),
  );
}

function toleratesTaints(node: Node, { tolerations, countsTransient }: NodeQuery): boolean {
  const cordon = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };
  for (const taint of node.unschedulable ? [...node.taints, cordon] : node.taints) {
    if (!countsTransient && taint.key.startsWith('node.kubernetes.io/')) continue;
    if (taint.effect === 'PreferNoSchedule') continue;
    let tolerated = false;
    for (const { key, operator, value, effect } of tolerations) {
      const sameEffect = effect === '' || effect === taint.effect;
      const sameKey = key === '' ? operator === 'Exists' : key === taint.key;
      const sameValue = operator === 'Exists' || value === taint.value;
      if (sameEffect && sameKey && sameValue) tolerated = true;
    }
    if (!tolerated) return false;
  }
  return true;
}

function volumeZone({ labels }: Node, zones: ReadonlyMap<string, readonly string[]>): boolean {
  const constrained = [...GA].flat().some((label) => labels.has(label));
  if (!constrained) return true;
  for (const [label, values] of zones) {
    const value = labels.get(label) ?? labels.get(GA.get(label) ?? label);
    if (value === undefined || !values.includes(value)) return false;
  }
  return true;
}

function selected(node: Node, { selectors }: NodeQuery): boolean {
  for (const terms of selectors) {
    let some = false;
    for (const { expressions, fields } of terms) {
      if (expressions.length === 0 && fields.length === 0) continue;
      const holds = (requirement: Requirement, value: string | undefined): boolean => requires(requirement, value);
      if (
        expressions.every((expression) => holds(expression, node.labels.get(expression.key))) &&
        fields.every((field) => holds(field, node.name))
      ) {
        some = true;
      }
    }
    if (!some) return false;
  }
  return true;
}

function requires({ operator, values }: Requirement, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'In') return values.includes(value);
  const [label, bound] = [Number(value), Number(values[0])];
  return operator === 'Gt' ? label > bound : label < bound;
}
