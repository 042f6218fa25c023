import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { isObject, type JsonObject, objectAt, stringAt } from '../src/objects/json.ts';

const FOLDER = join(import.meta.dirname, '../manifests/kustomize/base');

/** The files with objects of the cluster, in the order of their numbers. */
export const files: readonly string[] = readdirSync(FOLDER).filter((file) => /^\d/.test(file));

const manifests = files.flatMap((file) => parseAllDocuments(read(file)).map((document) => mapping(document.toJS())));

/** A file of the kustomization that is no object of the cluster. */
export function yamlIn(file: string): JsonObject {
  return mapping(parse(read(file)));
}

export function named(kind: string, name: string): JsonObject {
  return only(manifestsOf(kind).filter((object) => nameOf(object) === name));
}

/** The one object of its kind. */
export function manifest(kind: string): JsonObject {
  return only(manifestsOf(kind));
}

export function manifestsOf(kind: string): readonly JsonObject[] {
  return manifests.filter((object) => stringAt(object, 'kind') === kind);
}

/** What a template of the chart says before it is rendered: lines that are no YAML are left out. */
export function chartObjects(file: string): readonly JsonObject[] {
  const text = readFileSync(join(FOLDER, `../../helm/rwo-guard/templates/${file}.yaml`), 'utf8');
  const plain = text.replaceAll(/^\s*\{\{.*\}\}$/gm, '').replaceAll(/\{\{.*?\}\}/g, 'filled-in');
  return parseAllDocuments(plain).flatMap((document) => document.toJS() ?? []);
}

export function nameOf(object: JsonObject): string | undefined {
  return stringAt(objectAt(object, 'metadata'), 'name');
}

export function pathOf(file: string): string {
  return join(FOLDER, file);
}

function read(file: string): string {
  return readFileSync(pathOf(file), 'utf8');
}

function mapping(value: unknown): JsonObject {
  assert.ok(isObject(value), 'a manifest is a mapping');
  return value;
}

export function only<T>(list: readonly T[]): T {
  const [first, second] = list;
  assert.ok(first !== undefined && second === undefined, `exactly one was expected, not ${list.length}`);
  return first;
}
