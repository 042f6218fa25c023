import { chmod, copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { go } from './go.ts';
import { builtTools, cacheFolder, type GoTools } from './go-tools.ts';

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

const TOOLS: GoTools = {
  name: 'control-plane',
  module: MODULE_FOLDER,
  flags: BUILD_FLAGS,
  announcement: `building Kubernetes ${KUBERNETES_VERSION} from source; done once; six minutes on two cores`,
  finishedWith: [KWOK_STAGES],
  async finish(folder) {
    // The etcd module's main package is a folder called `server`.
    await rename(join(folder, 'server'), join(folder, 'etcd'));
    await copyKwokStages(join(folder, 'stages'));
  },
};

/**
 * The programs asked for, built when they are not there yet. KUBEBUILDER_ASSETS, which envtest users have set, goes first:
 * when everything needed lies in that folder nothing is built.
 */
export async function programs(needed: readonly Program[]): Promise<Programs> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const given = assets ? await programsIn(assets) : {};
  const isGiven = needed.every((program) => given[program] !== undefined);
  const folder = await (isGiven ? cacheFolder(TOOLS) : builtTools(TOOLS));
  const path = Object.fromEntries(PROGRAMS.map((program) => [program, given[program] ?? join(folder, program)]));
  return { path: path as Programs['path'], kwokStages: join(folder, 'stages') };
}

async function programsIn(assets: string): Promise<Partial<Record<Program, string>>> {
  const names = new Set(await readdir(assets));
  return Object.fromEntries(PROGRAMS.filter((name) => names.has(name)).map((name) => [name, join(assets, name)]));
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

if (import.meta.main) {
  try {
    const { path } = await programs(PROGRAMS);
    for (const program of PROGRAMS) process.stdout.write(`${path[program]}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
