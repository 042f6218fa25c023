import type { Writable } from 'node:stream';
import { isWorkloadKind, kindOf } from '../objects/kinds.ts';
import { UsageError } from '../usage-error.ts';
import { excludedBy } from '../yaml/files.ts';
import { type Manifest, readManifests } from '../yaml/read-manifests.ts';
import { type Input, readInput } from './input.ts';
import { type InputObjects, inputObjects } from './input-objects.ts';
import { notesAbout, strayInWords } from './notes.ts';
import { progressOn } from './progress.ts';
import type { LintSettings } from './settings.ts';

/** What commands that read manifests have of the process. */
export interface LintSurroundings {
  /** Of `package.json`. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For what was asked for; everything else goes to `stderr`. */
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly stdin: AsyncIterable<Buffer>;
  readonly workingDirectory: string;
  /** Milliseconds since 1970, in UTC. */
  readonly now: () => number;
}

/** The input, as it is read for every command. */
export interface ReadObjects {
  readonly input: Input;
  readonly manifests: readonly Manifest[];
  readonly objects: InputObjects;
  /** What there is to tell of it, one line each. */
  readonly notes: readonly string[];
}

/** Reads the files, folders and `-` that were named. */
export async function readObjects(
  paths: readonly string[],
  settings: LintSettings,
  surroundings: LintSurroundings,
): Promise<ReadObjects> {
  const input = await inputOf(paths, settings, surroundings);
  const { manifests, stray } = withoutStrayNodes(input.manifests);
  const objects = inputObjects([...(await nodesOf(settings)), ...manifests]);
  const notes = [...notesAbout(input, objects, settings), ...(settings.nodesAsked ? [] : strayInWords(stray))];
  return { input, manifests, objects, notes };
}

async function inputOf(
  paths: readonly string[],
  { exclude, gitignore }: LintSettings,
  { stdin, stderr, now, workingDirectory }: LintSurroundings,
): Promise<Input> {
  const progress = progressOn(stderr, now);
  try {
    const excluded = excludedBy(exclude, workingDirectory);
    return await readInput(paths, { excluded, gitignore, stdin, progress: progress.files });
  } finally {
    progress.done();
  }
}

/** The Node objects of the file that was named; whatever else it holds is not part of the input. */
async function nodesOf({ nodesFile }: LintSettings): Promise<Input['manifests']> {
  if (nodesFile === undefined) return [];
  const { manifests } = await readManifests(nodesFile).catch((cause: unknown) => {
    throw new UsageError(`--nodes ${nodesFile} is neither a number from 1 upwards nor a file that can be read`, {
      cause,
    });
  });
  const nodes = manifests.filter(isNode);
  if (nodes.length > 0) return nodes;
  throw new UsageError(`--nodes ${nodesFile} holds no Node: write it by kubectl get nodes -o yaml`);
}

/**
 * Parts the Nodes that stand in a file without a workload from all other manifests. Whoever writes a cluster down writes both
 * into one file; a Node by itself is test data or an example, and would make a cluster of one node of everything beside it.
 */
function withoutStrayNodes(manifests: readonly Manifest[]): {
  readonly manifests: readonly Manifest[];
  readonly stray: readonly Manifest[];
} {
  const nodes = manifests.filter(isNode);
  if (nodes.length === 0) return { manifests, stray: [] };
  const withWorkload = new Set(manifests.filter(({ object }) => isWorkloadKind(object.kind)).map(({ file }) => file));
  const stray = new Set(nodes.filter(({ file }) => !withWorkload.has(file)));
  return { manifests: manifests.filter((manifest) => !stray.has(manifest)), stray: [...stray] };
}

function isNode({ object }: Pick<Manifest, 'object'>): boolean {
  return kindOf(object) === 'Node';
}
