import type { CertificatesError } from './certificates-error.ts';
import type { CaBundle, Readiness, ServingCertificate } from './source.ts';

/** May callers be sent here, given what is served, what they trust, and what went wrong last? */
export function readiness(
  served: ServingCertificate | undefined,
  caBundle: CaBundle,
  failure: CertificatesError | undefined,
  now: Date,
): Readiness {
  if (served === undefined) {
    return notReady('no-certificate', failure?.message ?? 'the first certificate is still being fetched');
  }
  if (now >= served.notAfter) {
    const expired = `the certificate served expired at ${served.notAfter.toISOString()}`;
    return notReady('expired', failure === undefined ? expired : `${expired}: ${failure.message}`);
  }
  switch (caBundle.state) {
    case 'in-sync':
    case 'no-configuration':
      return { ready: true };
    case 'out-of-sync':
      return notReady('ca-bundle-out-of-sync', failure ? `${caBundle.because}: ${failure.message}` : caBundle.because);
    case 'unknown':
      return notReady('ca-bundle-unknown', caBundle.because);
    default:
      return caBundle satisfies never;
  }
}

function notReady(reason: Exclude<Readiness, { ready: true }>['reason'], because: string): Readiness {
  return { ready: false, reason, because };
}
