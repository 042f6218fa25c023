/** A JSON object of which nothing is known yet. Read it with the functions below; they never trust a type. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

/** An object that the API server would have refused: a field holds another type than its API says. */
export class UnreadableObjectError extends Error {
  readonly code = 'UNREADABLE_OBJECT';
  readonly field: string;
  /** The wrong value in words, cut. */
  readonly found: string;

  constructor(field: string, expected: string, found: unknown) {
    const words = shown(found);
    super(`${shortened(field, MOST_OF_OBJECT_NAME)} must be ${expected}, not ${words}: correct the manifest`);
    this.name = 'UnreadableObjectError';
    this.field = field;
    this.found = words;
  }
}

/** A wrong value in at most 40 characters; of objects and lists, which may be deep, only what they are. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return shortened(typeof value === 'string' ? JSON.stringify(value.slice(0, MOST_SHOWN)) : String(value), MOST_SHOWN);
}

const MOST_SHOWN = 40;

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Go reads `null` as an absent field, so every reader here does too. */
function own(object: JsonObject | undefined, key: string): unknown {
  const value = object?.[key] ?? undefined;
  return value !== undefined && object !== undefined && Object.hasOwn(object, key) ? value : undefined; // most are absent
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

/** The most that an object's name may have (`apimachinery/pkg/util/validation/validation.go:DNS1123SubdomainMaxLength`). */
export const MOST_OF_OBJECT_NAME = 253;

/** The most that a namespace's name, or a label's value, may have (`DNS1123LabelMaxLength`, `LabelValueMaxLength`). */
export const MOST_OF_LABEL = 63;

/** Text that the API server refuses where it is longer than `most`. */
export function shortStringAt(object: JsonObject | undefined, key: string, most: number): string | undefined {
  const text = stringAt(object, key);
  if (text === undefined || text.length <= most) return text;
  throw new UnreadableObjectError(key, `at most ${most} characters`, text);
}

/**
 * The name of another object, which the API server takes at any length. Nothing is called by more than 253 characters, so
 * one more of them is as much as nobody has.
 */
export function nameAt(object: JsonObject | undefined, key: string): string | undefined {
  const name = stringAt(object, key);
  return name === undefined ? undefined : keptName(name);
}

/** A copy of the beginning where it is too long: a mere slice would hold the whole text for as long as it is kept. */
export function keptName(name: string): string {
  return name.length <= MOST_OF_OBJECT_NAME ? name : [...name.slice(0, MOST_OF_OBJECT_NAME + 1)].join('');
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
  const list = listAt(object, key);
  if (list.every(isObject)) return list;
  throw new UnreadableObjectError(
    key,
    'a list of objects',
    list.find((item) => !isObject(item)),
  );
}

export function stringsAt(object: JsonObject | undefined, key: string): readonly string[] {
  const list = listAt(object, key);
  if (list.every(isString)) return list;
  throw new UnreadableObjectError(
    key,
    'a list of strings',
    list.find((item) => !isString(item)),
  );
}

/**
 * Labels, annotations and the like, those alone whose names begin with the prefix. A Map, because keys come from users and
 * may be `__proto__`.
 */
export function stringMapAt(object: JsonObject | undefined, key: string, prefix = ''): ReadonlyMap<string, string> {
  const map = objectAt(object, key);
  if (map === undefined) return EMPTY;
  let entries: Map<string, string> | undefined;
  for (const name of Object.keys(map)) {
    const value = stringAt(map, name);
    if (value === undefined || !name.startsWith(prefix)) continue;
    entries ??= new Map();
    entries.set(name, value);
  }
  return entries ?? EMPTY;
}

/** The labels of an object, of which the API server refuses those with longer values. */
export function labelsAt(object: JsonObject | undefined, key: string): ReadonlyMap<string, string> {
  const labels = stringMapAt(object, key);
  for (const [name, value] of labels) {
    if (value.length > MOST_OF_LABEL)
      throw new UnreadableObjectError(name, `at most ${MOST_OF_LABEL} characters`, value);
  }
  return labels;
}

const EMPTY: ReadonlyMap<string, string> = new Map();
