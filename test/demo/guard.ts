import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { readyLine } from '../ready-line.ts';
import { CLUSTER, MANIFESTS } from './recording.ts';

/** A server that judges by the demo's cluster, as a process of its own on the loopback. */
export interface Guard {
  readonly address: string;
  /** Posts a review and gives the response in it. */
  review(path: string, body: unknown): Promise<GuardResponse>;
  stop(): Promise<void>;
}

export interface GuardResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly message: string; readonly reason: string };
  readonly warnings?: readonly string[];
  readonly patch?: string;
}

const PROGRAM = join(import.meta.dirname, '../../src/main.ts');

/** Starts `serve --snapshot` and trusts nothing but the CA that it writes. */
export async function startGuard(): Promise<Guard> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-demo-'));
  const caFile = join(folder, 'ca.crt');
  const cluster = await clusterIn(folder);
  const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--ca-out', caFile];
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--snapshot', cluster, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { url: address } = await readyLine(child);
  const dispatcher = new Agent({ connect: { ca: await readFile(caFile, 'utf8') } });
  return {
    address,
    async review(path, body) {
      const answer = await request(`${address}${path}?timeout=3s`, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (answer.statusCode !== 200)
        throw new Error(`${path} answered ${answer.statusCode}: ${await answer.body.text()}`);
      const { response } = (await answer.body.json()) as { response: GuardResponse };
      return response;
    },
    async stop() {
      await dispatcher.close();
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * The demo's cluster, and the Deployment that one scenario makes before its claim: before a late claim is denied because of a
 * Deployment, the server looks that up, and here is no API server to ask.
 */
async function clusterIn(folder: string): Promise<string> {
  const cluster = join(folder, 'cluster');
  await cp(CLUSTER, cluster, { recursive: true });
  const documents = (await readFile(join(MANIFESTS, '09-late-claim.yaml'), 'utf8')).split(/^---$/m);
  const made = documents.find((document) => /^kind: Deployment$/m.test(document));
  if (made === undefined) throw new Error('09-late-claim.yaml makes no Deployment');
  await writeFile(join(cluster, 'made-by-09-late-claim.yaml'), made);
  return cluster;
}
