import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { worstCluster } from '../worst/cluster.ts';
import { KNOWN } from '../worst/known.ts';
import { WAYS } from '../worst/requests.ts';
import { reviewOf } from './cluster.ts';
import { type Subject, start } from './https.ts';

/** What others wait while the worst requests keep coming, in milliseconds each time. */
export interface Meanwhile {
  /** How many of the worst requests were answered. */
  readonly answered: number;
  readonly probe: readonly number[];
  readonly review: readonly number[];
}

const SENDERS = 4;
const SECONDS = 15;
const BETWEEN_MS = 50;

/** Serves the worst cluster from a file, and sends all of the worst requests in turn, again and again. */
export async function measureMeanwhile(): Promise<Meanwhile> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-bench-'));
  const snapshot = join(folder, 'cluster.json');
  await writeFile(snapshot, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...worstCluster()] }));
  const program = join(import.meta.dirname, '../../dist/rwo-guard.js');
  const ca = join(folder, 'ca.crt');
  const addresses = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--ca-out', ca];
  const server = await start([program, 'serve', '--snapshot', snapshot, ...addresses], ca);
  try {
    return await measured(server);
  } finally {
    server.child.kill('SIGKILL');
    await server.pool.destroy();
    await rm(folder, { recursive: true });
  }
}

async function measured({ pool, metricsUrl: health }: Subject): Promise<Meanwhile> {
  if (health === undefined) throw new Error('no address of its probes');
  const worst = KNOWN.flatMap(({ reviews }) =>
    WAYS.flatMap((way) => {
      const review = reviews[way];
      return review === undefined
        ? []
        : [{ path: way === 'mutate' ? '/mutate' : '/validate', body: JSON.stringify(review) }];
    }),
  );
  const over = AbortSignal.timeout(SECONDS * 1_000);
  const post = async (path: string, body: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path: `${path}?timeout=30s`, headers, body, signal: over });
    await answer.body.dump();
  };
  const sending = Array.from({ length: SENDERS }, (_, sender) => {
    let n = sender;
    return timed(over, () => {
      const { path, body } = worst[n++ % worst.length] ?? { path: '', body: '' };
      return post(path, body);
    });
  });
  let n = 0;
  const probing = timed(over, async () => (await request(`${health}/livez`, { signal: over })).body.dump(), BETWEEN_MS);
  const reviewing = timed(over, () => post('/validate', reviewOf(n++)), BETWEEN_MS);
  const [probe, review, ...sent] = await Promise.all([probing, reviewing, ...sending]);
  return { answered: sent.reduce((sum, { length }) => sum + length, 0), probe, review };
}

/** Asks again and again until it is over, and gives the milliseconds that each answer took; one that never came counts too. */
async function timed(over: AbortSignal, ask: () => Promise<void>, pause = 0): Promise<readonly number[]> {
  const times: number[] = [];
  while (!over.aborted) {
    const since = performance.now();
    try {
      await ask();
    } catch (error) {
      if (!over.aborted) throw error;
    }
    times.push(performance.now() - since);
    if (pause > 0) await sleep(pause);
  }
  return times;
}
