import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isObject, type JsonObject } from '../facts/json.ts';
import { documentsIn, type ParsedDocument } from './parsed-document.ts';
import type { Spots } from './spots.ts';

/** Where in the input something stands; lines count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

/** One object as somebody wrote it, or as kubectl printed it. */
export interface Manifest extends Position {
  readonly object: JsonObject;
  /** Where its fields begin. */
  readonly spots: Spots;
  /** The chart's template that `helm template` made it of. */
  readonly template?: string | undefined;
}

/** A part of the input that could not be used; the rest was. */
export interface Unreadable extends Position {
  readonly because: string;
}

export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly Unreadable[];
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/**
 * The manifests in a file, or in every YAML and JSON file below a folder, in the order of their names. Rejects if the
 * path itself cannot be read.
 */
export async function readManifests(path: string): Promise<Manifests> {
  const files = (await stat(path)).isDirectory() ? await filesBelow(path) : [path];
  const parts: Manifests[] = [];
  for (const file of files) parts.push(await readFileOf(file));
  return {
    manifests: parts.flatMap(({ manifests }) => manifests),
    unreadable: parts.flatMap(({ unreadable }) => unreadable),
  };
}

/** Hidden names are left out: `.git` holds no manifests, and a mounted ConfigMap shows its files twice, below `..data` too. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else if (EXTENSIONS.has(extname(entry.name))) found.push(path);
  }
  return found;
}

async function readFileOf(file: string): Promise<Manifests> {
  try {
    return parseManifests(await readFile(file, 'utf8'), file);
  } catch (error) {
    return { manifests: [], unreadable: [{ file, line: 1, because: messageOf(error) }] };
  }
}

/** The objects in a text of one or more documents; the items of a List each by itself. */
export function parseManifests(written: string, file: string): Manifests {
  const text = written.replace(/^\uFEFF/, '');
  const manifests: Manifest[] = [];
  const unreadable: Unreadable[] = [];
  let line = 1;
  try {
    for (const document of documentsIn(text)) {
      ({ line } = document);
      try {
        for (const found of manifestsIn(document)) manifests.push({ file, ...found });
      } catch (error) {
        unreadable.push({ file, line, because: messageOf(error) });
      }
    }
  } catch (error) {
    // The parser gave up, as it does where nesting is too deep for it; nothing after that can be read.
    unreadable.push({ file, line, because: messageOf(error) });
  }
  return { manifests, unreadable };
}

function manifestsIn(document: ParsedDocument): readonly Omit<Manifest, 'file'>[] {
  const object = document.value();
  if (object === null) return [];
  if (!isManifest(object)) throw new TypeError('this is no Kubernetes object: apiVersion or kind is missing');
  const items = itemsOf(object);
  const { line, template } = document;
  if (items === undefined) return [{ line, object, template, spots: document.spots() }];
  return items.map((item, index) => {
    const spots = document.spots(index);
    return { line: spots('')?.line ?? line, object: item, template, spots };
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
