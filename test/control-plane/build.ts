import { createHash } from 'node:crypto';
import { access, chmod, copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { alone } from './build-lock.ts';
import { go, requireGo } from './go.ts';

/** The programs of a control plane, by the names under which they are known. */
export const PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'kubectl',
] as const;
export type Program = (typeof PROGRAMS)[number];

export interface Programs {
  readonly path: Readonly<Record<Program, string>>;
  /** The folder with the stages that come with KWOK: how it plays nodes and pods. */
  readonly kwokStages: string;
}

const MODULE_FOLDER = import.meta.dirname;
const KUBERNETES_VERSION = 'v1.36.3';

/**
 * Only release builds set these. Without them `kubectl version` and every client that parses the server's version fail, and
 * the user agents in audit logs are not those of a real cluster.
 */
const VERSION = {
  gitVersion: KUBERNETES_VERSION,
  gitCommit: 'unknown',
  gitMajor: '1',
  gitMinor: '36',
  gitTreeState: 'clean',
};
const VERSION_PACKAGES = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
const LINKER_FLAGS = [
  '-s -w',
  ...VERSION_PACKAGES.flatMap((goPackage) =>
    Object.entries(VERSION).map(([variable, value]) => `-X ${goPackage}.${variable}=${value}`),
  ),
].join(' ');
const BUILD_FLAGS = ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=${LINKER_FLAGS}`];

/** Stages that come with KWOK's module, relative to its `kustomize/stage`. */
const KWOK_STAGES = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat/node-heartbeat.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
];

/** How often a build that takes minutes says that it is still alive. */
const REPORT_EVERY_MS = 15_000;

/**
 * The programs asked for, built when they are not there yet. KUBEBUILDER_ASSETS, which envtest users have set, goes first:
 * when everything needed lies in that folder nothing is built.
 */
export async function programs(needed: readonly Program[]): Promise<Programs> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const given = assets ? await programsIn(assets) : {};
  const folder = await cacheFolder();
  if (needed.some((program) => given[program] === undefined)) await buildOnce(folder);
  const path = Object.fromEntries(PROGRAMS.map((program) => [program, given[program] ?? join(folder, program)]));
  return { path: path as Programs['path'], kwokStages: join(folder, 'stages') };
}

async function programsIn(assets: string): Promise<Partial<Record<Program, string>>> {
  const names = new Set(await readdir(assets));
  return Object.fromEntries(PROGRAMS.filter((name) => names.has(name)).map((name) => [name, join(assets, name)]));
}

/** Outside the tree and named by everything that decides what comes out, so that a stale build is never used. */
async function cacheFolder(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(MODULE_FOLDER, file)));
  hash.update(JSON.stringify([BUILD_FLAGS, KWOK_STAGES, process.platform, process.arch]));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'rwo-guard', 'control-plane', hash.digest('hex').slice(0, 16));
}

async function buildOnce(folder: string): Promise<void> {
  if (await exists(folder)) return;
  await requireGo();
  await mkdir(dirname(folder), { recursive: true });
  await alone(`${folder}.lock`, async () => {
    if (await exists(folder)) return; // somebody else built while this process waited
    await removeUnfinished(folder);
    const unfinished = `${folder}.unfinished-${process.pid}`;
    try {
      await build(unfinished);
      await rename(unfinished, folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  });
}

async function build(folder: string): Promise<void> {
  const started = Date.now();
  const say = (text: string) => process.stderr.write(`control plane: ${text}\n`);
  say(`building Kubernetes ${KUBERNETES_VERSION} from source; done once; six minutes on two cores`);
  // Go's own scratch space too: an interrupted build would leave gigabytes in the system's temporary folder.
  await mkdir(join(folder, 'scratch'), { recursive: true });
  let packages = 0;
  const reporting = setInterval(() => say(`${packages} packages compiled, ${elapsed(started)}`), REPORT_EVERY_MS);
  try {
    await go({
      args: ['build', '-v', ...BUILD_FLAGS, '-o', `${folder}/`, 'tool'],
      folder: MODULE_FOLDER,
      env: { GOTMPDIR: join(folder, 'scratch') },
      onProgress: () => {
        packages += 1;
      },
    });
  } finally {
    clearInterval(reporting);
  }
  // The etcd module's main package is a folder called `server`.
  await rename(join(folder, 'server'), join(folder, 'etcd'));
  await copyKwokStages(join(folder, 'stages'));
  await rm(join(folder, 'scratch'), { recursive: true, force: true });
  say(`built in ${elapsed(started)}`);
}

async function copyKwokStages(target: string): Promise<void> {
  const args = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'];
  const source = await go({ args, folder: MODULE_FOLDER });
  await mkdir(target);
  for (const stage of KWOK_STAGES) {
    const copy = join(target, basename(stage));
    await copyFile(join(source, 'kustomize', 'stage', stage), copy);
    await chmod(copy, 0o644); // the module cache is read-only
  }
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

if (import.meta.main) {
  try {
    const { path } = await programs(PROGRAMS);
    for (const program of PROGRAMS) process.stdout.write(`${path[program]}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
