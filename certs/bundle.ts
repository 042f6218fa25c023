import type { X509Certificate } from 'node:crypto';
import type { Pair } from './authority.ts';
import type { SecretData } from './certificates-api.ts';
import { certificatesIn, issued, pemOf, privateKeyIn } from './x509.ts';

/** Everything the replicas share. */
export interface CertificateBundle {
  /** The authority that signs now. */
  readonly authority: Pair;
  /** PEM, what callers are to trust: that authority, and those before it until they expire. */
  readonly trusted: string;
  readonly serving: Pair;
  /** Kept beside the certificate, whose own start is backdated: the life that renewal counts runs from here. */
  readonly issuedAt: Date;
}

/** What a Secret turned out to hold. Of an unusable one whatever is still good is kept, so that callers need not notice. */
export type BundleReading =
  | { readonly usable: true; readonly bundle: CertificateBundle }
  | { readonly usable: false; readonly because: BundleProblem; readonly kept: Kept };

/** What is carried over into the next bundle. */
export type Kept = Pick<CertificateBundle, 'trusted'> & Partial<Pick<CertificateBundle, 'authority'>>;

export type BundleProblem =
  | 'authority-unusable'
  | 'certificate-unreadable'
  | 'not-signed-by-authority'
  | 'issued-at-unusable';

/** The keys that every reader of a `kubernetes.io/tls` Secret knows, and two of our own. */
export function toSecretData({ authority, trusted, serving, issuedAt }: CertificateBundle): SecretData {
  return {
    'ca.crt': trusted,
    'ca.key': authority.key,
    'tls.crt': serving.certificate,
    'tls.key': serving.key,
    'issued-at': issuedAt.toISOString(),
  };
}

/** Whether the serving pair may be served is for renewal to say, since that depends on the names and the time. */
export function parseBundle(data: SecretData): BundleReading {
  const authorities = certificatesIn(data['ca.crt'] ?? '');
  const trusted = pemOf(authorities);
  const authority = signingPair(authorities, data['ca.key'] ?? '');
  if (authority === undefined) return { usable: false, because: 'authority-unusable', kept: { trusted } };

  const serving = { certificate: data['tls.crt'] ?? '', key: data['tls.key'] ?? '' };
  const issuedAt = new Date(data['issued-at'] ?? Number.NaN);
  const because = servingProblem(serving.certificate, authorities, issuedAt);
  if (because !== undefined) return { usable: false, because, kept: { trusted, authority } };
  return { usable: true, bundle: { authority, trusted, serving, issuedAt } };
}

/** Several authorities are trusted while one replaces another; the key tells which of them signs. */
function signingPair(authorities: readonly X509Certificate[], keyPem: string): Pair | undefined {
  const key = privateKeyIn(keyPem);
  const signing = key && authorities.find((authority) => authority.ca && authority.checkPrivateKey(key));
  return signing && { certificate: signing.toString(), key: keyPem };
}

function servingProblem(
  pem: string,
  authorities: readonly X509Certificate[],
  issuedAt: Date,
): BundleProblem | undefined {
  const [leaf] = certificatesIn(pem);
  if (leaf === undefined) return 'certificate-unreadable';
  if (!authorities.some((authority) => issued(authority, leaf))) return 'not-signed-by-authority';
  return leaf.validFromDate <= issuedAt && issuedAt < leaf.validToDate ? undefined : 'issued-at-unusable';
}
