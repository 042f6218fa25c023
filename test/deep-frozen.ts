/** The same value, changed by nobody any more: whoever tries gets a TypeError. */
export function deepFrozen<T>(value: T): T {
  freeze(value);
  return value;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (value instanceof Map || value instanceof Set) {
    for (const method of ['set', 'add', 'delete', 'clear']) {
      Object.defineProperty(value, method, {
        value: () => {
          throw new TypeError(`${method} on a collection that is frozen`);
        },
      });
    }
    for (const inner of value.values()) freeze(inner);
  }
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}
