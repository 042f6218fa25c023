import { type Fact, known, unknown } from '../objects/fact.ts';
import { autoscalerFrom } from '../objects/horizontal-pod-autoscaler.ts';
import type { JsonObject } from '../objects/json.ts';
import { namespaceFrom } from '../objects/namespace.ts';
import { nodeFrom } from '../objects/node.ts';
import { volumeFrom } from '../objects/persistent-volume.ts';
import { claimFrom } from '../objects/persistent-volume-claim.ts';
import { workloadFrom } from '../objects/read-workload.ts';
import { runtimeClassFrom } from '../objects/runtime-class.ts';
import { csiDriverFrom, storageClassFrom } from '../objects/storage-class.ts';
import { concernsOthers, type Workload, type WorkloadKind } from '../objects/workload.ts';
import { ClusterState, LIST_OF_KIND, LISTS, type ListName } from '../snapshot/cluster-state.ts';
import type { Table } from '../snapshot/indexed-table.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { ApiConnection } from './connection.ts';
import { KeptOnce } from './kept-once.ts';
import type { Logger } from './logger.ts';
import { REFUSED_FOR_GOOD_MS, Reflector, type ReflectorState } from './reflector.ts';
import { realTime, type Time } from './time.ts';

export interface WatchedSnapshotOptions {
  readonly connection: ApiConnection;
  readonly log: Logger;
  readonly time?: Time;
  /** After how many milliseconds without a word a list is stale. */
  readonly staleAfterMs?: number;
  /** Told of every object that was set or deleted, by its key in that list, after the change. */
  readonly onChange?: (list: ListName, key: string) => void;
}

export type Readiness =
  /** `but` says what else there is to know. */
  { readonly ready: true; readonly but?: string } | { readonly ready: false; readonly because: string };

/** Bookmarks come every minute, and where none come a silent watch is taken up again every minute and a half. */
export const STALE_AFTER_MS = 120_000;

/** One list's numbers for `rwo_guard_watch_*`. */
export interface ListStats extends ReflectorState {
  readonly list: ListName;
  /** Seconds since the last list, event or bookmark; `undefined` before the first. */
  readonly lastEventAgeSeconds: number | undefined;
  /** Whether nothing was heard for too long to go by what the list holds. */
  readonly stale: boolean;
}

type AnyReflector = Pick<
  Reflector<unknown>,
  'start' | 'stop' | 'state' | 'synced' | 'problem' | 'refusedSince' | 'staleForMs'
>;

/** The cluster's state, kept up to date by one reflector for each list. */
export class WatchedSnapshot {
  /** The state as far as it is known: each list is unknown until it has been listed, and while it may not be. */
  readonly snapshot: ClusterSnapshot;
  readonly #reflectors: Readonly<Record<ListName, AnyReflector>>;
  readonly #time: Time;

  constructor({ connection, log, time = realTime, staleAfterMs = STALE_AFTER_MS, onChange }: WatchedSnapshotOptions) {
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
        staleAfterMs,
        onChange: onChange && ((key: string) => onChange(list, key)),
      });
    const workloads = (kind: WorkloadKind) => {
      const list = LIST_OF_KIND[kind];
      return reflector(list, tables[list], (object) => workloadOfConcern(workloadFrom(kind, object), once));
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
      runtimeclasses: reflector('runtimeclasses', tables.runtimeclasses, runtimeClassFrom),
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

  /** Stops for good; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    await Promise.all(LISTS.map((list) => this.#reflectors[list].stop()));
  }

  /**
   * Ready when every list has been read, or has been refused for so long that waiting is of no use. Stale lists are named, and
   * change nothing: all replicas have them together, and none of them would be left to warn.
   */
  ready(): Readiness {
    const waiting = LISTS.filter((list) => !this.#reflectors[list].synced && !this.#refusedForGood(list));
    if (waiting.length === 0) return this.#readyBut();
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
        stale: this.#staleSeconds(list) !== undefined,
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

  /**
   * Seconds for which nothing has been heard of the cluster, where that is too long to go by; `undefined` where all is
   * current. One silent list is enough: nearly every answer is made from all of them, and their watches, which end at
   * the same API server, fall silent together. One that may not be read is unknown anyhow.
   */
  staleFor(): number | undefined {
    let longest: number | undefined;
    for (const list of LISTS) {
      const seconds = this.#staleSeconds(list);
      if (seconds !== undefined && (longest === undefined || seconds > longest)) longest = seconds;
    }
    return longest;
  }

  #staleSeconds(list: ListName): number | undefined {
    const { staleForMs } = this.#reflectors[list];
    return staleForMs === undefined || this.#refusedForGood(list) ? undefined : staleForMs / 1000;
  }

  #readyBut(): Readiness {
    const stale = LISTS.flatMap((list) => {
      const seconds = this.#staleSeconds(list);
      return seconds === undefined ? [] : [`${list} (${Math.floor(seconds)} s)`];
    });
    if (stale.length === 0) return { ready: true };
    return { ready: true, but: `stale, so that findings warn and do not deny: ${stale.join(', ')}` };
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

/** The workload, if it concerns others: many run no pods any more, and nobody asks for them. */
function workloadOfConcern(workload: Workload, once: KeptOnce): Workload | undefined {
  return concernsOthers(workload) ? once.workload(workload) : undefined;
}
