import type { Pair } from './authority.ts';
import type { ServingCertificate } from './source.ts';
import { certificatesIn, covers, fingerprintOf, privateKeyIn } from './x509.ts';

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
