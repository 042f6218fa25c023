import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CertificateSource } from '../../certs/index.ts';
import type { Admission } from '../admission/admission.ts';
import { createAdmission } from '../admission/admit.ts';
import { RecentRequests } from '../cluster/recent-requests.ts';
import type { Config } from '../config.ts';
import { storageMatrix } from '../facts/storage-backend.ts';
import type { Metrics } from '../metrics.ts';
import { rules } from '../rules/index.ts';
import { closerOf } from '../server/closing.ts';
import { buildHealthServer, type Condition } from '../server/health.ts';
import { buildServer } from '../server/server.ts';
import type { ClientAuthentication } from '../server/tls.ts';
import { addressFrom, listenAt } from './address.ts';
import type { JudgedCluster } from './judged-cluster.ts';

/** What answers are made from. */
export interface Sources {
  readonly cluster: JudgedCluster;
  readonly certificates: CertificateSource;
  readonly clientAuthentication: ClientAuthentication | undefined;
}

/** Both ports of a running server, in the order in which they are used. */
export interface Webhook {
  /** Opens the plain port; gives its URL. */
  reportHealth(): Promise<string>;
  /** Opens the port for reviews; gives its URL. */
  answer(): Promise<string>;
  /** Reports not to be ready any more, and goes on answering for a while. */
  leave(graceSeconds: number): Promise<void>;
  /** Answers what is under way and ends. */
  close(): Promise<void>;
}

/**
 * After this much longer than the grace a client that holds its connection open without sending anything is cut off. The
 * longest answer takes less (`timeoutSeconds: 3`), and both together stay below `terminationGracePeriodSeconds: 20`.
 */
const CLOSING_MS = 5_000;

export function buildWebhook(
  { cluster, certificates, clientAuthentication }: Sources,
  config: Config,
  metrics: Metrics,
  log: Logger,
): Webhook {
  const leaving = new AbortController();
  const app = buildServer({
    admission: admissionOver(cluster, config),
    certificates,
    clientAuthentication,
    log,
    observe: metrics.observe,
    unanswered: metrics.unanswered,
    cutOff: metrics.cutOff,
    leaving: leaving.signal,
  });
  const closeApp = closerOf(app);
  const serving = (): Condition =>
    app.server.listening && !leaving.signal.aborted
      ? { name: 'serving', ready: true }
      : { name: 'serving', ready: false, because: leaving.signal.aborted ? 'stopping' : 'starting' };
  const health = buildHealthServer({
    conditions: () => [
      { name: 'cluster-state', ...cluster.ready() },
      { name: 'certificate', ...certificates.ready() },
      serving(),
    ],
    metrics: metrics.exposition,
    log,
  });
  return {
    async reportHealth() {
      return `http://${await listenAt(health, addressFrom(config.metricsListen), '--metrics-listen')}`;
    },
    async answer() {
      await app.ready();
      return `https://${await listenAt(app.server, addressFrom(config.listen), '--listen')}`;
    },
    async leave(graceSeconds) {
      leaving.abort();
      log.info({ graceSeconds }, 'stopping');
      await sleep(graceSeconds * 1000);
    },
    async close() {
      await closeApp(CLOSING_MS);
      health.close();
      health.closeAllConnections();
    },
  };
}

function admissionOver({ snapshot, staleFor, lookUp, nodes }: JudgedCluster, config: Config): Admission {
  const {
    defaultMode,
    guards,
    dryRun,
    existing,
    exemptions,
    overBudget,
    exemptNamespaces,
    exemptUsers,
    autoscalerUsers,
    storage,
  } = config;
  return createAdmission({
    snapshot,
    ...(staleFor && { staleFor }),
    lookUp,
    guards: { ...guards, nodes },
    today: () => new Date().toISOString().slice(0, 10),
    rules,
    matrix: storageMatrix(storage),
    recent: new RecentRequests(() => performance.now()),
    settings: {
      defaultMode,
      policy: { dryRun, existing, exemptions, overBudget },
      exempt: { namespaces: exemptNamespaces, users: exemptUsers, autoscalers: autoscalerUsers },
    },
  });
}
