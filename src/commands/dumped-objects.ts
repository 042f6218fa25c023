import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UnreadableAnswerError } from '../cluster/api-error.ts';
import { readItems } from '../cluster/list-pages.ts';
import type { ScannedKind } from '../cluster/listed-cluster.ts';
import { known, unknown } from '../objects/fact.ts';
import { type JsonObject, objectAt, stringAt, UnreadableObjectError } from '../objects/json.ts';
import { ALL_KINDS, KINDS, kindOf } from '../objects/kinds.ts';
import type { ReportedUnreadable } from '../report/report.ts';
import { LEFT_OPEN, type ScannedList, type ScannedObjects } from '../scan/scanned-cluster.ts';
import { UsageError } from '../usage-error.ts';
import { type FileLine, readManifests } from '../yaml/read-manifests.ts';
import type { Beside } from './scanned-objects.ts';
import { TakenObjects } from './taken-objects.ts';

/** A cluster that was written down, and when. */
export interface Dump extends ScannedObjects {
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Takes a cluster from what was written down of it. Rejects with UsageError where there is nothing to read. */
export async function dumpedObjects(path: string, beside?: Beside): Promise<Dump> {
  const file = await open(path).catch((cause: unknown) => {
    throw new UsageError(`--from ${path} cannot be read: give a file or a folder that kubectl get wrote`, { cause });
  });
  try {
    const stats = await file.stat();
    const list = stats.isFile() ? await listIn(path, file, beside) : undefined;
    return { ...(list ?? (await anythingIn(path, beside))).scanned(path), writtenAt: stats.mtimeMs };
  } finally {
    await file.close();
  }
}

/** A List as kubectl writes it in JSON: object by object, for a large cluster as one text may not fit. Nothing where it is none. */
async function listIn(path: string, file: FileHandle, beside: Beside | undefined): Promise<DumpReader | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, 0);
  if (bytesRead === 0 || buffer.toString() !== '{') return undefined;
  const reader = new DumpReader(beside);
  try {
    const { kind } = await readItems(createReadStream(path), (object) => reader.take(object, { file: path, line: 1 }));
    return kind === 'List' ? reader : undefined;
  } catch (error) {
    if (error instanceof UnreadableAnswerError) return undefined; // and why is told by whoever reads it next
    throw error;
  }
}

async function anythingIn(path: string, beside: Beside | undefined): Promise<DumpReader> {
  beside?.forget();
  const { manifests, unreadable } = await readManifests(path);
  const reader = new DumpReader(beside, unreadable);
  for (const manifest of manifests) reader.take(manifest.object, manifest);
  return reader;
}

/** Without which a dump says nothing of claims and pods; of the others, none is an answer. */
const EXPECTED: readonly ScannedKind[] = [
  ...(['Node', 'PersistentVolume', 'StorageClass', 'CSIDriver', 'Namespace', 'Pod', 'VolumeAttachment'] as const),
];

class DumpReader {
  readonly #seen = new Set<ScannedKind>();
  readonly #unreadable: ReportedUnreadable[];
  readonly #beside: Beside | undefined;
  readonly #taken = new TakenObjects((list) =>
    this.#missing().some((one) => one === list) ? unknown(`${list} are not in the dump`) : known(true),
  );

  constructor(beside: Beside | undefined, unreadable: readonly ReportedUnreadable[] = []) {
    this.#beside = beside;
    this.#unreadable = [...unreadable];
  }

  /** Where it stands is asked for only if it cannot be read, for to find that out takes a while. */
  take(object: JsonObject, at: FileLine): void {
    const kind = scannedKindOf(object);
    if (kind !== undefined) this.#seen.add(kind);
    try {
      const named = kind === undefined ? object : withNamespace(kind, object);
      if (kind !== undefined) this.#taken.take(kind, named);
      this.#beside?.take(named);
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      this.#unreadable.push({ file: at.file, line: at.line, because: `${kind ?? object.kind}: ${error.message}` });
    }
  }

  scanned(path: string): ScannedObjects {
    if (!ALL_KINDS.some((kind) => this.#seen.has(kind)) && this.#unreadable.length === 0)
      throw new UsageError(`--from ${path} holds no objects of a cluster: write it by ${KUBECTL_GET} > ${path}`);
    const unseen = this.#missing().map((list) => ({ list, because: 'none in the dump', leavesOpen: LEFT_OPEN[list] }));
    const { state, pods } = this.#taken;
    return { state, pods: this.#seen.has('Pod') ? pods : undefined, unseen, unreadable: this.#unreadable };
  }

  #missing(): readonly ScannedList[] {
    return EXPECTED.filter((kind) => !this.#seen.has(kind)).map(listOf);
  }
}

function scannedKindOf(object: JsonObject): ScannedKind | undefined {
  if (object.kind === 'Pod' && object.apiVersion === 'v1') return 'Pod';
  if (object.kind === 'VolumeAttachment') return 'VolumeAttachment';
  return kindOf(object);
}

function listOf(kind: ScannedKind): ScannedList {
  if (kind === 'Pod') return 'pods';
  return kind === 'VolumeAttachment' ? 'volumeattachments' : KINDS[kind].list;
}

/** Where kubectl would put an object that names no namespace. */
function withNamespace(kind: ScannedKind, object: JsonObject): JsonObject {
  if (kind === 'VolumeAttachment' || (kind !== 'Pod' && !KINDS[kind].namespaced)) return object;
  const metadata = objectAt(object, 'metadata');
  return stringAt(metadata, 'namespace') ? object : { ...object, metadata: { ...metadata, namespace: 'default' } };
}

const KUBECTL_GET = `kubectl get ${[...ALL_KINDS, ...(['Pod', 'VolumeAttachment'] as const)].map(listOf).join(',')} -A -o json`;
