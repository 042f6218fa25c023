import type { ConfigurationReading } from './ca-bundle.ts';
import type { CertificatesApi, WebhookConfiguration, WebhookConfigurationName } from './certificates-api.ts';
import { CertificatesError } from './certificates-error.ts';
import type { Logger } from './options.ts';

/**
 * Reads each on its own, so that one which is refused hides none of the others, and one after the other: their number is the
 * operator's choice, and that of connections to the API server must not be.
 */
export function readConfigurations(
  api: CertificatesApi,
  names: readonly WebhookConfigurationName[],
): Promise<readonly ConfigurationReading[]> {
  return inTurn(names, (name) => readConfiguration(api, name));
}

async function inTurn<T, U>(all: readonly T[], ask: (one: T) => Promise<U>): Promise<readonly U[]> {
  const answers: U[] = [];
  for (const one of all) answers.push(await ask(one));
  return answers;
}

/** How far the caBundle came: the readings as they are afterwards, and what stood in the way. */
export interface Injection {
  readonly readings: readonly ConfigurationReading[];
  /** Somebody changed a configuration after it was read, so it has to be read again first. */
  readonly lost: boolean;
  readonly failures: readonly CertificatesError[];
}

/** Sets caBundle in every entry of the configurations that exist, where it says something else, and nothing besides. */
export async function injectCaBundle(
  api: CertificatesApi,
  readings: readonly ConfigurationReading[],
  caBundle: string,
  log: Logger,
): Promise<Injection> {
  const injections = await inTurn(readings, (reading) => injectInto(api, reading, caBundle, log));
  return {
    readings: injections.flatMap((injection) => injection.readings),
    lost: injections.some((injection) => injection.lost),
    failures: injections.flatMap((injection) => injection.failures),
  };
}

async function readConfiguration(api: CertificatesApi, name: WebhookConfigurationName): Promise<ConfigurationReading> {
  try {
    return { known: true, configuration: await api.getConfiguration(name) };
  } catch (failure) {
    if (!(failure instanceof CertificatesError)) throw failure;
    return { known: false, failure };
  }
}

async function injectInto(
  api: CertificatesApi,
  reading: ConfigurationReading,
  caBundle: string,
  log: Logger,
): Promise<Injection> {
  const configuration = reading.known ? reading.configuration : undefined;
  if (configuration === undefined || configuration.entries.every((entry) => entry.caBundle === caBundle)) {
    return { readings: [reading], lost: false, failures: [] };
  }
  try {
    const write = await api.applyCaBundle(configuration, caBundle);
    if (write === 'lost') return { readings: [reading], lost: true, failures: [] };
    log.info({ kind: configuration.kind, name: configuration.name }, 'set caBundle in a webhook configuration');
    return {
      readings: [{ known: true, configuration: withCaBundle(configuration, caBundle) }],
      lost: false,
      failures: [],
    };
  } catch (failure) {
    if (!(failure instanceof CertificatesError)) throw failure;
    return { readings: [reading], lost: false, failures: [failure] };
  }
}

function withCaBundle(configuration: WebhookConfiguration, caBundle: string): WebhookConfiguration {
  return { ...configuration, entries: configuration.entries.map((entry) => ({ ...entry, caBundle })) };
}
