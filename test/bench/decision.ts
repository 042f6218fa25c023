import { createAdmission } from '../../src/admission/admit.ts';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { rules } from '../../src/rules/index.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { type ClusterSize, clusterObjects, reviewOf } from './cluster.ts';
import { median } from './median.ts';

export interface DecisionTimes {
  /** Microseconds from the request's text to the response's text. */
  readonly whole: number;
  /** Microseconds of it for parsing alone. */
  readonly parsing: number;
}

/** Medians over a few thousand decisions in this process, different Deployments in turn. */
export async function measureDecisions(size: ClusterSize): Promise<DecisionTimes> {
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
  const texts = Array.from({ length: 500 }, (_, n) => reviewOf(n));
  const whole = await timed(texts, async (text) =>
    JSON.stringify((await admission.validate(JSON.parse(text), signal)).review),
  );
  const parsing = await timed(texts, async (text) => JSON.stringify(JSON.parse(text).request.uid));
  return { whole, parsing };
}

async function timed(texts: readonly string[], work: (text: string) => Promise<string>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    for (const text of texts) {
      const start = performance.now();
      await work(text);
      if (round > 2) times.push((performance.now() - start) * 1_000); // the first rounds warm the compiler up
    }
  }
  return median(times);
}
