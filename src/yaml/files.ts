import { readdir, stat } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';
import ignore from 'ignore';
import { GITIGNORE, GitIgnored } from './gitignore.ts';

/** A file to read. */
export interface ManifestFile {
  readonly path: string;
  /** Whether somebody named it, and it was not just found in a folder. */
  readonly named: boolean;
  /** Why what was found in a folder is not read. */
  readonly leftOut?: string | undefined;
}

/** Whether to leave a path out; folders end in a slash. */
export type Excluded = (path: string) => boolean;

/** Leaves out paths by patterns as in `.gitignore`, relative to the working directory; never what is outside of it. */
export function excludedBy(patterns: readonly string[], workingDirectory: string): Excluded {
  const rules = ignore().add([...patterns]);
  return (path) => {
    const within = relative(workingDirectory, path) + (path.endsWith('/') ? '/' : '');
    return ignore.isPathValid(within) && rules.ignores(within);
  };
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** What of a folder is not read. */
export interface Unwanted {
  readonly excluded?: Excluded;
  /** Whether what `.gitignore` files name is left out as well. */
  readonly gitignore?: boolean;
}

/** A file, or every YAML and JSON file below a folder, in the order of their names. Rejects if the path cannot be read. */
export async function manifestFiles(
  path: string,
  { excluded = () => false, gitignore = false }: Unwanted = {},
): Promise<readonly ManifestFile[]> {
  if ((await stat(path)).isDirectory())
    return filesBelow(path, excluded, gitignore ? GitIgnored.above(path) : undefined);
  return excluded(path) ? [] : [{ path, named: true }];
}

async function filesBelow(
  folder: string,
  asked: Excluded,
  above: GitIgnored | undefined,
): Promise<readonly ManifestFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const ignored = entries.some(({ name }) => name === GITIGNORE) ? above?.below(folder) : above;
  const excluded: Excluded = (path) => asked(path) || ignored?.leavesOut(resolvedAs(path)) === true;
  const found: ManifestFile[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!isSearched(entry.name) || excluded(`${path}/`)) continue;
      if (OF_OTHERS.has(entry.name))
        found.push({ path, named: false, leftOut: 'packages of others; name it to read it' });
      // To read a folder as a file tells why it cannot be searched.
      else found.push(...(await filesBelow(path, asked, ignored).catch(() => [{ path, named: false }])));
    } else if (isManifestName(entry.name) && !excluded(path)) {
      found.push({ path, named: false, leftOut: entry.isFile() ? undefined : await whyNotRead(path) });
    }
  }
  return found;
}

/** The whole path; a folder's keeps its slash. */
function resolvedAs(path: string): string {
  return path.endsWith('/') ? `${resolve(path)}/` : resolve(path);
}

/** Whether a folder is searched. Manifests may stand in `.k8s`; a mounted ConfigMap repeats its files in `..2026_…`. */
function isSearched(folder: string): boolean {
  return folder !== '.git' && !folder.startsWith('..');
}

/** Folders into which Go and npm put what they fetched. Manifests there are test data, and no part of the cluster. */
const OF_OTHERS: ReadonlySet<string> = new Set(['vendor', 'node_modules']);

/**
 * A `Kustomization` is no manifest, but tells which of the others are patches. Files that begin with a dot are settings of
 * other tools, and what editors and desktops leave behind, much of which nobody can read.
 */
function isManifestName(name: string): boolean {
  if (name.startsWith('.')) return false;
  return EXTENSIONS.has(extname(name)) || name === 'Kustomization';
}

/** Why a path is not read. Opening what is no file may wait for ever, and links to folders may go round in circles. */
async function whyNotRead(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return 'a link that leads nowhere';
  if (stats.isDirectory()) return 'a link to a folder; name it to read it';
  return stats.isFile() ? undefined : 'a pipe, socket or device';
}
