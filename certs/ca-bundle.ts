import type { WebhookConfiguration } from './certificates-api.ts';
import type { CertificatesError } from './certificates-error.ts';
import type { CaBundle, ServingCertificate } from './source.ts';
import { certificatesIn, verifies } from './x509.ts';

/** What is known of a webhook configuration: what it says, that it does not exist yet, or nothing because reading failed. */
export type ConfigurationReading =
  | { readonly known: true; readonly configuration: WebhookConfiguration | undefined }
  | { readonly known: false; readonly failure: CertificatesError };

/** Does what is served verify against the caBundle of every entry there is? What is certainly wrong comes before the unknown. */
export function compareCaBundle(
  readings: readonly ConfigurationReading[],
  served: ServingCertificate | undefined,
  now: Date,
): CaBundle {
  const chain = certificatesIn(served?.certificate ?? '');
  const existing = readings.flatMap((reading) => (reading.known ? (reading.configuration ?? []) : []));
  for (const { kind, name, entries } of existing) {
    const wrong = entries.find(({ caBundle }) => !verifies(chain, certificatesIn(caBundle), now));
    if (wrong === undefined) continue;
    const because = `the caBundle of ${wrong.name} in ${kind} ${name} does not verify the certificate served: it has to hold the authority that signed it`;
    return { state: 'out-of-sync', because };
  }
  const unknown = readings.find((reading) => !reading.known);
  if (unknown !== undefined) return { state: 'unknown', because: unknown.failure.message };
  return existing.length === 0 ? { state: 'no-configuration' } : { state: 'in-sync' };
}

/** What was read before stands in for what could not be read now: an API server that is away has changed nothing. */
export function rememberReadings(
  before: readonly ConfigurationReading[],
  now: readonly ConfigurationReading[],
): readonly ConfigurationReading[] {
  return now.map((reading, i) => (reading.known ? reading : (before[i] ?? reading)));
}
