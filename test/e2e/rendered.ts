import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { isObject, type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';
import { programs } from '../control-plane/build.ts';
import { type HelmVersion, helm } from '../helm/helm.ts';
import { type Release, THIS_RELEASE } from './release.ts';

/** What people switch on, by the name of the kustomize component, with the values that do the same to the chart. */
export const COMPONENTS = {
  'cert-manager': { certificates: { source: 'cert-manager' } },
  enforce: { config: { defaultMode: 'enforce' } },
  'fail-closed': { failurePolicy: 'Fail' },
  'grafana-dashboard': { grafanaDashboard: { enabled: true } },
  guards: { guards: { enabled: true } },
  'network-policy': { networkPolicy: { enabled: true } },
  'port-10250': { ports: { webhook: 10250, metrics: 8080 } },
  'prometheus-rule': { prometheusRule: { enabled: true } },
  'service-monitor': { serviceMonitor: { enabled: true } },
  // Beside guards, and after it.
  'unfenced-force-delete': { guards: { enabled: true, unfencedForceDelete: true } },
} as const;
export type Component = keyof typeof COMPONENTS;

/** What the kustomization calls the image; the chart has no name of its own for it. */
const IMAGE = { image: { repository: 'rwo-guard' } };

/** What is installed, in the words of both ways to install. */
export interface Installation {
  readonly namespace: string;
  readonly components: readonly Component[];
  /** That of this checkout when not given. */
  readonly release?: Release;
}

/** A temporary folder by the name that everything else calls it too: kustomize compares paths as text. */
export async function scratchFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(await realpath(tmpdir()), 'rwo-guard-'));
  return { path, remove: () => rm(path, { recursive: true }) };
}

/** A kustomization of the installation in this folder; gives the folder to name after `-k`. */
export async function overlayIn(folder: string, installation: Installation): Promise<string> {
  const { namespace, components, release: { kustomization } = THIS_RELEASE } = installation;
  const top = join(folder, 'overlay');
  const base = join(folder, 'base');
  const pathsOf = (some: readonly Component[], from: string) =>
    some.map((name) => relative(from, join(kustomization, '../components', name)));
  await writeKustomization(base, {
    namespace,
    resources: [relative(base, kustomization)],
    components: pathsOf(
      components.filter((name) => name !== 'cert-manager'),
      base,
    ),
  });
  // cert-manager's names hold the namespace, so it comes after the namespace is settled.
  await writeKustomization(top, {
    resources: ['../base'],
    components: pathsOf(
      components.filter((name) => name === 'cert-manager'),
      top,
    ),
  });
  return top;
}

/** What `manifests/api-server` says, for certificates in this folder; gives the file to start the API server with. */
export async function admissionConfigurationIn(folder: string): Promise<string> {
  const from = join(import.meta.dirname, '../../manifests/api-server');
  for (const name of ['admission.yaml', 'webhooks.kubeconfig']) {
    const text = await readFile(join(from, name), 'utf8');
    await writeFile(join(folder, name), text.replaceAll('/etc/kubernetes/rwo-guard', folder));
  }
  return join(folder, 'admission.yaml');
}

async function writeKustomization(folder: string, content: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(content));
}

/** The same in a file of values; gives its path. */
export async function valuesIn(folder: string, { components }: Installation): Promise<string> {
  const file = join(folder, 'values.yaml');
  await writeFile(file, JSON.stringify(Object.assign({}, IMAGE, ...components.map((name) => COMPONENTS[name]))));
  return file;
}

export async function kustomized(folder: string, installation: Installation): Promise<readonly JsonObject[]> {
  const { kubectl } = (await programs(['kubectl'])).path;
  return objectsIn((await promisify(execFile)(kubectl, ['kustomize', await overlayIn(folder, installation)])).stdout);
}

export async function templated(
  version: HelmVersion,
  folder: string,
  installation: Installation,
): Promise<readonly JsonObject[]> {
  const values = await valuesIn(folder, installation);
  const { namespace, release: { chart } = THIS_RELEASE } = installation;
  const args = ['template', 'guard', chart, '--namespace', namespace, '--values', values];
  return objectsIn(await helm(version, args, { home: folder }));
}

function objectsIn(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter((object) => object !== null)
    .map(mapping);
}

/** By kind and name, without what only says who installed it: then both ways have to say the same. */
export function comparable(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const named = objects.map(withoutItsOrigin).map((object) => [keyOf(object), object] as const);
  assert.equal(new Set(named.map(([key]) => key)).size, objects.length, 'every object is there once');
  return new Map(named.toSorted(([one], [other]) => one.localeCompare(other)));
}

function keyOf(object: JsonObject): string {
  return `${stringAt(object, 'kind')} ${stringAt(objectAt(object, 'metadata'), 'name')}`;
}

/** Kustomize puts a hash of the settings into the name of their ConfigMap, Helm into an annotation of the pods. */
function withoutItsOrigin(object: JsonObject): JsonObject {
  const text = JSON.stringify(object, (key, value: unknown) => (ORIGIN.test(key) ? undefined : value))
    .replaceAll(/"rwo-guard-config-[a-z0-9]{10}"/g, '"rwo-guard-config"')
    .replaceAll(/"annotations":\{\},|,"annotations":\{\}/g, '');
  const found = mapping(JSON.parse(text));
  return found.kind === 'ConfigMap' ? { ...found, data: settingsOf(objectAt(found, 'data') ?? {}) } : found;
}

const ORIGIN = /^(app\.kubernetes\.io\/(instance|version|managed-by)|helm\.sh\/chart|checksum\/config)$/;

/** What the server makes of the files of a ConfigMap. */
function settingsOf(files: JsonObject): JsonObject {
  const names = Object.keys(files).sort();
  return Object.assign({}, ...names.map((name) => mapping(parse(stringAt(files, name) ?? ''))));
}

function mapping(value: unknown): JsonObject {
  assert.ok(isObject(value), `not a mapping: ${JSON.stringify(value)}`);
  return value;
}
