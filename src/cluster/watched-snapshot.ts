import { autoscalerFrom } from '../facts/autoscaler.ts';
import { ClusterState, LIST_OF_KIND, LISTS, type ListName } from '../facts/cluster-state.ts';
import { type Fact, known, unknown } from '../facts/fact.ts';
import type { Table } from '../facts/indexed-table.ts';
import type { JsonObject } from '../facts/json.ts';
import { isOwnedByWorkload } from '../facts/metadata.ts';
import { namespaceFrom } from '../facts/namespace.ts';
import { nodeFrom } from '../facts/node.ts';
import { claimFrom } from '../facts/persistent-volume-claim.ts';
import type { ClusterSnapshot } from '../facts/snapshot.ts';
import { csiDriverFrom, storageClassFrom } from '../facts/storage-class.ts';
import { volumeFrom } from '../facts/volume.ts';
import { concernsOthers, type Workload, type WorkloadKind } from '../facts/workload.ts';
import { workloadFrom } from '../facts/workload-from.ts';
import type { ApiConnection } from './connection.ts';
import { KeptOnce } from './kept-once.ts';
import type { Logger } from './logger.ts';
import { REFUSED_FOR_GOOD_MS, Reflector, type ReflectorState } from './reflector.ts';
import { realTime, type Time } from './time.ts';

export interface WatchedSnapshotOptions {
  readonly connection: ApiConnection;
  readonly log: Logger;
  readonly time?: Time;
  /** Told of every object that was set or deleted, by its key in that list, after the change. */
  readonly onChange?: (list: ListName, key: string) => void;
}

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly because: string };

/** One list's numbers for `rwo_guard_watch_*`. */
export interface ListStats extends ReflectorState {
  readonly list: ListName;
  /** Since the last list, event or bookmark; `undefined` before the first. */
  readonly lastEventAgeSeconds: number | undefined;
}

type AnyReflector = Pick<Reflector<unknown>, 'start' | 'stop' | 'state' | 'synced' | 'problem' | 'refusedSince'>;

/** The cluster's state, kept up to date by one reflector for each list. */
export class WatchedSnapshot {
  /** Unknown, list by list, until it has been listed and while it may not be. */
  readonly snapshot: ClusterSnapshot;
  readonly #reflectors: Readonly<Record<ListName, AnyReflector>>;
  readonly #time: Time;

  constructor({ connection, log, time = realTime, onChange }: WatchedSnapshotOptions) {
    const state = new ClusterState((list) => this.#available(list));
    const { tables } = state;
    const once = new KeptOnce();
    const reflector = <T>(list: ListName, table: Table<T>, read: (object: JsonObject) => T | undefined) =>
      new Reflector({
        list,
        table,
        read,
        connection,
        log,
        time,
        onChange: onChange && ((key: string) => onChange(list, key)),
      });
    const workloads = (kind: WorkloadKind) => {
      const list = LIST_OF_KIND[kind];
      return reflector(list, tables[list], (object) => topLevelWorkload(workloadFrom(kind, object), once));
    };
    this.snapshot = state;
    this.#time = time;
    this.#reflectors = {
      nodes: reflector('nodes', tables.nodes, nodeFrom),
      persistentvolumeclaims: reflector('persistentvolumeclaims', tables.persistentvolumeclaims, (object) =>
        once.claim(claimFrom(object)),
      ),
      persistentvolumes: reflector('persistentvolumes', tables.persistentvolumes, (object) =>
        once.volume(volumeFrom(object)),
      ),
      storageclasses: reflector('storageclasses', tables.storageclasses, storageClassFrom),
      csidrivers: reflector('csidrivers', tables.csidrivers, csiDriverFrom),
      namespaces: reflector('namespaces', tables.namespaces, namespaceFrom),
      deployments: workloads('Deployment'),
      statefulsets: workloads('StatefulSet'),
      daemonsets: workloads('DaemonSet'),
      replicasets: workloads('ReplicaSet'),
      jobs: workloads('Job'),
      cronjobs: workloads('CronJob'),
      horizontalpodautoscalers: reflector('horizontalpodautoscalers', tables.horizontalpodautoscalers, autoscalerFrom),
    };
  }

  start(): void {
    for (const list of LISTS) this.#reflectors[list].start();
  }

  /** For good; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    await Promise.all(LISTS.map((list) => this.#reflectors[list].stop()));
  }

  /** Ready when every list has been read, or has been refused for so long that waiting is of no use. */
  ready(): Readiness {
    const waiting = LISTS.filter((list) => !this.#reflectors[list].synced && !this.#refusedForGood(list));
    if (waiting.length === 0) return { ready: true };
    return { ready: false, because: `not listed yet: ${waiting.map((list) => this.#waitingFor(list)).join(', ')}` };
  }

  stats(): readonly ListStats[] {
    const now = this.#time.now();
    return LISTS.map((list) => {
      const state = this.#reflectors[list].state();
      const { lastEventAt } = state;
      return {
        ...state,
        list,
        lastEventAgeSeconds: lastEventAt === undefined ? undefined : (now - lastEventAt) / 1000,
      };
    });
  }

  /**
   * An API server that is just starting refuses everybody for a moment, so a list that was read stays in force until the
   * refusal has lasted.
   */
  #available(list: ListName): Fact<true> {
    const { synced, refusedSince } = this.#reflectors[list];
    if (synced && (refusedSince === undefined || !this.#refusedForGood(list))) return AVAILABLE;
    if (refusedSince !== undefined) return unknown(`${list} cannot be listed: permission missing (list, watch)`);
    return unknown(`${list} have not been listed yet`);
  }

  #waitingFor(list: ListName): string {
    const { problem } = this.#reflectors[list];
    return problem === undefined ? list : `${list} (${problem.message})`;
  }

  #refusedForGood(list: ListName): boolean {
    const { refusedSince } = this.#reflectors[list];
    return refusedSince !== undefined && this.#time.now() - refusedSince >= REFUSED_FOR_GOOD_MS;
  }
}

const AVAILABLE = known<true>(true);

/** Many belong to another one, or have ended; nobody asks for them. */
function topLevelWorkload(workload: Workload, once: KeptOnce): Workload | undefined {
  if (!concernsOthers(workload) || isOwnedByWorkload(workload.metadata)) return undefined;
  return once.workload(workload);
}
