import { isObject, type JsonObject } from '../objects/json.ts';

/** RFC 6902. Only what changes is written, so that numbers too large for JavaScript pass untouched. */
export interface JsonPatchOperation {
  readonly op: 'add';
  /** `add` replaces a member that is there; `replace` fails on one that is not. */
  readonly path: string;
  readonly value: unknown;
}

export interface Removal {
  readonly op: 'remove';
  readonly path: string;
}

/** Takes away a member, which has to be there. */
export function removeAt(path: readonly string[]): Removal {
  return { op: 'remove', path: pointer(path) };
}

/** Sets a value at a path of member names, making the objects on the way where they are missing. */
export function setAt(object: JsonObject, path: readonly string[], value: unknown): JsonPatchOperation {
  let here: unknown = object;
  for (const [depth, member] of path.entries()) {
    const next: unknown = isObject(here) && Object.hasOwn(here, member) ? here[member] : undefined;
    if (depth === path.length - 1 || next === undefined || next === null) {
      return { op: 'add', path: pointer(path.slice(0, depth + 1)), value: nested(path.slice(depth + 1), value) };
    }
    here = next;
  }
  return { op: 'add', path: '', value };
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, member) => ({ [member]: inner }), value);
}

function pointer(path: readonly string[]): string {
  return path.map((member) => `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
