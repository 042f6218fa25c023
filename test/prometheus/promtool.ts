import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtTools, type GoTools } from '../control-plane/go-tools.ts';

/** Of Prometheus' own, by the go.mod beside this file: the parser and the rules are those of a server. */
const TOOLS: GoTools = {
  name: 'promtool',
  module: import.meta.dirname,
  flags: ['-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags=-s -w'],
  announcement: 'building promtool from source; done once; a few minutes on two cores',
};

/** Runs promtool to its end, and gives what it prints; it has to succeed. Builds it when it is not there yet. */
export async function promtool(...args: readonly string[]): Promise<string> {
  const program = join(await builtTools(TOOLS), 'promtool');
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 32 * 1024 * 1024 });
  return stdout;
}
