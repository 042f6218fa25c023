import { isScalar, type YAMLMap } from 'yaml';

/** The fields before which new ones stand, in the order of names in which kubectl prints them. */
const BEFORE: ReadonlyMap<string, string> = new Map([
  ['strategy', 'template'],
  ['affinity', 'containers'],
]);

/** The place in a mapping before which a new field belongs; the number of its fields where it belongs at the end. */
export function siblingAfter({ items }: YAMLMap, member: string): number {
  const next = BEFORE.get(member);
  const at = items.findIndex(({ key }) => next !== undefined && isScalar(key) && key.value === next);
  return at === -1 ? items.length : at;
}
