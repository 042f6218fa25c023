import type { Place } from '../facts/claim.ts';
import type { NodeSearch } from '../facts/node-search.ts';
import type { NodeSelectorTerm, Requirement } from '../objects/selector.ts';
import { currentLabel } from '../objects/zone.ts';

/** What is asked of nodes: choices of terms, and zones. */
export interface AskedOfNodes {
  readonly selectors: Iterable<readonly NodeSelectorTerm[]>;
  readonly zones: Iterable<Place['zones']>;
}

/**
 * The nodes that this may tell from others of their shape, by what it says of labels that single nodes or small groups have
 * for themselves; `each` where it compares all values of such a label.
 */
export function toldApart({ selectors, zones }: AskedOfNodes, search: NodeSearch): ReadonlySet<string> | 'each' {
  const names = new Set<string>();
  const seen = new Set<readonly NodeSelectorTerm[]>();
  for (const terms of selectors) {
    if (seen.has(terms)) continue;
    seen.add(terms);
    for (const { expressions, fields } of terms) {
      search.budget.spend(1 + expressions.length + fields.length);
      for (const { values } of fields) addAll(names, values, search);
      for (const expression of expressions) if (!addMentioned(names, expression, search)) return 'each';
    }
  }
  for (const zone of zones) {
    for (const [key, values] of zone) {
      for (const label of new Set([key, currentLabel(key)])) addWith(names, label, values, search);
    }
  }
  return names;
}

/** False where the values are compared and not named. */
function addMentioned(names: Set<string>, { key, operator, values }: Requirement, search: NodeSearch): boolean {
  switch (operator) {
    case 'In':
    case 'NotIn':
      addWith(names, key, values, search);
      return true;
    case 'Gt':
    case 'Lt':
      return !search.index.isIdentifying(key);
    case 'Exists':
    case 'DoesNotExist':
      return true;
    default:
      return operator satisfies never;
  }
}

function addWith(names: Set<string>, label: string, values: readonly string[], search: NodeSearch): void {
  if (!search.index.isIdentifying(label)) return;
  search.budget.spend(values.length);
  for (const value of values) {
    for (const { name } of search.index.nodesWith(label, value)) {
      search.budget.spend();
      names.add(name);
    }
  }
}

function addAll(names: Set<string>, values: readonly string[], { budget }: NodeSearch): void {
  budget.spend(values.length);
  for (const value of values) names.add(value);
}
