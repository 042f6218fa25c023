import type { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import type { AdmissionDeps } from '../admission/context.ts';
import { KubeConnection } from '../cluster/connection.ts';
import { type LiveLookupOptions, liveLookup } from '../cluster/live-lookup.ts';
import { type ListStats, type Readiness, WatchedSnapshot } from '../cluster/watched-snapshot.ts';
import { fileSnapshot } from '../offline/file-snapshot.ts';
import { UsageError } from './command.ts';

/** The cluster that reviews are judged by. */
export interface JudgedCluster extends Pick<AdmissionDeps, 'snapshot' | 'lookUp'> {
  readonly ready: () => Readiness;
  readonly stats: () => readonly ListStats[];
  /** Resolves when nothing of it runs any more. */
  readonly stop: () => Promise<void>;
}

/** Watches the cluster of a kubeconfig, and asks it for what the watches miss. */
export function watchedCluster(
  load: () => KubeConfig,
  counted: LiveLookupOptions['counted'],
  log: Logger,
): JudgedCluster {
  const connection = new KubeConnection({ load });
  const watched = new WatchedSnapshot({ connection, log });
  watched.start();
  return {
    snapshot: watched.snapshot,
    lookUp: liveLookup({ connection, counted }),
    ready: () => watched.ready(),
    stats: () => watched.stats(),
    async stop() {
      await watched.stop();
      await connection.close();
    },
  };
}

/** Reads the cluster's state from files, once; there is nobody to ask for what they do not hold. */
export async function writtenCluster(path: string, log: Logger): Promise<JudgedCluster> {
  const { snapshot, objects, unreadable } = await fileSnapshot(path).catch((cause: unknown) => {
    throw new UsageError(`--snapshot ${path} cannot be read: give a file or a folder with manifests`, { cause });
  });
  for (const problem of unreadable) log.warn({ ...problem }, 'left out of the snapshot');
  log.info({ path, objects, unreadable: unreadable.length }, 'snapshot read');
  return {
    snapshot,
    lookUp: async () => [],
    ready: () => ({ ready: true }),
    stats: () => [],
    stop: async () => {},
  };
}
