import type { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import type { AdmissionDeps } from '../admission/context.ts';
import { NOBODY_TO_ASK, type NodeReading } from '../admission/node-reading.ts';
import { type ApiWriter, KubeConnection } from '../cluster/connection.ts';
import { type LiveLookupOptions, liveLookup } from '../cluster/live-lookup.ts';
import { nodeReading } from '../cluster/node-reading.ts';
import {
  type ListStats,
  type Readiness,
  WatchedSnapshot,
  type WatchedSnapshotOptions,
} from '../cluster/watched-snapshot.ts';
import { fileSnapshot } from '../lint/file-snapshot.ts';
import type { ClusterTables } from '../snapshot/cluster-state.ts';
import { UsageError } from '../usage-error.ts';

/** The cluster that reviews are judged by. */
export interface JudgedCluster extends Pick<AdmissionDeps, 'snapshot' | 'lookUp' | 'staleFor'> {
  readonly nodes: NodeReading;
  readonly ready: () => Readiness;
  readonly stats: () => readonly ListStats[];
  /** What the audit has beside; absent where nothing ever changes. */
  readonly audited?: AuditedCluster;
  /** Resolves when nothing of it runs any more. */
  readonly stop: () => Promise<void>;
}

/** A cluster that changes, and may be written to. */
export interface AuditedCluster {
  readonly api: ApiWriter;
  readonly tables: ClusterTables;
  /** Whether all of it is heard of right now. */
  readonly hearsAll: () => boolean;
  /** The one who is told of every object that was set or deleted from now on. */
  readonly listen: (changed: Changed) => void;
}

type Changed = NonNullable<WatchedSnapshotOptions['onChange']>;

/**
 * A silent watch is taken up again after this share of the time that makes it stale (90 of 120 s): where the API server
 * answers it does not become so, and a list in which nothing happens never does.
 */
const SILENT_SHARE = 0.75;

/** Watches the cluster of a kubeconfig, and asks it for what the watches miss. */
export function watchedCluster(
  load: () => KubeConfig,
  counted: LiveLookupOptions['counted'],
  staleAfterSeconds: number,
  log: Logger,
): JudgedCluster {
  const staleAfterMs = staleAfterSeconds * 1000;
  const connection = new KubeConnection({ load, silentAfterMs: staleAfterMs * SILENT_SHARE });
  let listener: Changed | undefined;
  const onChange: Changed = (list, key) => listener?.(list, key);
  const watched = new WatchedSnapshot({ connection, log, staleAfterMs, onChange });
  watched.start();
  return {
    snapshot: watched.snapshot,
    staleFor: () => watched.staleFor(),
    lookUp: liveLookup({ connection, counted }),
    nodes: nodeReading({ connection, counted }),
    ready: () => watched.ready(),
    stats: () => watched.stats(),
    audited: {
      api: connection,
      tables: watched.tables,
      hearsAll: () => watched.hearsAll(),
      listen(changed) {
        listener = changed;
      },
    },
    async stop() {
      await watched.stop();
      await connection.close();
    },
  };
}

/** Reads the cluster's state from files, once; there is nobody to ask for what they do not hold. */
export async function clusterOfFiles(path: string, log: Logger): Promise<JudgedCluster> {
  const { snapshot, objects, unreadable } = await fileSnapshot(path).catch((cause: unknown) => {
    throw new UsageError(`--snapshot ${path} cannot be read: give a file or a folder with manifests`, { cause });
  });
  for (const problem of unreadable) log.warn({ ...problem }, 'left out of the snapshot');
  log.info({ path, objects, unreadable: unreadable.length }, 'snapshot read');
  return {
    snapshot,
    lookUp: async () => [],
    nodes: NOBODY_TO_ASK,
    ready: () => ({ ready: true }),
    stats: () => [],
    stop: async () => {},
  };
}
