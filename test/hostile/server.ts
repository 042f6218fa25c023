import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type JsonObject, listAt, objectAt, objectsAt, stringAt } from '../../src/objects/json.ts';
import { manifest } from '../manifest-objects.ts';
import { readyLine } from '../ready-line.ts';

/** A server with the heap that it is shipped with, over a cluster that is written down. */
export interface ShippedServer {
  readonly url: URL;
  readonly ca: string;
  readonly child: ChildProcess;
  readonly log: LogSeen;
  /** Bytes that it holds now. */
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** What was seen of a log that is not kept. */
export interface LogSeen {
  /** Bytes of the longest line. */
  longest: number;
  readonly errors: string[];
}

const MI = 1024 ** 2;

/** What a container of the manifests may hold at all, and what of it may be heap, in bytes. */
export function shippedLimits(): { readonly memory: number; readonly heap: number } {
  const podSpec = objectAt(objectAt(objectAt(manifest('Deployment'), 'spec'), 'template'), 'spec');
  const [container] = objectsAt(podSpec, 'containers');
  const memory = stringAt(objectAt(objectAt(container, 'resources'), 'limits'), 'memory');
  const env = objectsAt(container, 'env').find((entry) => stringAt(entry, 'name') === 'NODE_OPTIONS');
  const percent = /--max-old-space-size-percentage=(\d+)/.exec(stringAt(env, 'value') ?? '')?.[1];
  assert.ok(/^\d+Mi$/.test(memory ?? '') && percent !== undefined && listAt(container, 'env').length > 0);
  const bytes = Number.parseInt(memory ?? '', 10) * MI;
  return { memory: bytes, heap: (bytes * Number(percent)) / 100 };
}

export async function startShipped(program: string, cluster: readonly JsonObject[]): Promise<ShippedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-hostile-'));
  const [snapshot, caFile] = [join(folder, 'cluster.json'), join(folder, 'ca.crt')];
  await writeFile(snapshot, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: cluster }));
  const heap = `--max-old-space-size=${shippedLimits().heap / MI}`;
  const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--ca-out', caFile];
  const child = spawn(process.execPath, [heap, program, 'serve', '--snapshot', snapshot, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log = watchLog(child.stderr);
  const { url } = await readyLine(child);
  return {
    url: new URL(url),
    ca: await readFile(caFile, 'utf8'),
    child,
    log,
    residentBytes: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true });
    },
  };
}

const NEWLINE = 10;

/** There is a line for each of a million reviews: they are measured, and those that tell of an error are kept. */
function watchLog(stream: Readable): LogSeen {
  const seen: LogSeen = { longest: 0, errors: [] };
  let begun: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([begun, chunk.subarray(from, end)]);
      begun = Buffer.alloc(0);
      from = end + 1;
      seen.longest = Math.max(seen.longest, line.length);
      if (line.includes('"level":"error"')) seen.errors.push(line.toString());
    }
    begun = Buffer.concat([begun, chunk.subarray(from)]);
  });
  return seen;
}
