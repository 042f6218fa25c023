import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** A change to a file, as Stryker tells it; lines and columns count from one. */
export interface Change {
  readonly file: string;
  readonly source: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

const FOLDER = '.stryker-tmp/compiled';
const MOST_ERRORS_BYTES = 64 * 1024 * 1024;

/** That something is not used any more is no reason to take a change for noticed. */
const UNUSED = /error TS(6133|6196|7027):/;

/** Those of the changes that do not compile: of each file one at a time, and only errors on the lines that are changed count. */
export async function refusedByCompiler<T extends Change>(changes: readonly T[]): Promise<ReadonlySet<T>> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  cpSync('src', join(FOLDER, 'src'), { recursive: true });
  cpSync('package.json', join(FOLDER, 'package.json'));
  symlinkSync(resolve('node_modules'), join(FOLDER, 'node_modules'));
  const include = ['src'];
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ extends: resolve('tsconfig.json'), include }));
  const byFile = [...Map.groupBy(changes, ({ file }) => file).values()];
  const refused = new Set<T>();
  for (let round = 0; byFile.some((some) => some.length > round); round++) {
    const now = byFile.flatMap((some) => some[round] ?? []);
    for (const change of now) writeFileSync(join(FOLDER, change.file), changed(change));
    const errors = await compilerErrors();
    for (const change of now) {
      if (errors.some((error) => isAbout(error, change))) refused.add(change);
      writeFileSync(join(FOLDER, change.file), change.source);
    }
  }
  rmSync(FOLDER, { recursive: true });
  return refused;
}

function changed({ source, replacement, location: { start, end } }: Change): string {
  const lines = source.split('\n');
  const before = [...lines.slice(0, start.line - 1), lines[start.line - 1]?.slice(0, start.column - 1)].join('\n');
  const after = [lines[end.line - 1]?.slice(end.column - 1), ...lines.slice(end.line)].join('\n');
  return `${before}${replacement}${after}`;
}

async function compilerErrors(): Promise<readonly string[]> {
  const how = { cwd: FOLDER, maxBuffer: MOST_ERRORS_BYTES };
  const { stdout } = await promisify(execFile)('tsc', ['-p', '.', '--pretty', 'false'], how).catch((error) => error);
  return String(stdout).split('\n');
}

function isAbout(error: string, { file, replacement, location: { start } }: Change): boolean {
  const [, where, line] = /^(.+?)\((\d+),\d+\): /.exec(error) ?? [];
  if (where !== file || UNUSED.test(error)) return false;
  const at = Number(line);
  return at >= start.line && at <= start.line + replacement.split('\n').length - 1;
}
