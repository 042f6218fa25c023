import type { JsonPatchOperation } from '../../src/mutations/json-patch.ts';
import { isObject, type JsonObject } from '../../src/objects/json.ts';

/** The object with the operations applied as RFC 6902 says: `add` needs the object that it adds to. */
export function applied(object: JsonObject, patch: readonly JsonPatchOperation[]): JsonObject {
  let result: unknown = structuredClone(object);
  for (const { path, value } of patch) result = added(result, path, value);
  if (!isObject(result)) throw new Error('the patch made it no object');
  return result;
}

function added(target: unknown, path: string, value: unknown): unknown {
  if (path === '') return value;
  const [member = '', ...rest] = path.slice(1).split('/');
  const key = member.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!isObject(target)) throw new Error(`nothing to add ${key} to`);
  if (rest.length > 0 && !Object.hasOwn(target, key)) throw new Error(`nothing at ${key}`);
  const inner = rest.length === 0 ? value : added(target[key], `/${rest.join('/')}`, value);
  return { ...target, [key]: structuredClone(inner) };
}
