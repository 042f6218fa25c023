import { isObject } from '../../objects/json.ts';

/** The name of a field, or the place of an element in a list. */
export type Member = string | number;

export function valueAt(whole: unknown, path: readonly Member[]): unknown {
  return path.reduce((here, member) => childOf(here, member), whole);
}

/** The whole value with another one at the path; what is on the way to it is there already. */
export function replacedAt(whole: unknown, path: readonly Member[], value: unknown): unknown {
  const [member, ...rest] = path;
  if (member === undefined) return value;
  const inner = replacedAt(childOf(whole, member), rest, value);
  if (Array.isArray(whole)) return whole.with(Number(member), inner);
  return { ...(isObject(whole) ? whole : {}), [member]: inner };
}

function childOf(value: unknown, member: Member): unknown {
  if (Array.isArray(value)) return value[Number(member)];
  return isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
}
