import { Budget } from '../../src/budget.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { Questions } from '../../src/forecast/questions.ts';
import { situationsUnplayed } from './classes.ts';
import { chose, formsOf } from './dimensions.ts';
import { type Foretold, forecastOf, PRODUCT, type Product } from './forecast-of.ts';
import type { Plan } from './plan.ts';
import { productAt } from './product-at.ts';
import type { Situation } from './situation.ts';

/** What two forecasts say of the same scenarios. */
export interface Differences {
  readonly ref: string;
  /** Questions, by kind: how many were asked, and of how many the two say the same. */
  readonly byKind: ReadonlyMap<string, { asked: number; same: number }>;
  readonly groups: readonly Group[];
  readonly cost: readonly Cost[];
}

/** Scenarios in which the two differ in the same way. */
interface Group {
  readonly cause: string;
  readonly count: number;
  readonly example: Plan;
}

interface Cost {
  readonly what: string;
  readonly values: readonly number[];
}

/** Each plan is asked as admission asks, and with places where its old pods may well be. */
export async function differencesFrom(ref: string, plans: Iterable<Plan>): Promise<Differences> {
  const other = await productAt(ref);
  const groups = new Map<string, Group>();
  const byKind = new Map<string, { asked: number; same: number }>();
  const [operations, own, others]: [number[], number[], number[]] = [[], [], []];
  const timedForecast = timed(forecast, own, operations);
  const here: Product = { ...PRODUCT, forecast: timedForecast };
  const there: Product = { ...other, forecast: timed(other.forecast, others) };
  for (const plan of plans) {
    for (const situation of situationsUnplayed(plan)) {
      const { ways, isSettled } = placesFor(plan, situation);
      for (const places of ways) {
        const [a, b] = [there, here].map((product) => forecastOf({ ...situation, places }, product));
        const seen = byKind.get(plan.kind) ?? { asked: 0, same: 0 };
        byKind.set(plan.kind, seen);
        seen.asked++;
        const cause = a && b && differenceOf(a, b);
        if (cause === undefined) {
          seen.same++;
          continue;
        }
        const anywhere = isSettled ? 'anywhere' : 'where the old pods never all run';
        const where = places.length === 0 ? anywhere : `on ${places.length} nodes`;
        const key = `${plan.kind}, ${situation.action}, ${where}: ${cause}`;
        const group = groups.get(key) ?? { cause: key, count: 0, example: plan };
        const example = plan.traits.length < group.example.traits.length ? plan : group.example;
        groups.set(key, { ...group, count: group.count + 1, example });
      }
    }
  }
  const cost = [
    { what: 'operations a forecast', values: operations },
    { what: 'µs a forecast here', values: own },
    { what: `µs a forecast at ${ref}`, values: others },
  ];
  return { ref, byKind, groups: [...groups.values()].toSorted((a, b) => b.count - a.count), cost };
}

/** Takes the time of each forecast, and its operations where those are asked for: not every commit counts them. */
function timed(
  ask: typeof forecast | Product['forecast'],
  micros: number[],
  operations?: number[],
): Product['forecast'] {
  return (facts, running) => {
    const before = operations && facts.budget.spent;
    const since = process.hrtime.bigint();
    // Where the harness plays the kubelets, pods of Jobs never end.
    const said = ask(facts, running, { podsEnd: false });
    micros.push(Number(process.hrtime.bigint() - since) / 1000);
    if (before !== undefined) operations?.push(facts.budget.spent - before);
    return said;
  };
}

function differenceOf(a: Foretold, b: Foretold): string | undefined {
  const said = [inWords(a, b.reasons), inWords(b, a.reasons)];
  return said[0] === said[1] ? undefined : said.join(' → ');
}

function causesIn(reasons: readonly string[]): readonly (string | undefined)[] {
  return [...new Set(reasons.map((reason) => reason.split(' ')[0]))].toSorted();
}

/** Causes count where something is stuck and both tell them: there they choose the rule and its remedy. */
function inWords({ stuck, multiAttach, reasons, open }: Foretold, others: readonly string[]): string {
  const causes = others.length === 0 ? [] : causesIn(reasons);
  const what = [stuck ? 'stuck' : '', multiAttach ? 'Multi-Attach' : ''].filter((word) => word !== '');
  const why = stuck && causes.length > 0 ? ` (${causes.join(', ')})` : '';
  return `${what.join(' and ') || 'nothing'}${why}${open.length > 0 ? `, open: ${open.join(', ')}` : ''}`;
}

interface Ways {
  readonly ways: readonly (readonly string[])[];
  /** There is some way in which all old pods run; without one the stage plays their creation alone. */
  readonly isSettled: boolean;
}

/** More operations than any scenario takes. */
const MANY = 1_000_000;

/** Nowhere that anybody knows, and where the first and the last of all the ways to create its pods bring them. */
function placesFor(plan: Plan, situation: Situation): Ways {
  const { running, wanted, action } = situation;
  // A claim whose pods run is bound.
  if (action === 'create' || plan.from === 0 || chose(plan, 'unbound')) return { ways: [[]], isSettled: true };
  let found: readonly ReadonlySet<string>[] = [];
  forecastOf(
    { ...situation, running: undefined, wanted: running ?? wanted, action: 'create' },
    {
      ...PRODUCT,
      forecast: (facts) => {
        const { replicas } = facts.workload;
        const pods = action === 'update' || action === 'autoscale' ? replicas : plan.from;
        const asked = { assumption: 'harmless', most: pods, takesAtOnce: true, podsEnd: false } as const;
        const workload = { ...facts.workload, replicas: pods };
        found = new Questions({ ...facts, workload, budget: new Budget(MANY) }, {}, asked).placesOnceCreated();
        return forecast(facts);
      },
    },
  );
  const ways = new Map(
    found.flatMap((places) => (places.size === 0 ? [] : [[[...places].join(), [...places]] as const])),
  );
  const [first, ...more] = ways.values();
  const known = [...(first === undefined ? [] : [first]), ...more.slice(-1)];
  return { ways: [[], ...known], isSettled: known.length > 0 };
}

export function differencesText({ ref, byKind, groups, cost }: Differences): string {
  const lines = [...byKind].map(([kind, { asked, same }]) => `${kind}: ${same} of ${asked} the same as at ${ref}`);
  for (const { cause, count, example } of groups) {
    lines.push(`${count} × ${cause}`, `    ${example.id}: ${formsOf(example).join('; ')}`);
  }
  for (const { what, values } of cost) {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
    lines.push(`${what}: median ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${at(1)}`);
  }
  return `${lines.join('\n')}\n`;
}
