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

/** A quantity such as `10Gi`, in bytes for storage and memory; `undefined` where there is none that can be read. */
export function quantityAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = object?.[key];
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  return usualQuantity(value) ?? anyQuantity(value);
}

/** As many digits as a number holds. */
const MOST_DIGITS = 15;

/** Digits and a suffix, as nearly all are: each pod has several, and a regular expression takes five times as long. */
function usualQuantity(value: string): number | undefined {
  let at = 0;
  let number = 0;
  for (; at < value.length; at++) {
    const digit = value.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  const factor = at === 0 || at > MOST_DIGITS ? undefined : FACTORS.get(value.slice(at));
  return factor === undefined ? undefined : number * factor;
}

function anyQuantity(value: string): number | undefined {
  const [, digits, exponent = '', suffix = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(value) ?? [];
  const factor = FACTORS.get(suffix);
  return digits === undefined || factor === undefined ? undefined : Number(digits + exponent) * factor;
}
