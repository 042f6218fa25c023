import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Outcome, Outcomes, SharedWith } from '../../src/forecast/outcome.ts';
import type { Product } from './forecast-of.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rwo-guard', 'differential');

const run = promisify(execFile);

/** The product as it was at a commit, which is unpacked beside the tree, once. */
export async function productAt(ref: string): Promise<Product> {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: ROOT });
  const folder = join(CACHE, stdout.trim());
  if (!existsSync(folder)) await unpack(stdout.trim(), folder);
  const at = (paths: readonly string[]) => {
    const path = paths.map((one) => join(folder, 'src', one)).find((one) => existsSync(one));
    if (path === undefined) throw new Error(`${ref} has none of ${paths.join(', ')}`);
    return import(pathToFileURL(path).href);
  };
  const [state, files, gather, matrix, workload, outcome] = await Promise.all(WHERE.map(at));
  const { forecast } = outcome;
  const inWaits: Product['forecast'] = (...asked) => {
    const { certain, possible, ...rest } = forecast(...asked);
    return { ...rest, certain: withWaits(certain), possible: possible.map(withWaits) };
  };
  return { ...state, ...files, ...gather, ...matrix, ...workload, forecast: inWaits };
}

/** Older commits told causes alone. */
function withWaits(outcomes: Outcomes): Outcomes {
  const { rollout, steady, autoscaled } = outcomes;
  const waits = (outcome: Outcome & Partial<Pick<SharedWith, 'reasons'>>): Outcome => ({
    ...outcome,
    waits:
      outcome.waits ?? outcome.reasons?.map((reason) => ({ ...reason, heldBy: 'old-pods', lasts: 'for-ever' })) ?? [],
  });
  return {
    ...outcomes,
    rollout: waits(rollout),
    steady: waits(steady),
    autoscaled: autoscaled && { ...autoscaled, outcome: waits(autoscaled.outcome) },
  };
}

/** Where the parts of the product are, and where they were in older commits. */
const WHERE = [
  ['snapshot/cluster-state.ts', 'facts/cluster-state.ts'],
  ['lint/file-snapshot.ts', 'offline/file-snapshot.ts'],
  ['facts/gather.ts'],
  ['facts/storage-backend.ts'],
  ['objects/read-workload.ts', 'facts/workload-from.ts'],
  ['forecast/forecast.ts', 'forecast/outcome.ts'],
];

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
