/** A JSON object of which nothing is known yet. Read it with the functions below; they never trust a type. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

/** An object that the API server would have refused: a field holds another type than its API says. */
export class UnreadableObjectError extends Error {
  readonly code = 'UNREADABLE_OBJECT';

  constructor(field: string, expected: string, found: unknown) {
    super(`${field} must be ${expected}, not ${shown(found)}: correct the manifest`);
    this.name = 'UnreadableObjectError';
  }
}

/** At most 40 characters of a value that is wrong, and of objects, which may be deep, only what they are. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Go reads `null` as an absent field, so every reader here does too. */
function own(object: JsonObject | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key) ? (object[key] ?? undefined) : undefined;
}

export function objectAt(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = own(object, key);
  if (value === undefined || isObject(value)) return value;
  throw new UnreadableObjectError(key, 'an object', value);
}

export function stringAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = own(object, key);
  if (value === undefined || typeof value === 'string') return value;
  throw new UnreadableObjectError(key, 'a string', value);
}

export function booleanAt(object: JsonObject | undefined, key: string): boolean | undefined {
  const value = own(object, key);
  if (value === undefined || typeof value === 'boolean') return value;
  throw new UnreadableObjectError(key, 'true or false', value);
}

/** A whole number of at least 0 that fits an int32, as every count in the workload APIs does. */
export function countAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = own(object, key);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw new UnreadableObjectError(key, 'a whole number of at least 0', value);
}

export function listAt(object: JsonObject | undefined, key: string): readonly unknown[] {
  const value = own(object, key);
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new UnreadableObjectError(key, 'a list', value);
}

export function objectsAt(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  return listAt(object, key).map((item) => {
    if (isObject(item)) return item;
    throw new UnreadableObjectError(key, 'a list of objects', item);
  });
}

export function stringsAt(object: JsonObject | undefined, key: string): readonly string[] {
  return listAt(object, key).map((item) => {
    if (typeof item === 'string') return item;
    throw new UnreadableObjectError(key, 'a list of strings', item);
  });
}

/** Labels, annotations and the like. A Map, because keys come from users and may be `__proto__`. */
export function stringMapAt(object: JsonObject | undefined, key: string): ReadonlyMap<string, string> {
  const map = objectAt(object, key);
  if (map === undefined) return EMPTY;
  const entries = new Map<string, string>();
  for (const name of Object.keys(map)) {
    const value = stringAt(map, name);
    if (value !== undefined) entries.set(name, value);
  }
  return entries;
}

const EMPTY: ReadonlyMap<string, string> = new Map();
