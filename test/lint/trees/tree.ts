import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { claim, deployment, written } from '../manifests.ts';

/** A folder such as repositories have, and what `lint .` says of it. */
export interface Tree {
  readonly shape: string;
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** What is no file: links by their targets, and files that cannot be opened. */
  readonly links?: Readonly<Record<string, string>>;
  readonly closed?: readonly string[];
  readonly fix?: boolean;
  readonly code: 0 | 1 | 2;
  /** Each line on stderr, the folder as `.`. */
  readonly notes: readonly string[];
  /** The rules of the findings. */
  readonly findings?: readonly string[];
  /** Why something stayed open. */
  readonly open?: readonly string[];
  readonly unreadable?: readonly RegExp[];
}

/** A Deployment that deadlocks on its claim, and one that does not. */
export const BAD = written(claim(), deployment());
export const GOOD = written(claim(), deployment({ strategy: { type: 'Recreate' } }));

export const DEADLOCK = ['rollout-deadlock'];

export const NOTHING =
  'there is no Kubernetes object in the input; of folders, .yaml, .yml and .json files are read, but for what .gitignore names';

export const UNRENDERED = /^nothing was judged, for the input has only charts or kustomizations that were not rendered/;

/** Makes what is no file. Root may open everything, but not read what no process has mapped. */
export async function completed(folder: string, { links = {}, closed = [] }: Tree): Promise<void> {
  for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
  for (const name of closed) {
    if (process.getuid?.() === 0) await symlink('/proc/self/mem', join(folder, name));
    else await chmod(join(folder, name), 0);
  }
}
