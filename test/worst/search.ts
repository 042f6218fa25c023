/**
 * Looks for requests that take more work than any known one: draws many, and goes on from the worst of them by changing one
 * list at a time. `node test/worst/search.ts [minutes] [seed]`. What it finds belongs into known.ts.
 */
import fc from 'fast-check';
import { type Counted, CountedAdmission, MOST_BLOCKS } from './counted-admission.ts';
import { LISTS, type List } from './lists.ts';
import { KINDS } from './pods.ts';
import { recipes, withinSize } from './recipes.ts';
import { type Recipe, workloadInput } from './requests.ts';

interface Found extends Counted {
  readonly recipe: Recipe;
}

const [minutes = '5', seed = `${Date.now()}`] = process.argv.slice(2);

/** How many of the worst are gone on from, and how many are drawn before that. */
const KEPT = 20;
const DRAWN = 150;

const admission = new CountedAdmission();
const until = performance.now() + Number(minutes) * 60_000;
const tried = new Set<string>();
let worst: readonly Found[] = [];

process.stdout.write(`seed ${seed}, ${MOST_BLOCKS} blocks are allowed\n`);
for (const recipe of fc.sample(recipes, { seed: Number(seed), numRuns: DRAWN })) await consider(recipe);
const drawn = fc.sample(fc.array(fc.nat(), { minLength: 3, maxLength: 3 }), { seed: Number(seed), numRuns: 100_000 });
for (const [which = 0, what = 0, where = 0] of drawn) {
  const from = worst[which % Math.min(worst.length, KEPT)];
  if (performance.now() > until || from === undefined) break;
  await consider(changed(from.recipe, what, where));
}
admission.stop();
process.stdout.write(`${tried.size} inputs tried\n`);
for (const { recipe, way, blocks, milliseconds, overBudget } of worst) {
  const over = overBudget ? ' over budget' : '';
  process.stdout.write(`${blocks} blocks ${milliseconds.toFixed(0)} ms ${way}${over} ${JSON.stringify(recipe)}\n`);
}

async function consider(recipe: Recipe): Promise<void> {
  const id = JSON.stringify(recipe);
  if (tried.has(id) || performance.now() > until) return;
  tried.add(id);
  const counts = await admission.counted(workloadInput('drawn', recipe));
  const found = [...worst, ...counts.map((counted) => ({ ...counted, recipe }))];
  worst = found.sort((one, other) => other.blocks - one.blocks).slice(0, KEPT);
}

/** One list longer or shorter, one more, one less, or another kind of workload. */
function changed({ kind = 'Deployment', lists }: Recipe, what: number, where: number): Recipe {
  const names = Object.keys(lists) as List[];
  const name = names[where % names.length] ?? 'labels';
  const long = lists[name] ?? 1;
  switch (what % 5) {
    case 0:
      return withinSize({ kind, lists: { ...lists, [name]: Math.min(2 ** 17, long * 2) } });
    case 1:
      return { kind, lists: { ...lists, [name]: Math.ceil(long / 2) } };
    case 2: {
      const all = Object.keys(LISTS) as List[];
      const more = all[where % all.length] ?? 'labels';
      return withinSize({ kind, lists: { ...lists, [more]: 2 ** (where % 17) } });
    }
    case 3: {
      const fewer = Object.entries(lists).filter(([list]) => list !== name || names.length === 1);
      return { kind, lists: Object.fromEntries(fewer) };
    }
    default:
      return { kind: KINDS[where % KINDS.length] ?? kind, lists };
  }
}
