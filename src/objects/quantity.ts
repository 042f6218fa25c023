import type { JsonObject } from './json.ts';

/** `apimachinery/pkg/api/resource/suffix.go`. */
const FACTORS: ReadonlyMap<string, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
  ['Pi', 2 ** 50],
  ['Ei', 2 ** 60],
]);

/** A quantity such as `10Gi`, in bytes for storage; `undefined` where there is none that can be read. */
export function quantityAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = object?.[key];
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const [, digits, exponent = '', suffix = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(value) ?? [];
  const factor = FACTORS.get(suffix);
  return digits === undefined || factor === undefined ? undefined : Number(digits + exponent) * factor;
}
