import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { readyLine } from '../ready-line.ts';
import { type ClusterSize, clusterObjects, reviewOf } from './cluster.ts';
import { median } from './median.ts';

export interface HttpsComparison {
  /** Microseconds of the server's CPU for one review: medians over the rounds. */
  readonly bare: number;
  readonly ours: number;
  /** Reviews per second and core, ours over bare: the median of the ratios of neighbouring rounds. */
  readonly ratio: number;
}

/** Rounds alternate, so that a noisy neighbour hits both alike. */
const ROUNDS = 10;

/** Node goes on compiling for some 50,000 reviews: until then a review costs up to twice as much. */
const WARM_UP_ROUNDS = 10;

const REVIEWS_PER_ROUND = 6_000;
const CONNECTIONS = 10;

/** A server as a process of its own, and connections to it. */
export interface Subject {
  readonly child: ChildProcess;
  readonly pool: Pool;
  /** Where its probes are, if it has any. */
  readonly metricsUrl: string | undefined;
}

/** Sends the same reviews to a bare Fastify server and to ours, each a process of its own, and compares their CPU time. */
export async function compareHttps(size: ClusterSize): Promise<HttpsComparison> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-bench-'));
  const snapshot = join(folder, 'cluster.json');
  await writeFile(snapshot, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...clusterObjects(size)] }));
  const here = import.meta.dirname;
  const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--ca-out', join(folder, 'ours.crt')];
  const bare = await start([join(here, 'bare-server.ts'), join(folder, 'bare.crt')], join(folder, 'bare.crt'));
  const ours = await start(
    [join(here, '../../dist/rwo-guard.js'), 'serve', '--snapshot', snapshot, ...flags],
    join(folder, 'ours.crt'),
  );
  const texts = Array.from({ length: 500 }, (_, n) => reviewOf(n));
  const times: { bare: number; ours: number }[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const pair = { bare: await cpuPerReview(bare, texts), ours: await cpuPerReview(ours, texts) };
    if (round >= WARM_UP_ROUNDS) times.push(pair);
  }
  for (const { child, pool } of [bare, ours]) {
    await pool.close();
    child.kill('SIGTERM');
  }
  await rm(folder, { recursive: true });
  return {
    bare: median(times.map((pair) => pair.bare)),
    ours: median(times.map((pair) => pair.ours)),
    ratio: median(times.map((pair) => pair.bare / pair.ours)),
  };
}

export async function start(args: readonly string[], caFile: string): Promise<Subject> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const { url, metricsUrl } = await readyLine(child);
  const connect = { ca: await readFile(caFile, 'utf8') };
  return { child, pool: new Pool(url, { connections: CONNECTIONS, connect }), metricsUrl };
}

/** Microseconds of the server's user and system time, which another process on the machine does not add to. */
async function cpuPerReview({ child, pool }: Subject, texts: readonly string[]): Promise<number> {
  const before = await cpuTime(child);
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < REVIEWS_PER_ROUND) {
      const body = texts[sent++ % texts.length] ?? '';
      const headers = { 'content-type': 'application/json' };
      const answer = await pool.request({ method: 'POST', path: '/validate?timeout=3s', headers, body });
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}: ${await answer.body.text()}`);
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return ((await cpuTime(child)) - before) / REVIEWS_PER_ROUND;
}

/** A tick of `/proc/PID/stat` is 10 ms (`getconf CLK_TCK` is 100 wherever Node runs). */
const TICK_US = 10_000;

async function cpuTime({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US; // utime and stime, the 14th and 15th of all
}
