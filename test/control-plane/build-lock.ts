import { open, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The holder touches its lock this often; a lock untouched for ten times as long was left by a process that is gone. */
const TOUCH_EVERY_MS = 2_000;
const STALE_AFTER_MS = 10 * TOUCH_EVERY_MS;

/**
 * Runs `work` while nobody else on this machine runs it for the same lock file. It only saves work: two holders, which a
 * machine suspended at the wrong moment can produce, must do no harm to each other.
 */
export async function alone<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  while (!(await takeLock(lockFile))) {
    if (await isStale(lockFile)) await rm(lockFile, { force: true });
    else await sleep(500);
  }
  const touching = setInterval(() => {
    const now = new Date();
    // Fails only when somebody removed the lock as stale; the work goes on, see above.
    utimes(lockFile, now, now).catch(() => clearInterval(touching));
  }, TOUCH_EVERY_MS);
  touching.unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    await rm(lockFile, { force: true });
  }
}

async function takeLock(lockFile: string): Promise<boolean> {
  try {
    await (await open(lockFile, 'wx')).close();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(lockFile: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lockFile)).mtimeMs > STALE_AFTER_MS;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false; // released a moment ago
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
