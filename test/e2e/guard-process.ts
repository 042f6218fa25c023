import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { freePorts } from '../control-plane/network.ts';
import { until } from '../control-plane/until.ts';
import { THIS_RELEASE } from './release.ts';

/** The bundled program as a process of its own, under the service account that the manifests give it. */
export interface GuardProcess {
  /** Where it serves HTTPS, on all addresses. */
  readonly port: number;
  metrics(): Promise<string>;
  ready(): Promise<boolean>;
  /** What it says of its readiness. */
  readiness(): Promise<string>;
  /** Whether `/livez` says so. */
  alive(): Promise<boolean>;
  /** What it logged so far. */
  log(): string;
  stop(): Promise<void>;
  /** As when its node fails. */
  kill(): Promise<void>;
}

/** How it is started; both addresses are ours to choose. */
export interface GuardLaunch {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Those of `serve` but for the two addresses and the kubeconfig. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** That of this checkout when not given. */
  readonly program?: string;
  /** Where it finds the API server; at its own address when not given. */
  readonly server?: string;
}

/** A list that is refused holds readiness back for 30 s; everything else takes a second. */
const READY_WITHIN_MS = 60_000;

/** None outlives the tests, however they end. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts one replica and waits until it says that it is ready. */
export async function startGuardProcess(cluster: ControlPlane, config = 'defaultMode: warn\n'): Promise<GuardProcess> {
  const folder = await mkdtemp(join(cluster.folder, 'guard-'));
  await writeFile(join(folder, 'config.yaml'), `${config}shutdownGraceSeconds: 0\n`);
  return launchGuard(cluster, { namespace: 'rwo-guard', serviceAccount: 'rwo-guard', args: ['--config', folder] });
}

/** The same, started in any way. */
export async function launchGuard(
  cluster: ControlPlane,
  { namespace, serviceAccount, args, env = {}, program = THIS_RELEASE.program, server }: GuardLaunch,
): Promise<GuardProcess> {
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const { kubeconfig } = await cluster.serviceAccountKubeconfig(namespace, serviceAccount);
  if (server !== undefined) {
    await writeFile(kubeconfig, (await readFile(kubeconfig, 'utf8')).replaceAll(cluster.server, server));
  }
  const addresses = ['--listen', `0.0.0.0:${port}`, '--metrics-listen', `127.0.0.1:${metricsPort}`];
  const child = spawn(process.execPath, [program, 'serve', '--kubeconfig', kubeconfig, ...args, ...addresses], {
    env: { PATH: process.env.PATH, POD_NAMESPACE: namespace, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const log = collected(child);
  const get = async (path: string) => {
    const answer = await request(`http://127.0.0.1:${metricsPort}${path}`);
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    // `close` and not `exit`: then the log is whole.
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  };
  const guard: GuardProcess = {
    port,
    metrics: async () => (await get('/metrics')).text,
    ready: async () => (await get('/readyz')).status === 200,
    readiness: async () => (await get('/readyz')).text,
    alive: async () => (await get('/livez')).status === 200,
    log,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
  const ready = async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${log()}`);
    return guard.ready();
  };
  await until('the guard to be ready', ready, { timeoutMs: READY_WITHIN_MS }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`the guard never became ready:\n${log()}`, { cause: error });
  });
  return guard;
}

function collected(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}
