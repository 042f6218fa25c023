import type { X509Certificate } from 'node:crypto';
import { type CertificateBundle, parseBundle } from './bundle.ts';
import type { ObjectName, WebhookEntry } from './certificates-api.ts';
import { overdue, readMounted, unusable } from './file-source.ts';
import type { FileOptions, SecretOptions } from './options.ts';
import { renewalReason } from './renewal.ts';
import type { ServingCertificate } from './source.ts';
import { certificatesIn, fingerprintOf, holds, pairProblem, servingCertificate } from './x509.ts';

/** What is kept for all replicas to serve, and what is wrong with it. */
export interface StoredCertificates {
  readonly problems: readonly string[];
  readonly serving: ServingCertificate | undefined;
  readonly authorities: readonly AuthorityStatus[];
  readonly rotation: RotationStatus;
}

/** What callers are to trust. One that signed before, or somebody else's, is merely trusted. */
export interface AuthorityStatus {
  readonly fingerprint: string;
  readonly notAfter: Date;
  readonly role: 'signs' | 'next' | 'trusted';
}

/** Whether a new CA was asked for or is on its way. */
export type RotationStatus = 'none' | 'asked-for' | 'waiting-for-trust' | 'waiting-for-replicas';

const NOTHING: StoredCertificates = { problems: [], serving: undefined, authorities: [], rotation: 'none' };

export async function storedInSecret(
  { api, secret, names }: Pick<SecretOptions, 'api' | 'secret' | 'names'>,
  now: () => Date,
  callers: readonly WebhookEntry[],
): Promise<StoredCertificates> {
  const full = `Secret ${secret.namespace}/${secret.name}`;
  const stored = await api.getSecret(secret);
  if (stored === undefined) return { ...NOTHING, problems: [whyMissing(secret, callers)] };
  const reading = parseBundle(stored.data);
  const reason = renewalReason(reading, names, now());
  const needed = `${full} needs repair (${reason}): a server does it within seconds, so look at its log`;
  const problems = reason === undefined ? [] : [needed];
  if (!reading.usable) return { ...NOTHING, problems };
  const { bundle } = reading;
  const authorities = certificatesIn(bundle.trusted).map((authority) => authorityStatus(authority, bundle));
  const serving = servingCertificate(bundle.serving, bundle.trusted);
  return { problems, serving, authorities, rotation: rotationStatus(bundle) };
}

function whyMissing({ namespace, name }: ObjectName, callers: readonly WebhookEntry[]): string {
  const full = `Secret ${namespace}/${name}`;
  if (callers.length === 0) return `${full} does not exist: rwo-guard is not installed in this namespace`;
  const made = `${full} does not exist: a server makes it within seconds, so look at its log`;
  const mounted = '; or, if certificates are mounted (cert-manager, existing-secret), run this in the pod';
  return callers.some(({ caBundle }) => caBundle !== '') ? `${made}${mounted}` : made;
}

export async function storedInFiles(
  options: Pick<FileOptions, 'certificateFile' | 'keyFile' | 'authoritiesFile' | 'names'>,
  now: () => Date,
): Promise<StoredCertificates> {
  const { pair, authorities } = await readMounted(options);
  const problem = pairProblem(pair, options.names, now());
  const failures = problem === undefined ? overdue(options, pair, now()) : [unusable(options, problem)];
  return {
    ...NOTHING,
    problems: failures.map(({ message }) => message),
    serving: servingCertificate(pair, authorities),
    authorities: certificatesIn(authorities).map((authority) => authorityStatus(authority)),
  };
}

function authorityStatus(
  authority: X509Certificate,
  bundle?: Pick<CertificateBundle, 'authority' | 'next'>,
): AuthorityStatus {
  const is = (pem = '') => holds(certificatesIn(pem), authority);
  const role = is(bundle?.authority.certificate) ? 'signs' : is(bundle?.next?.certificate) ? 'next' : 'trusted';
  return { fingerprint: fingerprintOf(authority), notAfter: authority.validToDate, role };
}

function rotationStatus({ rotation, next }: CertificateBundle): RotationStatus {
  if (rotation === 'requested' || rotation === 'requested-distrusting-old') return 'asked-for';
  if (next !== undefined) return 'waiting-for-trust';
  return rotation === undefined ? 'none' : 'waiting-for-replicas';
}
