import { existsSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { isAbsolute, join } from 'node:path';

/**
 * Keeps what Node compiles for the next start, in the user's own folder for caches. Where there is none, or nobody can write to
 * it, as in a container, nothing is kept and nothing said.
 */
export function keepCompiled({ XDG_CACHE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): void {
  // Not in the folder for temporary files: others could put there what then runs.
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache');
  const ours = join(caches, 'rwo-guard');
  // Made one by one: Node tries for ever to make folders within each other where the system says that the outer one is missing.
  if (isAbsolute(caches) && made(caches) && made(ours)) enableCompileCache(ours);
}

function made(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch {
    return existsSync(folder);
  }
}
