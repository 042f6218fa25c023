import type { ConfigurationReading } from './ca-bundle.ts';
import { readConfigurations } from './ca-injection.ts';
import { type KeptForReplicas, keptInFiles, keptInSecret } from './kept.ts';
import type { FileOptions, SecretOptions } from './options.ts';
import { atServerTime } from './server-time.ts';
import { realWorld, type World } from './world.ts';
import { certificatesIn, verifies } from './x509.ts';

/** Where to look, and what for. Nothing is written. */
export type StatusOptions = SecretStatusOptions | FileStatusOptions;

type SecretStatusOptions = Pick<SecretOptions, 'from' | 'api' | 'secret' | 'configurations' | 'names' | 'world'>;
type FileStatusOptions = Omit<FileOptions, 'callers' | 'log'> & Required<Pick<FileOptions, 'callers'>>;

/** How things stand. All is well where there are no problems. */
export interface CertificateStatus extends Omit<KeptForReplicas, 'serving'> {
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
  /** Whether callers by this entry accept the certificate. */
  readonly agrees: boolean;
}

/** Compares what is kept for all replicas with what callers trust; rejects with a CertificatesError where it may not look. */
export async function certificateStatus(options: StatusOptions): Promise<CertificateStatus> {
  const { api, configurations } = options.from === 'secret' ? options : options.callers;
  const world = atServerTime(options.world ?? realWorld, api);
  const readings = await readConfigurations(api, configurations);
  const kept = await keptFor(options, world);
  const { serving, problems, ...rest } = kept;
  const caBundles = compared(readings, certificatesIn(serving?.certificate ?? ''), world.now());
  return {
    ...rest,
    problems: [...problems, ...caBundleProblems(caBundles)],
    certificate: serving && { names: namesIn(serving), notAfter: serving.notAfter, fingerprint: serving.fingerprint },
    caBundles,
  };
}

function keptFor(options: StatusOptions, { now }: World): Promise<KeptForReplicas> {
  switch (options.from) {
    case 'secret':
      return keptInSecret(options, now);
    case 'files':
      return keptInFiles(options, now);
    default:
      return options satisfies never;
  }
}

function compared(
  readings: readonly ConfigurationReading[],
  chain: ReturnType<typeof certificatesIn>,
  now: Date,
): readonly CaBundleStatus[] {
  return readings.flatMap((reading) => {
    if (!reading.known) throw reading.failure;
    const { kind = '', name = '', entries = [] } = reading.configuration ?? {};
    return entries.map((entry) => {
      const agrees = verifies(chain, certificatesIn(entry.caBundle), now);
      return { kind, configuration: name, entry: entry.name, agrees };
    });
  });
}

function caBundleProblems(caBundles: readonly CaBundleStatus[]): readonly string[] {
  if (caBundles.length === 0)
    return ['no webhook configuration exists, so nobody asks the server: apply the manifests'];
  const wrong = caBundles.filter(({ agrees }) => !agrees).map(({ entry }) => entry);
  if (wrong.length === 0) return [];
  return [`the caBundle of ${wrong.join(', ')} does not verify the certificate: calls fail until it does`];
}

function namesIn({ certificate }: { readonly certificate: string }): readonly string[] {
  const [leaf] = certificatesIn(certificate);
  return (leaf?.subjectAltName ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
}
