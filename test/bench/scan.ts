import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FINDINGS } from './large-cluster.ts';
import { type Ran, run } from './lint.ts';

const PROGRAM = join(import.meta.dirname, '../../dist/rwo-guard.js');

/** Scans a large cluster, which a process of its own serves. */
export async function measureScan(): Promise<Ran> {
  const server = fork(join(import.meta.dirname, 'large-api-server.ts'));
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigFor(await portOf(server)));
    const output = join(folder, 'report.json');
    const ran = await run([PROGRAM, 'scan', '--kubeconfig', kubeconfig, '--format', 'json', '--output', output]);
    const { summary } = (await import(output, { with: { type: 'json' } })).default;
    if (summary.error !== FINDINGS) throw new Error(`${summary.error} errors were found, not ${FINDINGS}`);
    return ran;
  } finally {
    server.kill();
    await rm(folder, { recursive: true });
  }
}

async function portOf(server: ChildProcess): Promise<number> {
  const [port]: number[] = await once(server, 'message');
  return port ?? 0;
}

function kubeconfigFor(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'large', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'reader', user: { token: 'reader' } }],
    contexts: [{ name: 'large', context: { cluster: 'large', user: 'reader' } }],
    'current-context': 'large',
  });
}
