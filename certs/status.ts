import type { ConfigurationReading } from './ca-bundle.ts';
import { readConfigurations } from './ca-injection.ts';
import type { WebhookConfiguration, WebhookEntry } from './certificates-api.ts';
import type { FileOptions, SecretOptions } from './options.ts';
import { type StoredCertificates, storedInFiles, storedInSecret } from './stored-certificates.ts';
import { atServerTime, realWorld, type World } from './world.ts';
import { certificatesIn, fingerprintOf, verifies } from './x509.ts';

/** Where to look, and what for. Nothing is written. */
export type StatusOptions = SecretStatusOptions | FileStatusOptions;

type SecretStatusOptions = Pick<SecretOptions, 'from' | 'api' | 'secret' | 'configurations' | 'names' | 'world'>;
type FileStatusOptions = Omit<FileOptions, 'callers' | 'log'> & Required<Pick<FileOptions, 'callers'>>;

/** How things stand. All is well where there are no problems. */
export interface CertificateStatus extends Omit<StoredCertificates, 'serving'> {
  /** What replicas serve, at the latest a minute after it was put there; undefined where nothing could be served. */
  readonly certificate:
    | { readonly names: readonly string[]; readonly notAfter: Date; readonly fingerprint: string }
    | undefined;
  readonly caBundles: readonly CaBundleStatus[];
}

export interface CaBundleStatus {
  readonly kind: string;
  readonly configuration: string;
  readonly entry: string;
  /** Whether callers by this entry accept the certificate; undefined where there is none to compare with. */
  readonly agrees: boolean | undefined;
  /** How many authorities it holds that are none of those kept for all replicas: whoever has their keys is believed too. */
  readonly strange: number;
}

/** Compares what is kept for all replicas with what callers trust; rejects with a CertificatesError where it may not look. */
export async function certificateStatus(options: StatusOptions): Promise<CertificateStatus> {
  const { api, configurations } = options.from === 'secret' ? options : options.callers;
  const world = atServerTime(options.world ?? realWorld, api);
  const existing = existingIn(await readConfigurations(api, configurations));
  const callers = existing.flatMap(({ entries }) => entries);
  const { serving, problems, ...rest } = await storedFor(options, world, callers);
  const own = new Set(rest.authorities.map(({ fingerprint }) => fingerprint));
  const caBundles = compared(existing, certificatesIn(serving?.certificate ?? ''), own, world.now());
  const elsewhere = installedElsewhere(options, callers);
  return {
    ...rest,
    // Whoever looks in the wrong namespace is told that alone: all else follows from it.
    problems: elsewhere === undefined ? [...problems, ...caBundleProblems(caBundles)] : [elsewhere],
    certificate: serving && { names: namesIn(serving), notAfter: serving.notAfter, fingerprint: serving.fingerprint },
    caBundles,
  };
}

/** The configurations that there are; throws where one could not be read. */
function existingIn(readings: readonly ConfigurationReading[]): readonly WebhookConfiguration[] {
  return readings.flatMap((reading) => {
    if (!reading.known) throw reading.failure;
    return reading.configuration ?? [];
  });
}

function installedElsewhere(options: StatusOptions, callers: readonly WebhookEntry[]): string | undefined {
  if (options.from !== 'secret') return undefined;
  const namespaces = callers.flatMap(({ serviceNamespace }) => serviceNamespace ?? []);
  const [called] = namespaces;
  if (called === undefined || namespaces.includes(options.secret.namespace)) return undefined;
  return `the webhook configurations call rwo-guard in namespace ${called}: use -n ${called}`;
}

function storedFor(
  options: StatusOptions,
  { now }: World,
  callers: readonly WebhookEntry[],
): Promise<StoredCertificates> {
  switch (options.from) {
    case 'secret':
      return storedInSecret(options, now, callers);
    case 'files':
      return storedInFiles(options, now);
    default:
      return options satisfies never;
  }
}

function compared(
  existing: readonly WebhookConfiguration[],
  chain: ReturnType<typeof certificatesIn>,
  own: ReadonlySet<string>,
  now: Date,
): readonly CaBundleStatus[] {
  return existing.flatMap(({ kind, name, entries }) =>
    entries.map((entry) => {
      const trusted = certificatesIn(entry.caBundle);
      const agrees = chain.length === 0 ? undefined : verifies(chain, trusted, now);
      const strange = trusted.filter((authority) => !own.has(fingerprintOf(authority))).length;
      return { kind, configuration: name, entry: entry.name, agrees, strange };
    }),
  );
}

function caBundleProblems(caBundles: readonly CaBundleStatus[]): readonly string[] {
  if (caBundles.length === 0)
    return ['no webhook configuration exists, so nobody asks the server: apply the manifests'];
  const wrong = caBundles.filter(({ agrees }) => agrees === false).map(({ entry }) => entry);
  if (wrong.length === 0) return [];
  return [`the caBundle of ${wrong.join(', ')} does not verify the certificate: calls fail until it does`];
}

function namesIn({ certificate }: { readonly certificate: string }): readonly string[] {
  const [leaf] = certificatesIn(certificate);
  return (leaf?.subjectAltName ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
}
