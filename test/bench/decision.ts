import { createAdmission } from '../../src/admission/admit.ts';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { rules } from '../../src/rules/index.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { type ClusterSize, clusterObjects, reviewOf, updateOf } from './cluster.ts';
import { median, percentile } from './median.ts';

/** Microseconds of many decisions. */
export interface Spread {
  readonly median: number;
  readonly p99: number;
}

export interface DecisionTimes {
  /** From the request's text to the response's text. */
  readonly whole: Spread;
  /** For parsing alone. */
  readonly parsing: Spread;
}

/** Times over a few thousand decisions in this process, different Deployments in turn: as they come, and with another image. */
export async function measureDecisions(
  size: ClusterSize,
): Promise<Readonly<Record<'CREATE' | 'UPDATE', DecisionTimes>>> {
  const state = new ClusterState();
  for (const object of clusterObjects(size)) putObject(state, object);
  const admission = createAdmission({
    snapshot: state,
    matrix: storageMatrix(),
    rules,
    lookUp: () => Promise.reject(new Error('nothing is missing here')),
    recent: new RecentRequests(() => performance.now()),
    settings: {
      defaultMode: 'warn',
      policy: { dryRun: 'warn', existing: 'warn', exemptions: 'allow', overBudget: 'warn' },
      exempt: { namespaces: [], users: [], autoscalers: [] },
    },
  });
  const { signal } = new AbortController();
  const measured = async (texts: readonly string[]): Promise<DecisionTimes> => ({
    whole: await timed(texts, async (text) =>
      JSON.stringify((await admission.validate(JSON.parse(text), signal)).review),
    ),
    parsing: await timed(texts, async (text) => JSON.stringify(JSON.parse(text).request.uid)),
  });
  const numbers = Array.from({ length: 500 }, (_, n) => n);
  const CREATE = await measured(numbers.map(reviewOf));
  for (const n of numbers) putObject(state, JSON.parse(reviewOf(n)).request.object); // what was created is watched
  return { CREATE, UPDATE: await measured(numbers.map(updateOf)) };
}

async function timed(texts: readonly string[], work: (text: string) => Promise<string>): Promise<Spread> {
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    for (const text of texts) {
      const start = performance.now();
      await work(text);
      if (round > 4) times.push((performance.now() - start) * 1_000); // the first rounds warm the compiler up
    }
  }
  return { median: median(times), p99: percentile(times, 99) };
}
