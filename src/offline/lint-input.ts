import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { stringAt } from '../facts/json.ts';
import { kustomizePatches } from './kustomization.ts';
import { type Excluded, type ManifestFile, manifestFiles } from './manifest-files.ts';
import {
  allOf,
  type Manifest,
  type Manifests,
  messageOf,
  parseManifests,
  readManifestFile,
  type Unreadable,
} from './read-manifests.ts';

/** Something of the input that is no manifest and was not expected to be one. */
export interface Skipped {
  readonly file: string;
  readonly because: string;
}

/** What was read, and what was not. */
export interface Input extends Omit<Manifests, 'foreign'> {
  readonly skipped: readonly Skipped[];
  /** There were files to read, and every one of them was left out as asked. */
  readonly allExcluded: boolean;
}

type Part = Omit<Input, 'allExcluded'>;

export interface InputOptions {
  readonly excluded: Excluded;
  readonly stdin: AsyncIterable<Buffer>;
  /** Told after each file. */
  readonly progress: (done: number, all: number) => void;
}

export const STDIN = '-';

/** What a finding's place says instead of a file's name. */
const STDIN_NAME = '<stdin>';

/** Every manifest of files, folders and `-`. A path that is not there is unreadable. */
export async function readInput(paths: readonly string[], options: InputOptions): Promise<Input> {
  const { files, unreadable, allExcluded } = await filesAt(paths, options.excluded);
  const patches = kustomizePatches(files.filter(({ special }) => !special).map(({ path }) => path));
  const parts: Part[] = [];
  for (const [index, file] of distinct(files).entries()) {
    if (file.path === STDIN) parts.push(await stdinInput(options.stdin));
    else parts.push(patches.has(resolve(file.path)) ? skippedFile(file, PATCH) : fileInput(file));
    options.progress(index + 1, files.length);
  }
  const found = allOf(parts.map((part) => ({ ...part, foreign: [] })));
  return {
    ...found,
    unreadable: [...unreadable, ...found.unreadable],
    skipped: parts.flatMap(({ skipped }) => skipped),
    allExcluded,
  };
}

interface FilesAt extends Pick<Input, 'allExcluded'> {
  readonly files: readonly ManifestFile[];
  readonly unreadable: readonly Unreadable[];
}

async function filesAt(paths: readonly string[], excluded: Excluded): Promise<FilesAt> {
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
        files.push(...(await manifestFiles(path, noted)));
      } catch (error) {
        unreadable.push({ file: path, line: 1, because: `${messageOf(error)}; name files, folders, or - for stdin` });
      }
    }
  }
  return { files, unreadable, allExcluded: anyExcluded && files.length === 0 };
}

/** Of the ways to name one file the last one counts. */
function distinct(files: readonly ManifestFile[]): readonly ManifestFile[] {
  return [...new Map(files.map((file) => [file.path === STDIN ? STDIN : resolve(file.path), file])).values()];
}

async function stdinInput(stdin: AsyncIterable<Buffer>): Promise<Part> {
  const found = parseManifests(await textOf(stdin), STDIN_NAME);
  const isEmpty = [found.manifests, found.unreadable, found.foreign].every(({ length }) => length === 0);
  const unreadable = isEmpty ? [{ file: STDIN_NAME, line: 1, because: NOTHING_PIPED }] : found.unreadable;
  return sorted({ ...found, unreadable }, { path: STDIN_NAME, named: true });
}

/** Green would hide that whatever should have printed manifests failed. */
const NOTHING_PIPED = 'there is no Kubernetes object in it; see whether what writes to the pipe failed';

function skippedFile({ path }: ManifestFile, because: string): Part {
  return { ...allOf([]), skipped: [{ file: path, because }] };
}

function fileInput(file: ManifestFile): Part {
  if (file.special) return skippedFile(file, 'a pipe, socket or device');
  const { text, ...found } = readManifestFile(file.path);
  if (!text.includes('{{')) return sorted(found, file);
  const rendered = withoutTemplates(found);
  const isTemplate = liesInChart(file.path) || (rendered.manifests.length === 0 && looksLikeTemplate(text, found));
  return isTemplate ? skippedFile(file, `a Helm template; ${LINT_RENDERED}`) : sorted(rendered, file);
}

const LINT_RENDERED = 'lint what helm template prints';

/** Documents that YAML can read although they hold actions are none that the API server could. */
function withoutTemplates(found: Manifests): Manifests {
  const isRendered = ({ object }: Manifest): boolean => !holdsAction(object);
  const because = `an action of a template stands in it; ${LINT_RENDERED}`;
  const templates = found.manifests.filter((manifest) => !isRendered(manifest));
  return {
    ...found,
    manifests: found.manifests.filter(isRendered),
    unreadable: [...found.unreadable, ...templates.map(({ file, line }) => ({ file, line, because }))],
  };
}

/** What is no Kubernetes object is expected in a folder, but not where a file was named. */
function sorted({ foreign, ...found }: Manifests, { path, named }: ManifestFile): Part {
  const manifests = found.manifests.filter(({ object }) => !isKustomization(stringAt(object, 'apiVersion')));
  const skipped = manifests.length < found.manifests.length ? [{ file: path, because: KUSTOMIZATION }] : [];
  if (foreign.length === 0) return { ...found, manifests, skipped };
  const known = knownForeign(path);
  if (known === undefined && named) {
    return { ...found, manifests, unreadable: [...found.unreadable, ...foreign], skipped };
  }
  return { ...found, manifests, skipped: [...skipped, { file: path, because: known ?? 'no Kubernetes object' }] };
}

const LINT_BUILT = 'lint what kustomize build prints';
const KUSTOMIZATION = `a kustomization; ${LINT_BUILT}`;
const PATCH = `a patch of a kustomization, not judged; ${LINT_BUILT}`;

function isKustomization(apiVersion: string | undefined): boolean {
  return apiVersion?.startsWith('kustomize.config.k8s.io/') ?? false;
}

/** What a file is by its name, where Helm or kustomize would read it. */
function knownForeign(path: string): string | undefined {
  const name = basename(path).replace(/\.(ya?ml|json)$/, '');
  if (/^kustomization$/i.test(name)) return KUSTOMIZATION;
  if (name === 'Chart') return `a chart; ${LINT_RENDERED}`;
  return /(^|[-._])values([-._]|$)/.test(name) ? `values of a chart; ${LINT_RENDERED}` : undefined;
}

/**
 * Whether a text without a single object in it is a template. Braces alone say nothing, for alerts and dashboards have them
 * too, and what Helm printed is none any more, however broken.
 */
function looksLikeTemplate(text: string, { manifests, unreadable, foreign }: Manifests): boolean {
  if (/^# Source: /m.test(text)) return false;
  return manifests.length > 0 || (unreadable.length + foreign.length > 0 && ACTION.test(text));
}

/** What Helm's templates say and other templates in YAML hardly do. */
const ACTION =
  /\{\{-?\s*(\.(Values|Release|Chart|Capabilities|Files|Template)\b|(include|if|range|with|define|template|toYaml|tpl|end)\b|\/\*)/;

/** `templates/` beside a `Chart.yaml`, at any depth. */
function liesInChart(path: string): boolean {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === 'templates' && existsSync(join(folder, '..', 'Chart.yaml'))) return true;
  }
  return false;
}

/** YAML reads `replicas: {{ .Values.replicas }}` as a mapping whose key is a mapping, which is written as text here. */
function holdsAction(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, child]) => /^\{ .* \}$/.test(key) || holdsAction(child));
}
