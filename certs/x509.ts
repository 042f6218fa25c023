import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Pair } from './authority.ts';
import type { ServingCertificate } from './source.ts';

const ONE_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates in a PEM text, those that can be read. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return [...pem.matchAll(ONE_CERTIFICATE)].flatMap(([block]) => readCertificate(block) ?? []);
}

export function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

export function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join('');
}

/** SHA-256 in hexadecimal, as `openssl x509 -fingerprint -sha256` has it but for the colons and the case. */
export function fingerprintOf({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase();
}

/** Is this very certificate one of them? */
export function holds(certificates: readonly X509Certificate[], { fingerprint256 }: X509Certificate): boolean {
  return certificates.some((certificate) => certificate.fingerprint256 === fingerprint256);
}

/** Each once, where it comes first. */
export function distinct(certificates: readonly X509Certificate[]): readonly X509Certificate[] {
  const found = new Map<string, X509Certificate>();
  for (const certificate of certificates) {
    if (!found.has(certificate.fingerprint256)) found.set(certificate.fingerprint256, certificate);
  }
  return [...found.values()];
}

/** Does the certificate name all of them, DNS names and IP addresses? Its common name does not count. */
export function covers(certificate: X509Certificate, names: readonly string[]): boolean {
  return names.every((name) => coversName(certificate, name));
}

export function isValidAt(certificate: X509Certificate, now: Date): boolean {
  return certificate.validFromDate <= now && now <= certificate.validToDate;
}

/**
 * Would a client that trusts these authorities accept the chain now? As Go decides it, which is how the API server decides:
 * a certificate that is itself trusted needs no issuer, and each step must be valid.
 */
export function verifies(
  chain: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: Date,
): boolean {
  const [leaf, ...intermediates] = chain;
  if (leaf === undefined || !isValidAt(leaf, now)) return false;
  if (holds(authorities, leaf)) return true;
  if (authorities.some((authority) => isValidAt(authority, now) && issued(authority, leaf))) return true;
  return intermediates.some(
    (issuer, i) => issued(issuer, leaf) && verifies([issuer, ...intermediates.toSpliced(i, 1)], authorities, now),
  );
}

/** Did this authority sign the certificate? Validity is another question. */
export function issued(authority: X509Certificate, certificate: X509Certificate): boolean {
  return authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function coversName(certificate: X509Certificate, name: string): boolean {
  const match = isIP(name) === 0 ? certificate.checkHost(name, { subject: 'never' }) : certificate.checkIP(name);
  return match !== undefined;
}

/** Why a certificate and a key cannot be served. */
export type PairProblem =
  | 'certificate-unreadable'
  | 'key-unreadable'
  | 'key-mismatch'
  | 'wrong-names'
  | 'not-yet-valid'
  | 'expired';

/** Why this pair cannot be served under these names now, or undefined. TLS itself would take an empty certificate. */
export function pairProblem(pair: Pair, names: readonly string[], now: Date): PairProblem | undefined {
  const [leaf] = certificatesIn(pair.certificate);
  const key = privateKeyIn(pair.key);
  if (leaf === undefined) return 'certificate-unreadable';
  if (key === undefined) return 'key-unreadable';
  if (!leaf.checkPrivateKey(key)) return 'key-mismatch';
  if (!covers(leaf, names)) return 'wrong-names';
  if (now < leaf.validFromDate) return 'not-yet-valid';
  return now < leaf.validToDate ? undefined : 'expired';
}

/** The pair as it is served, or undefined where there is no certificate in it. */
export function servingCertificate(pair: Pair, authorities: string): ServingCertificate | undefined {
  const [leaf] = certificatesIn(pair.certificate);
  return leaf && { ...pair, authorities, notAfter: leaf.validToDate, fingerprint: fingerprintOf(leaf) };
}
