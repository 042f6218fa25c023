import { isObject, type JsonObject, objectAt, objectsAt, stringAt, stringMapAt } from '../objects/json.ts';

/** Whether somebody's manifest sets a field; without an Apply entry and last-applied nobody can tell. */
export type Declared = 'yes' | 'no' | 'unknown';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Whether server-side apply had a hand in the object, which leaves in place whatever a manifest does not name. An object whose
 * managedFields cannot be read is none that an API server sends, and is judged all the same.
 */
export function isServerSideApplied(object: JsonObject): boolean {
  const { metadata } = object;
  const entries: unknown = isObject(metadata) ? metadata.managedFields : undefined;
  return Array.isArray(entries) && entries.some((entry) => isObject(entry) && entry.operation === 'Apply');
}

/** Looks the path up among the fields of server-side apply, and in what client-side apply last sent. */
export function declaredInManifest(object: JsonObject, path: readonly string[]): Declared {
  const metadata = objectAt(object, 'metadata');
  const applied = objectsAt(metadata, 'managedFields').filter((entry) => stringAt(entry, 'operation') === 'Apply');
  const owned = path.map((member) => `f:${member}`);
  if (applied.some((entry) => contains(objectAt(entry, 'fieldsV1'), owned))) return 'yes';
  const lastApplied = parsed(stringMapAt(metadata, 'annotations').get(LAST_APPLIED));
  if (contains(lastApplied, path)) return 'yes';
  return applied.length > 0 || lastApplied !== undefined ? 'no' : 'unknown';
}

function contains(object: unknown, path: readonly string[]): boolean {
  let here: unknown = object;
  for (const member of path) {
    if (!isObject(here) || !Object.hasOwn(here, member)) return false;
    here = here[member];
  }
  return true;
}

/** The annotation is the user's to write: what is no JSON tells as little as none. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
