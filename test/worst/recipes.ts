import fc from 'fast-check';
import { LISTS, type List } from './lists.ts';
import { KINDS } from './pods.ts';
import { type Recipe, workloadObject } from './requests.ts';

/** Bytes of an object that etcd takes by default (`--max-request-bytes`). */
export const MOST_BYTES = 1_500_000;

const NAMES = Object.keys(LISTS) as readonly List[];

/** Powers of two, because growth shows at long and short lists alike; no list of a legal object is longer. */
const count = fc.nat({ max: 16 }).chain((power) => fc.integer({ min: 2 ** power, max: 2 ** (power + 1) }));

const lists = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), count), { selector: ([name]) => name, minLength: 1, maxLength: 6 })
  .map((entries): Recipe['lists'] => Object.fromEntries(entries));

/** Any workload that is put together from long lists, no larger than the API server takes. */
export const recipes: fc.Arbitrary<Recipe> = fc
  .record({ kind: fc.constantFrom(...KINDS, 'Deployment', 'Deployment'), lists })
  .map(withinSize);

/** Every list shorter by the same factor until the object is small enough. */
export function withinSize({ lists: long, ...rest }: Recipe): Recipe {
  let fitting = long;
  for (;;) {
    const bytes = JSON.stringify(workloadObject({ ...rest, lists: fitting }, 'web')).length;
    if (bytes <= MOST_BYTES) return { ...rest, lists: fitting };
    const factor = Math.min(0.9, MOST_BYTES / bytes);
    fitting = Object.fromEntries(Object.entries(fitting).map(([list, n]) => [list, Math.ceil(n * factor)]));
  }
}
