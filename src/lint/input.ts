import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { type Excluded, type ManifestFile, manifestFiles } from '../yaml/files.ts';
import { allOf, messageOf, parseManifests, readManifestFile, type Unreadable } from '../yaml/read-manifests.ts';
import { type InputPart, NO_OBJECT, PATCH, partOfFile, skippedPart } from './input-part.ts';
import { type Base, kustomized } from './kustomization.ts';
import { unrendered } from './unrendered.ts';

/** What was read, and what was not. */
export interface Input extends InputPart {
  /** Whether there were files to read, and every one of them was left out as asked. */
  readonly allExcluded: boolean;
  /** Folders of manifests that another kustomization of the input changes. */
  readonly bases: readonly Base[];
}

export interface InputOptions {
  readonly excluded: Excluded;
  /** Whether what `.gitignore` names is left out of folders. */
  readonly gitignore: boolean;
  readonly stdin: AsyncIterable<Buffer>;
  /** Told after each file. */
  readonly progress: (done: number, all: number) => void;
}

export const STDIN = '-';

/** What a finding's place says instead of a file's name. */
export const STDIN_NAME = '<stdin>';

/** Every manifest of files, folders and `-`. A path that is not there is unreadable. */
export async function readInput(paths: readonly string[], options: InputOptions): Promise<Input> {
  const { files, unreadable, allExcluded } = await filesAt(paths, options);
  const { patches, bases } = kustomized(files.filter(({ leftOut }) => leftOut === undefined).map(({ path }) => path));
  const parts: InputPart[] = [];
  for (const [index, file] of distinct(files).entries()) {
    if (file.path === STDIN) parts.push(await stdinPart(options.stdin));
    else parts.push(patches.has(resolve(file.path)) ? skippedPart({ file: file.path, ...PATCH }) : filePart(file));
    options.progress(index + 1, files.length);
  }
  const { foreign: _, ...found } = allOf(parts.map((part) => ({ ...part, foreign: [] })));
  const skipped = parts.flatMap((part) => part.skipped);
  const unread = [...unreadable, ...found.unreadable];
  return {
    ...found,
    unreadable: [...unread, ...unrendered({ ...found, unreadable: unread, skipped })],
    skipped,
    bases,
    allExcluded,
  };
}

interface FilesAt extends Pick<Input, 'allExcluded'> {
  readonly files: readonly ManifestFile[];
  readonly unreadable: readonly Unreadable[];
}

async function filesAt(
  paths: readonly string[],
  { excluded, gitignore }: Pick<InputOptions, 'excluded' | 'gitignore'>,
): Promise<FilesAt> {
  const files: ManifestFile[] = [];
  const unreadable: Unreadable[] = [];
  let anyExcluded = false;
  const noted: Excluded = (path) => {
    const isExcluded = excluded(path);
    anyExcluded ||= isExcluded;
    return isExcluded;
  };
  for (const path of new Set(paths)) {
    if (path === STDIN) files.push({ path, named: true });
    else {
      try {
        files.push(...(await manifestFiles(path, { excluded: noted, gitignore })));
      } catch (error) {
        unreadable.push({ file: path, line: 1, because: `${whyNotThere(error)}; name files, folders, or - for stdin` });
      }
    }
  }
  return { files, unreadable, allExcluded: anyExcluded && files.length === 0 };
}

/** Nobody has to know what Node calls a path that is not there. */
function whyNotThere(error: unknown): string {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isMissing ? 'there is no such file or folder' : messageOf(error);
}

/** Each file once: of several ways to name it, the last one counts. */
function distinct(files: readonly ManifestFile[]): readonly ManifestFile[] {
  return [...new Map(files.map((file) => [file.path === STDIN ? STDIN : resolve(file.path), file])).values()];
}

async function stdinPart(stdin: AsyncIterable<Buffer>): Promise<InputPart> {
  const text = await textOf(stdin);
  const part = partOfFile(STDIN_NAME, text, parseManifests(text, STDIN_NAME));
  const isMessage = part.manifests.length === 0 && part.skipped.some(({ because }) => because === NO_OBJECT);
  if (!isMessage) return part;
  return { ...part, skipped: [], unreadable: [{ file: STDIN_NAME, line: 1, because: NOTHING_PIPED }] };
}

/** Green would hide that whatever should have printed manifests printed what went wrong. */
const NOTHING_PIPED = 'there is no Kubernetes object in it; see whether what writes to the pipe failed';

function filePart({ path, leftOut }: ManifestFile): InputPart {
  if (leftOut !== undefined) return skippedPart({ file: path, because: leftOut });
  const { text, ...found } = readManifestFile(path);
  return text === undefined ? { ...found, skipped: [] } : partOfFile(path, text, found);
}
