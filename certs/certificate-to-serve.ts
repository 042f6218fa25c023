import type { CertificateBundle } from './bundle.ts';
import { type ConfigurationReading, compareCaBundle } from './ca-bundle.ts';
import { type CallersTrust, settledAuthorities } from './callers-trust.ts';
import { pairProblem, servingCertificate } from './pair.ts';
import type { ServingCertificate } from './source.ts';
import type { World } from './world.ts';
import { certificatesIn, verifies } from './x509.ts';

/**
 * The Secret's certificate, unless it is by an authority that callers do not know well yet, as after a Secret was lost or
 * restored: until they do, what is served already is served on where they trust it.
 */
export function certificateToServe(
  bundle: CertificateBundle,
  { trust, served }: { readonly trust: CallersTrust; readonly served: ServingCertificate | undefined },
  readings: readonly ConfigurationReading[],
  { names, world }: { readonly names: readonly string[]; readonly world: World },
): ServingCertificate | undefined {
  const now = world.now();
  if (pairProblem(bundle.serving, names, now) !== undefined) return undefined;
  const offered = servingCertificate(bundle.serving, bundle.trusted);
  if (served === undefined || trust.nobodyCalls) return offered;
  const settled = settledAuthorities(trust, world.elapsed());
  if (verifies(certificatesIn(bundle.serving.certificate), settled, now)) return offered;
  const isRefused = compareCaBundle(readings, served, now).state === 'out-of-sync' || now >= served.notAfter;
  return isRefused ? offered : served;
}
