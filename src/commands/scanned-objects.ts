import { KubeConnection } from '../cluster/connection.ts';
import { loadKubeConfig } from '../cluster/kube-config.ts';
import {
  type Listing,
  listKinds,
  type NotListed,
  type ScannedKind,
  type UnreadableListed,
} from '../cluster/listed-cluster.ts';
import { realTime } from '../cluster/time.ts';
import { known, unknown } from '../objects/fact.ts';
import type { JsonObject } from '../objects/json.ts';
import { ALL_KINDS, KINDS, WORKLOAD_KINDS } from '../objects/kinds.ts';
import type { Unseen } from '../report/scan-report.ts';
import { LEFT_OPEN, type ScannedObjects } from '../scan/scanned-cluster.ts';
import { UsageError } from '../usage-error.ts';
import type { ClusterOptions } from './command.ts';
import { TakenObjects } from './taken-objects.ts';

export interface Live extends ClusterOptions {
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the number of objects that were read. */
  readonly progress: (objects: number) => void;
  readonly beside?: Beside;
}

/** Whoever takes something of the same objects that a scan has no use for. */
export interface Beside {
  readonly take: (object: JsonObject) => void;
  /** What came so far of a kind, or of all of them, will come once more. */
  readonly forget: (kind?: ScannedKind) => void;
}

/** Reads a live cluster with the caller's own rights. Rejects where it cannot be reached, or shows no workloads at all. */
export async function liveObjects({ namespace, signal, progress, beside, ...choice }: Live): Promise<ScannedObjects> {
  const connection = new KubeConnection({ load: () => loadKubeConfig(choice) });
  const refused = new Map<string, string>();
  const taken = new TakenObjects((list) => {
    const because = refused.get(list);
    return because === undefined ? known(true) : unknown(`${list} cannot be read: ${because}`);
  });
  const listing: Listing = {
    ...{ connection, namespace, signal, time: realTime },
    take(kind, object) {
      if (kind === 'VolumeAttachment') taken.takeAwaited(object);
      else taken.take(kind, object);
      beside?.take({ ...object, kind });
      progress(taken.count);
    },
    forget(kind) {
      if (kind === 'Pod') taken.pods.forget();
      beside?.forget(kind);
    },
  };
  const unseen: Unseen[] = [];
  const read = async (...kinds: readonly ScannedKind[]): Promise<void> => {
    const { missing, unreadable } = await listKinds(kinds, listing);
    for (const { list, because, isInNamespace } of missing) if (!isInNamespace) refused.set(list, because);
    unseen.push(...missing.map((one) => unseenOf(one, namespace)), ...unreadable.map(unseenObject));
  };
  try {
    await read(...ALL_KINDS);
    if (WORKLOAD_KINDS.every((kind) => refused.has(KINDS[kind].list))) throw nothingToJudge(namespace);
    await read('Pod');
    const { state, pods } = taken;
    if (pods.starting().length > 0) await read('VolumeAttachment');
    return { state, pods: refused.has('pods') ? undefined : pods, unseen, unreadable: [] };
  } finally {
    await connection.close();
  }
}

function nothingToJudge(namespace: string | undefined): UsageError {
  const lists = WORKLOAD_KINDS.map((kind) => KINDS[kind].list).join(', ');
  const remedy =
    namespace === undefined ? 'name by -n a namespace where they may be' : `ask for the role view in ${namespace}`;
  return new UsageError(`none of ${lists} may be listed: ${remedy}`);
}

function unseenOf({ list, because, isInNamespace }: NotListed, namespace: string | undefined): Unseen {
  if (!isInNamespace) return { list, because, leavesOpen: LEFT_OPEN[list] };
  return { list, because: `${because} outside ${namespace}`, leavesOpen: 'what other namespaces do to this one' };
}

function unseenObject({ kind, name, because }: UnreadableListed): Unseen {
  return { list: `${kind} ${name}`, because, leavesOpen: 'what becomes of it, and what it does to others' };
}
