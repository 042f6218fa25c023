import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { loadKubeConfig } from '../cluster/kube-config.ts';
import type { LiveLookupOptions } from '../cluster/live-lookup.ts';
import { type Config, readConfig } from '../config.ts';
import { createLog, LinesOfTurn } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import type { ClientAuthentication } from '../server/tls.ts';
import { isExpected, UsageError } from '../usage-error.ts';
import { addressFrom } from './address.ts';
import { auditOf } from './audit.ts';
import { certificateState, clusterCertificates, localCertificates } from './certificates.ts';
import type { ClusterOptions, Surroundings } from './command.ts';
import { clusterOfFiles, watchedCluster } from './judged-cluster.ts';
import { buildWebhook, type Sources } from './webhook.ts';

export interface ServeOptions extends ClusterOptions {
  readonly listen?: string;
  readonly metricsListen?: string;
  readonly config?: string;
  /** Takes the cluster's state from files, and keeps the certificates in memory. */
  readonly snapshot?: string;
  /** The file that receives what a client has to trust. */
  readonly caOut?: string;
}

/** How long it takes until every kube-proxy and load balancer has taken a pod that is going out of the Service. */
const ENDPOINT_REMOVAL_SECONDS = 10;

/**
 * Serves reviews until it is asked to stop, and then until the last one is answered. It prints nothing but lines of the log,
 * also of why it cannot serve; Node itself has the last word where it ends by a bug.
 */
export async function serve(options: ServeOptions, surroundings: Surroundings): Promise<number> {
  const { listen, metricsListen } = options;
  const { env, stderr } = surroundings;
  const lines = new LinesOfTurn(stderr);
  surroundings.beforeEnd(() => lines.flush());
  let log = createLog('info', lines);
  surroundings.listenToNode(
    (warning) => log.warn({ err: warning }, 'Node warns'),
    (error) => tellWhyNot(error, log),
  );
  try {
    const config = await readConfig({ file: options.config, flags: { listen, metricsListen }, env });
    log = createLog(config.logLevel, lines);
    await serveUntilStopped(options, config, surroundings, log);
    return 0;
  } catch (error) {
    tellWhyNot(error, log);
    return 2;
  }
}

/** A line for each thing that is wrong. */
function tellWhyNot(error: unknown, log: Logger): void {
  if (isExpected(error)) {
    for (const problem of error.message.split('\n')) log.error({ code: error.code, problem }, 'cannot serve');
  } else {
    log.error({ err: error instanceof Error ? error : new Error(String(error)) }, 'ended by a bug');
  }
}

async function serveUntilStopped(
  options: ServeOptions,
  config: Config,
  { version, stopRequested }: Surroundings,
  log: Logger,
): Promise<void> {
  const { snapshot, caOut } = options;
  const stop = stopRequested();
  const sources = await openSources(options, config, log, (source, result) => metrics.lookedUp(source, result));
  const { cluster, certificates } = sources;
  const audit = auditOf(cluster, config, log);
  const metrics = createMetrics({
    version,
    watches: cluster.stats,
    certificate: () => certificateState(certificates),
    namespaces: config.metricsNamespaces,
    ...(audit && { audit: () => audit.state() }),
  });
  const webhook = buildWebhook(sources, config, metrics, log);
  try {
    const metricsUrl = await webhook.reportHealth();
    if (!(await ready(sources, stop))) return;
    if (caOut !== undefined) await writeFile(caOut, certificates.current()?.authorities ?? '');
    const url = await webhook.answer();
    audit?.start();
    log.info({ url, listen: config.listen, metricsUrl, metricsListen: config.metricsListen }, 'ready');
    await aborted(stop);
    const graceSeconds = config.shutdownGraceSeconds ?? (snapshot === undefined ? ENDPOINT_REMOVAL_SECONDS : 0);
    await Promise.all([audit?.stop(), webhook.leave(graceSeconds)]);
  } finally {
    await webhook.close();
    await audit?.stop();
    await Promise.all([cluster.stop(), certificates.stop()]);
    log.info({}, 'stopped');
  }
}

async function openSources(
  { snapshot, kubeconfig, context }: ServeOptions,
  config: Config,
  log: Logger,
  counted: LiveLookupOptions['counted'],
): Promise<Sources> {
  const clientAuthentication = await clientAuthenticationFrom(config.clientAuthentication);
  if (snapshot !== undefined) {
    const cluster = await clusterOfFiles(snapshot, log);
    return {
      cluster,
      certificates: localCertificates(config, addressFrom(config.listen).host, log),
      clientAuthentication,
    };
  }
  const load = () => loadKubeConfig({ kubeconfig, context });
  return {
    certificates: clusterCertificates(config, load(), log),
    cluster: watchedCluster(load, counted, config.staleAfterSeconds, log),
    clientAuthentication,
  };
}

/** The time between looks, short beside the second in which a start is expected to be over. */
const POLL_MS = 20;

/** Whether there is all that an answer needs; `false` where we are to stop before that. */
async function ready({ cluster, certificates }: Sources, stop: AbortSignal): Promise<boolean> {
  while (!stop.aborted) {
    if (cluster.ready().ready && certificates.current() !== undefined) return true;
    await sleep(POLL_MS);
  }
  return false;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * Reads the authorities once: both installations roll a changed configuration out, files included. Rejects with UsageError
 * where the file holds none.
 */
async function clientAuthenticationFrom(
  setting: Config['clientAuthentication'],
): Promise<ClientAuthentication | undefined> {
  if (setting === undefined) return undefined;
  const { caFile, allowedNames } = setting;
  try {
    const authorities = await readFile(caFile, 'utf8');
    new X509Certificate(authorities); // takes the first of several, and throws where there is none
    return { authorities, allowedNames };
  } catch (cause) {
    throw new UsageError(`clientAuthentication.caFile ${caFile} must hold certificates in PEM`, { cause });
  }
}
