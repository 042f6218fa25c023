import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { lint } from '../../src/commands/lint.ts';
import type { LintOptions } from '../../src/lint/settings.ts';
import { folderFor } from '../program.ts';

/** The JSON document of a run, as far as tests look at it. */
export interface Printed {
  readonly findings: readonly PrintedFinding[];
  readonly inconclusive: readonly {
    readonly rule: string;
    readonly resource: Readonly<Record<string, string>>;
    readonly because: string;
    readonly line: number;
  }[];
  readonly unreadable: readonly { readonly file: string; readonly line: number; readonly because: string }[];
  readonly summary: Readonly<Record<string, number>>;
}

export interface PrintedFinding {
  readonly rule: string;
  readonly also?: readonly string[];
  readonly severity: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly claims: readonly string[];
  readonly message: string;
  readonly remedy: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly template?: string;
  readonly related: readonly { readonly file: string; readonly line: number; readonly message: string }[];
  readonly fingerprint: string;
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly printed: Printed;
}

/** A folder with these files, which goes with the test. */
export async function filesFor(t: TestContext, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await folderFor(t);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

export interface Given extends LintOptions {
  readonly paths?: readonly string[];
  readonly stdin?: string;
  readonly today?: string;
  readonly isTTY?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Lints a folder, or the paths in it that are named, and prints JSON unless another format is asked for. */
export async function lintIn(
  folder: string,
  { paths = ['.'], stdin = '', today, isTTY = false, env = {}, ...options }: Given = {},
): Promise<Run> {
  const [stdout, stderr] = [Object.assign(new PassThrough(), { isTTY }), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await lint(
    paths.map((path) => (path === '-' ? path : join(folder, path))),
    { ...(options.diff ? {} : { format: ['json'] }), ...options },
    {
      ...{ env, version: '1.0.0', stdout, stderr, workingDirectory: folder },
      stdin: Readable.from([Buffer.from(stdin)]),
      now: () => Date.parse(today ?? '2026-11-01'),
    },
  );
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  const isJson = options.format === undefined && !options.diff;
  return { code, stdout: out, stderr: err, printed: isJson ? JSON.parse(out) : NOTHING };
}

const NOTHING: Printed = { findings: [], inconclusive: [], unreadable: [], summary: {} };

/** Lints one text, in a file of its own. */
export async function lintText(t: TestContext, manifest: string, given: Given = {}): Promise<Run> {
  return lintIn(await filesFor(t, { 'a.yaml': manifest }), given);
}
