import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isObject, type JsonObject } from '../objects/json.ts';
import { documentsIn } from '../yaml/parsed-document.ts';

/** The names by which kustomize looks for it (`sigs.k8s.io/kustomize/api/konfig/general.go`). */
const NAMES: ReadonlySet<string> = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization']);

/** What the kustomizations of the input make of other files of it. */
export interface Kustomized {
  /**
   * The files, by their absolute paths, that kustomizations name as patches and none of them as a resource. What stands in them
   * is a part of an object, whatever it looks like.
   */
  readonly patches: ReadonlySet<string>;
  readonly bases: readonly Base[];
}

/** A folder with a kustomization that another one builds upon. */
export interface Base {
  readonly folder: string;
  /** The kustomization that changes what stands there. */
  readonly overlay: string;
}

/** Reads the kustomizations among these files. */
export function kustomized(files: readonly string[]): Kustomized {
  const kustomizations = files.filter((file) => NAMES.has(basename(file)));
  const named = kustomizations.flatMap((file) => namedIn(file).map((one) => ({ file, ...one })));
  const resources = new Set(named.flatMap((one) => one.resources));
  const folders = new Map(kustomizations.map((file) => [resolve(dirname(file)), dirname(file)]));
  const bases = named.flatMap((one) =>
    one.resources.flatMap((path) => {
      const folder = folders.get(path);
      return folder === undefined || folder === dirname(one.file) ? [] : [{ folder, overlay: one.file }];
    }),
  );
  return {
    patches: new Set(named.flatMap(({ patches }) => patches).filter((file) => !resources.has(file))),
    bases,
  };
}

interface NamedFiles {
  readonly patches: readonly string[];
  readonly resources: readonly string[];
}

function namedIn(file: string): readonly NamedFiles[] {
  const at = (paths: readonly string[]) => paths.map((path) => resolve(dirname(file), path));
  return kustomizationsIn(file).map((kustomization) => ({
    patches: at(
      ['patches', 'patchesStrategicMerge', 'patchesJson6902'].flatMap((field) => pathsIn(kustomization[field])),
    ),
    resources: at(['resources', 'bases'].flatMap((field) => pathsIn(kustomization[field]))),
  }));
}

/** A patch that is written in place of a path leads to no file. */
function pathsIn(list: unknown): readonly string[] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  const paths = entries.map((entry) => (isObject(entry) ? entry.path : entry));
  return paths.filter((path) => typeof path === 'string');
}

function kustomizationsIn(file: string): readonly JsonObject[] {
  try {
    return [...documentsIn(readFileSync(file, 'utf8'))].map((document) => document.value()).filter(isObject);
  } catch {
    return []; // it is read once more as part of the input, which tells what is wrong with it
  }
}
