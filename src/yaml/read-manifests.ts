import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../objects/json.ts';
import { manifestFiles } from './files.ts';
import { withoutNeedless } from './needless-documents.ts';
import { documentsIn, type ParsedDocument, type RepeatedKey } from './parsed-document.ts';
import type { Positions } from './positions.ts';
import { quickDocuments } from './quick-documents.ts';

/** Where in the input something stands; lines count from 1. */
export interface FileLine {
  readonly file: string;
  readonly line: number;
}

/** One object as somebody wrote it, or as kubectl printed it. */
export interface Manifest extends FileLine, Whereabouts {
  readonly object: JsonObject;
}

/** Where an object is written. Asking for any of it may parse the file again, which is for objects with findings. */
interface Whereabouts {
  readonly line: number;
  /** The document that holds it, counted from 0, and its place in `items` where that is a List. */
  readonly document: number;
  readonly item?: number | undefined;
  /** Where its fields begin. */
  readonly positions: Positions;
  /** The chart's template that `helm template` made it of. */
  readonly template?: string | undefined;
}

/** A part of the input that could not be used; the rest was. */
export interface Unreadable extends FileLine {
  readonly because: string;
}

export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly Unreadable[];
  /** Documents that can be read and are no Kubernetes objects. */
  readonly foreign: readonly Unreadable[];
  readonly repeatedKeys: readonly (RepeatedKey & FileLine)[];
}

/**
 * The manifests in a file, or in every YAML and JSON file below a folder, in the order of their names. Rejects if the
 * path itself cannot be read.
 */
export async function readManifests(path: string): Promise<Manifests> {
  const parts: Manifests[] = [];
  for (const file of await manifestFiles(path)) {
    parts.push(file.leftOut === undefined ? readManifestFile(file.path) : leftOut(file.path, file.leftOut));
  }
  return allOf(parts);
}

function leftOut(file: string, because: string): Manifests {
  return { ...allOf([]), unreadable: [{ file, line: 1, because }] };
}

export function allOf(parts: readonly Manifests[]): Manifests {
  return {
    manifests: parts.flatMap(({ manifests }) => manifests),
    unreadable: parts.flatMap(({ unreadable }) => unreadable),
    foreign: parts.flatMap(({ foreign }) => foreign),
    repeatedKeys: parts.flatMap(({ repeatedKeys }) => repeatedKeys),
  };
}

/**
 * The manifests in one file, and its text; one that cannot be opened is unreadable from its first line on. It does not wait, for
 * thousands of small files take several times as long to wait for as to read.
 */
export function readManifestFile(path: string): Manifests & { readonly text: string | undefined } {
  try {
    const text = readFileSync(path, 'utf8');
    return { ...parseManifests(text, path), text };
  } catch (error) {
    return { ...leftOut(path, messageOf(error)), text: undefined };
  }
}

/**
 * The objects in a text of one or more documents; the items of a List each by itself. Those of kinds that nobody needs have
 * only `apiVersion` and `kind`.
 */
export function parseManifests(written: string, file: string): Manifests {
  const text = withoutNeedless(written);
  return quickManifests(text, file) ?? exactManifests(text, file);
}

/** What its byte order mark, or an ASCII character, becomes when it is read as UTF-8. */
const UTF_16 = /^(?:\uFFFD\uFFFD|[^\0]\0|\0[^\0])/;

/** Why UTF-16 is not read: kubectl refuses it or loses a part of it. */
const NO_UTF_8 = 'this is UTF-16: save it as UTF-8';

/** Reads a text by a faster parser; `undefined` where anything about it is unusual. */
function quickManifests(text: string, file: string): Manifests | undefined {
  const values = UTF_16.test(text) ? undefined : quickDocuments(text)?.filter((value) => value !== null);
  if (values === undefined || !values.every(isManifest)) return undefined;
  const objects = objectsIn(values);
  if (objects === undefined) return undefined;
  let found: readonly Whereabouts[] | undefined;
  const exact = (nth: number): Whereabouts => {
    found ??= exactlyRead(text, file, withoutObject).found;
    return found[nth] ?? NOWHERE;
  };
  const manifests = objects.map((object, nth) => new QuickManifest(file, object, () => exact(nth)));
  return { ...allOf([]), manifests };
}

function objectsIn(values: readonly ManifestObject[]): readonly JsonObject[] | undefined {
  try {
    return values.flatMap((value) => itemsOf(value) ?? [value]);
  } catch {
    return undefined; // an item that is no object, which the exact reading will tell with its line
  }
}

/** A manifest that finds out where it stands once somebody asks. */
class QuickManifest implements Manifest {
  readonly file: string;
  readonly object: JsonObject;
  readonly #exact: () => Whereabouts;

  constructor(file: string, object: JsonObject, exact: () => Whereabouts) {
    this.file = file;
    this.object = object;
    this.#exact = exact;
  }

  get line(): number {
    return this.#exact().line;
  }

  get document(): number {
    return this.#exact().document;
  }

  get item(): number | undefined {
    return this.#exact().item;
  }

  get positions(): Positions {
    return this.#exact().positions;
  }

  get template(): string | undefined {
    return this.#exact().template;
  }
}

/** Where an object stands, should the two parsers ever count differently. */
const NOWHERE: Whereabouts = { line: 1, document: 0, positions: () => undefined };

function withoutObject({ line, document, item, positions, template }: Manifest): Whereabouts {
  return { line, document, item, positions, template };
}

/** The objects with where they stand. */
export function exactManifests(text: string, file: string): Manifests {
  if (UTF_16.test(text)) return leftOut(file, NO_UTF_8);
  const { found, ...others } = exactlyRead(text, file, (manifest) => manifest);
  return { ...others, manifests: found };
}

/** What is not kept of an object is gone before the next one is read, for all of them may not fit. */
function exactlyRead<T>(
  text: string,
  file: string,
  kept: (manifest: Manifest) => T,
): Omit<Manifests, 'manifests'> & { readonly found: readonly T[] } {
  const found: T[] = [];
  const unreadable: Unreadable[] = [];
  const foreign: Unreadable[] = [];
  const repeatedKeys: (RepeatedKey & FileLine)[] = [];
  let line = 1;
  let index = 0;
  try {
    for (const document of documentsIn(text)) {
      ({ line } = document);
      try {
        found.push(...manifestsIn(document).map((manifest) => kept({ file, document: index, ...manifest })));
        for (const repeated of document.repeatedKeys) repeatedKeys.push({ file, ...repeated });
      } catch (error) {
        const list = error instanceof ForeignDocumentError ? foreign : unreadable;
        list.push({ file, line, because: messageOf(error) });
      }
      index++;
    }
  } catch (error) {
    // The parser gave up, as it does where nesting is too deep for it; nothing after that can be read.
    unreadable.push({ file, line, because: messageOf(error) });
  }
  return { found, unreadable, foreign, repeatedKeys };
}

/** A document that anybody can read, of something else. */
class ForeignDocumentError extends TypeError {
  readonly code = 'FOREIGN_DOCUMENT';
}

function manifestsIn(document: ParsedDocument): readonly Omit<Manifest, 'file' | 'document'>[] {
  const object = document.value();
  if (object === null) return [];
  if (!isManifest(object)) {
    throw new ForeignDocumentError('this is no Kubernetes object: apiVersion or kind is missing');
  }
  const items = itemsOf(object);
  const { line, template } = document;
  if (items === undefined) return [{ line, object, template, positions: document.positions() }];
  return items.map((object, item) => {
    const positions = document.positions(item);
    return { line: positions('')?.line ?? line, object, item, template, positions };
  });
}

interface ManifestObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
}

function isManifest(value: unknown): value is ManifestObject {
  return isObject(value) && typeof value.apiVersion === 'string' && typeof value.kind === 'string';
}

/** The objects in a `List` or a `DeploymentList`, whose items may leave their kind to it; `undefined` for anything else. */
function itemsOf(list: ManifestObject): readonly JsonObject[] | undefined {
  if (!list.kind.endsWith('List') || !Array.isArray(list.items)) return undefined;
  const items: readonly unknown[] = list.items;
  const implied = { apiVersion: list.apiVersion, kind: list.kind.slice(0, -'List'.length) };
  return items.map((item) => {
    const object = isObject(item) ? { ...implied, ...item } : undefined;
    if (isManifest(object) && object.kind !== '') return object;
    throw new TypeError('an item of the list is no Kubernetes object: apiVersion or kind is missing');
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
