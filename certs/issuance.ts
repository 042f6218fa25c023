import { makeAuthority, type Pair, SERIAL_BYTES, signServing } from './authority.ts';
import type { CertificateBundle, Kept } from './bundle.ts';
import { CertificatesError } from './certificates-error.ts';
import type { Lives } from './lives.ts';
import { pairProblem } from './pair.ts';
import { isAuthorityDue } from './renewal.ts';
import type { World } from './world.ts';
import { certificatesIn, pemOf, verifies } from './x509.ts';

/**
 * The authority that signs, and three before it. One before it is what a replacement needs; the others are for a Secret that
 * is lost again before every replica has followed. Without a limit a Secret lost daily would fill the configurations.
 */
const MOST_TRUSTED = 4;

/**
 * A new serving certificate, signed by the authority that is kept, or by a new one where it is due or lost. Authorities that
 * were trusted stay trusted until they expire, so what other replicas still serve goes on being accepted.
 */
export async function issueBundle(
  kept: Kept,
  names: readonly string[],
  lives: Lives,
  world: World,
): Promise<CertificateBundle> {
  const now = world.now();
  const grant = async (life: number) => ({
    key: await world.generateKey(),
    serial: world.randomBytes(SERIAL_BYTES),
    now,
    life,
  });
  const usable = kept.authority && !isAuthorityDue(kept.authority.certificate, now);
  const authority = kept.authority && usable ? kept.authority : makeAuthority(await grant(lives.authority));
  const serving = signServing(authority, names, await grant(lives.serving));
  const bundle = { authority, trusted: trusted(authority, kept, now), serving, issuedAt: now };
  assertUsable(bundle, names, now);
  return bundle;
}

/** The newest first. */
function trusted(authority: Pair, kept: Kept, now: Date): string {
  const all = certificatesIn(authority.certificate + kept.trusted).filter(({ validToDate }) => now < validToDate);
  const distinct = new Map(all.map((certificate) => [certificate.fingerprint256, certificate]));
  return pemOf([...distinct.values()].slice(0, MOST_TRUSTED));
}

/** Nothing is stored that another replica would have to replace at once. */
function assertUsable({ serving, trusted }: CertificateBundle, names: readonly string[], now: Date): void {
  const problem = pairProblem(serving, names, now);
  const trustedNow = verifies(certificatesIn(serving.certificate), certificatesIn(trusted), now);
  if (problem === undefined && trustedNow) return;
  throw new CertificatesError(
    'ISSUED_UNUSABLE',
    `a certificate made for ${names.join(', ')} is unusable (${problem ?? 'not verified by its authority'}); check these names and the clock of this node`,
  );
}
