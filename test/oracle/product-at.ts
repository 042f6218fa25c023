import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Product } from './forecast-of.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rwo-guard', 'differential');

const run = promisify(execFile);

/** The product as it was at a commit, which is unpacked beside the tree, once. */
export async function productAt(ref: string): Promise<Product> {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: ROOT });
  const folder = join(CACHE, stdout.trim());
  if (!existsSync(folder)) await unpack(stdout.trim(), folder);
  const at = (path: string) => import(pathToFileURL(join(folder, 'src', path)).href);
  const [state, files, gather, matrix, workload, outcome] = await Promise.all(
    [
      'facts/cluster-state.ts',
      'offline/file-snapshot.ts',
      'facts/gather.ts',
      'facts/storage-backend.ts',
      'facts/workload-from.ts',
      'forecast/outcome.ts',
    ].map(at),
  );
  return { ...state, ...files, ...gather, ...matrix, ...workload, ...outcome };
}

async function unpack(commit: string, folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, 'unpacking-'));
  const archive = join(unfinished, 'src.tar');
  await run('git', ['archive', '--output', archive, commit, 'src', 'package.json'], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', unfinished]);
  await rm(archive);
  await symlink(join(ROOT, 'node_modules'), join(unfinished, 'node_modules'));
  await rename(unfinished, folder);
}
