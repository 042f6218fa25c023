import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { alone } from './build-lock.ts';
import { go, requireGo } from './go.ts';

/** The `tool` lines of a go.mod, and how they are built. */
export interface GoTools {
  /** Of the folder in the cache, and of what is said meanwhile. */
  readonly name: string;
  /** The folder of the go.mod. */
  readonly module: string;
  readonly flags: readonly string[];
  readonly announcement: string;
  /** Whatever else decides what comes out of `finish`. */
  readonly finishedWith?: readonly unknown[];
  /** Completes the folder that `go build` has put the programs in. */
  readonly finish?: (folder: string) => Promise<void>;
}

/** How often a build that takes minutes says that it is still alive. */
const REPORT_EVERY_MS = 15_000;

/** The folder that holds the programs, which are built when they are not there yet. */
export async function builtTools(tools: GoTools): Promise<string> {
  const folder = await cacheFolder(tools);
  if (await exists(folder)) return folder;
  await requireGo();
  await mkdir(dirname(folder), { recursive: true });
  await alone(`${folder}.lock`, async () => {
    if (await exists(folder)) return; // somebody else built while this process waited
    await removeUnfinished(folder);
    const unfinished = `${folder}.unfinished-${process.pid}`;
    try {
      await build(tools, unfinished);
      await rename(unfinished, folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  });
  return folder;
}

/** Outside the tree and named by everything that decides what comes out, so that a stale build is never used. */
export async function cacheFolder({ name, module, flags, finishedWith = [] }: GoTools): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(module, file)));
  hash.update(JSON.stringify([flags, ...finishedWith, process.platform, process.arch]));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'rwo-guard', name, hash.digest('hex').slice(0, 16));
}

async function build({ name, module, flags, announcement, finish }: GoTools, folder: string): Promise<void> {
  const started = Date.now();
  const say = (text: string) => process.stderr.write(`${name}: ${text}\n`);
  say(announcement);
  // Go's own scratch space too: an interrupted build would leave gigabytes in the system's temporary folder.
  const scratch = join(folder, 'scratch');
  await mkdir(scratch, { recursive: true });
  let packages = 0;
  const reporting = setInterval(() => say(`${packages} packages compiled, ${elapsed(started)}`), REPORT_EVERY_MS);
  try {
    await go({
      args: ['build', '-v', ...flags, '-o', `${folder}/`, 'tool'],
      folder: module,
      env: { GOTMPDIR: scratch },
      onProgress: () => {
        packages += 1;
      },
    });
  } finally {
    clearInterval(reporting);
  }
  await finish?.(folder);
  await rm(scratch, { recursive: true, force: true });
  say(`built in ${elapsed(started)}`);
}

/** What interrupted builds left behind. Called under the lock, so nobody is writing there. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}.unfinished-`)) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
