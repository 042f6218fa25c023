import type { X509Certificate } from 'node:crypto';
import type { Pair } from './authority.ts';
import type { SecretData } from './certificates-api.ts';
import { certificatesIn, issued, pemOf, privateKeyIn } from './x509.ts';

/** Everything the replicas share. */
export interface CertificateBundle {
  /** The authority that signs now. */
  readonly authority: Pair;
  /** The one that signs once callers trust it. */
  readonly next: Pair | undefined;
  /** PEM, what callers are to trust: both of them, and those before until they expire. */
  readonly trusted: string;
  /** PEM, what must not be trusted again, wherever it turns up. */
  readonly distrusted: string;
  readonly rotation: Rotation | undefined;
  readonly serving: Pair;
  /** Kept beside the certificate, whose own start is backdated: the life that renewal counts runs from here. */
  readonly issuedAt: Date;
}

/** What somebody asked for that no replica has begun, or that still has to follow once a new authority signs. */
export type Rotation = (typeof ROTATIONS)[number];

const ROTATIONS = ['requested', 'requested-distrusting-old', 'distrust-old'] as const;

/** What a Secret turned out to hold. Of an unusable one whatever is still good can be used again, so that callers need not notice. */
export type BundleReading =
  | { readonly usable: true; readonly bundle: CertificateBundle }
  | { readonly usable: false; readonly because: BundleProblem; readonly reusable: Reusable };

/** What is carried over into the next bundle. */
export type Reusable = Omit<CertificateBundle, 'authority' | 'serving' | 'issuedAt'> & {
  readonly authority: Pair | undefined;
};

export const NOTHING_REUSABLE: Reusable = {
  authority: undefined,
  next: undefined,
  trusted: '',
  distrusted: '',
  rotation: undefined,
};

export type BundleProblem =
  | 'authority-unusable'
  | 'certificate-unreadable'
  | 'not-signed-by-authority'
  | 'issued-at-unusable';

/** The keys that every reader of a `kubernetes.io/tls` Secret knows, and some of our own. */
export function toSecretData(bundle: CertificateBundle): SecretData {
  const { authority, next, trusted, distrusted, rotation, serving, issuedAt } = bundle;
  return {
    'ca.crt': trusted,
    'ca.key': authority.key,
    'tls.crt': serving.certificate,
    'tls.key': serving.key,
    'issued-at': issuedAt.toISOString(),
    ...(next && { 'next-ca.key': next.key }),
    ...(distrusted !== '' && { 'distrusted-ca.crt': distrusted }),
    ...(rotation && { rotation }),
  };
}

/** Whether the serving pair may be served is for renewal to say, since that depends on the names and the time. */
export function parseBundle(data: SecretData): BundleReading {
  const authorities = certificatesIn(data['ca.crt'] ?? '');
  const reusable: Reusable = {
    authority: signingPair(authorities, data['ca.key'] ?? ''),
    next: signingPair(authorities, data['next-ca.key'] ?? ''),
    trusted: pemOf(authorities),
    distrusted: pemOf(certificatesIn(data['distrusted-ca.crt'] ?? '')),
    rotation: ROTATIONS.find((rotation) => rotation === data.rotation),
  };
  const { authority } = reusable;
  if (authority === undefined) return { usable: false, because: 'authority-unusable', reusable };

  const serving = { certificate: data['tls.crt'] ?? '', key: data['tls.key'] ?? '' };
  const issuedAt = new Date(data['issued-at'] ?? Number.NaN);
  const because = servingProblem(serving.certificate, authorities, issuedAt);
  if (because !== undefined) return { usable: false, because, reusable };
  return { usable: true, bundle: { ...reusable, authority, serving, issuedAt } };
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
