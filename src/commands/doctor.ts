import { CertificatesError, certificateStatus, kubernetesApi } from '../../certs/index.ts';
import { reviewRights } from '../cluster/access-reviews.ts';
import { ApiError, problemOf } from '../cluster/api-error.ts';
import { readCallCounts } from '../cluster/call-counts.ts';
import { KubeConnection } from '../cluster/connection.ts';
import { loadKubeConfig } from '../cluster/kube-config.ts';
import { ownIdentity, probeEntries } from '../cluster/probe-entries.ts';
import {
  readClusterVersion,
  readConfiguration,
  readDeployment,
  readNamespaces,
  readService,
  readSettingsTexts,
} from '../cluster/read-installation.ts';
import { seen } from '../cluster/seen.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { diagnose } from '../doctor/diagnosis.ts';
import type { Calls, Installation } from '../doctor/installation.ts';
import { notJudgedAs, plannedProbes } from '../doctor/probe.ts';
import { neededRights } from '../doctor/rights.ts';
import { type Fact, known, unknown } from '../objects/fact.ts';
import { UsageError } from '../usage-error.ts';
import { certificatesOf } from './certificates.ts';
import type { ClusterOptions, Surroundings } from './command.ts';
import { DOCTOR_FORMATS } from './doctor-format.ts';

export interface DoctorOptions extends ClusterOptions {
  readonly format?: string;
  /** The namespace in which rwo-guard is installed. */
  readonly namespace?: string;
  /** What the server is configured by, where it is not the ConfigMap of its Deployment. */
  readonly config?: string;
}

/** For all of it: a dry run waits for up to three webhooks, and thousands of namespaces are a dozen pages. */
const WITHIN_MS = 120_000;

/**
 * Looks at the installation, writes nothing, and prints what is in order and what is not. 0 where nothing is wrong, 1 where
 * something is; rejects where there is no API server to ask.
 */
export async function doctor(options: DoctorOptions, surroundings: Surroundings): Promise<number> {
  const { format = 'text', kubeconfig, context } = options;
  const print = DOCTOR_FORMATS.get(format);
  if (print === undefined)
    throw new UsageError(`--format must be ${[...DOCTOR_FORMATS.keys()].join(' or ')}, not ${format}`);
  const connection = new KubeConnection({ load: () => loadKubeConfig({ kubeconfig, context }) });
  const signal = AbortSignal.timeout(WITHIN_MS);
  try {
    const diagnosis = diagnose(await readInstallation(connection, options, surroundings, signal));
    surroundings.stdout.write(print(diagnosis));
    return diagnosis.counts.problem === 0 ? 0 : 1;
  } finally {
    await connection.close();
  }
}

async function readInstallation(
  connection: KubeConnection,
  options: DoctorOptions,
  { env, version }: Surroundings,
  signal: AbortSignal,
): Promise<Installation> {
  const namespace = options.namespace ?? (env.POD_NAMESPACE || 'rwo-guard');
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace))
    throw new UsageError(`--namespace must be the name of a namespace, not ${namespace}`);
  const clusterVersion = await reached(connection, signal);
  const deployment = await readDeployment(connection, namespace, signal);
  const configMap = deployment.known ? deployment.value?.configMap : undefined;
  const { config, from: settingsFrom } = await settingsOf({ ...options, namespace }, configMap, connection, signal);
  const account = {
    namespace,
    name: (deployment.known ? deployment.value?.serviceAccount : undefined) ?? 'rwo-guard',
  };
  const [service, namespaces, certificates, rights, configurations] = await Promise.all([
    readService(connection, config.service, signal),
    readNamespaces(connection, signal),
    readCertificates(config, options),
    reviewRights(connection, neededRights(config), account, signal),
    readConfigurations(connection, config, signal),
  ]);
  const calls = await readCalls(connection, { configurations, namespaces, settings: config }, signal);
  return {
    version,
    settings: config,
    settingsFrom,
    clusterVersion,
    deployment,
    service,
    configurations,
    namespaces,
    certificates,
    rights,
    calls,
  };
}

/** Whatever answers in Kubernetes' way is there; whoever is not known to it, or reaches nothing, is told so. */
async function reached(connection: KubeConnection, signal: AbortSignal): Promise<Fact<string>> {
  try {
    return known(await readClusterVersion(connection, signal));
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401)
      return unknown(`the version of the API server could not be read (${error.code})`);
    const { message } = problemOf(error);
    throw new UsageError(`the API server cannot be asked: ${message}`, { cause: error });
  }
}

interface SettingsRead {
  readonly config: Config;
  readonly from: Fact<string>;
}

async function settingsOf(
  { namespace, config: file }: DoctorOptions & { readonly namespace: string },
  configMap: string | undefined,
  connection: KubeConnection,
  signal: AbortSignal,
): Promise<SettingsRead> {
  const read = async (sources: Pick<Parameters<typeof readConfig>[0], 'file' | 'texts'>): Promise<Config> => {
    const config = await readConfig({ ...sources, flags: {}, env: {} });
    return { ...config, service: { ...config.service, namespace } };
  };
  if (file !== undefined) return { config: await read({ file }), from: known(file) };
  const assumed = async (because: string) => ({ config: await read({}), from: unknown(because) });
  if (configMap === undefined) return assumed('no ConfigMap of a Deployment names them');
  const texts = await readSettingsTexts(connection, namespace, configMap, signal);
  if (!texts.known) return assumed(texts.because);
  try {
    return { config: await read({ texts: texts.value }), from: known(`ConfigMap ${namespace}/${configMap}`) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return assumed(`ConfigMap ${namespace}/${configMap} cannot be used: ${error.message}`);
  }
}

function readConfigurations(
  connection: KubeConnection,
  { webhookConfigurations }: Config,
  signal: AbortSignal,
): Promise<Installation['configurations']> {
  const names = [
    ...webhookConfigurations.validating.map((name) => ({ kind: 'ValidatingWebhookConfiguration', name }) as const),
    ...webhookConfigurations.mutating.map((name) => ({ kind: 'MutatingWebhookConfiguration', name }) as const),
  ];
  return Promise.all(names.map(async (one) => ({ ...one, found: await readConfiguration(connection, one, signal) })));
}

/** Mounted certificates are in the pods, where this does not run. */
async function readCertificates(config: Config, options: DoctorOptions): Promise<Installation['certificates']> {
  if (config.certificates.source === 'files') return unknown('the certificates are mounted into the pods');
  try {
    return known(await certificateStatus(certificatesOf(config, kubernetesApi(loadKubeConfig(options)))));
  } catch (error) {
    if (!(error instanceof CertificatesError)) throw error;
    return unknown(error.message);
  }
}

async function readCalls(
  connection: KubeConnection,
  read: Pick<Installation, 'configurations' | 'namespaces' | 'settings'>,
  signal: AbortSignal,
): Promise<Calls> {
  const before = await readCallCounts(connection, signal);
  const self = await seen('who asks', () => ownIdentity(connection, signal));
  const because = self.known ? notJudgedAs(self.value, read.settings.exemptUsers) : undefined;
  const planned = plannedProbes(read);
  const probes =
    because === undefined
      ? await probeEntries(connection, planned, signal)
      : [...planned.keys()].map((entry) => ({ entry, outcome: { type: 'unclear', because } as const }));
  return { probes, before, after: before.known ? await readCallCounts(connection, signal) : before };
}
