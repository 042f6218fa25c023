import { type Grant, makeAuthority, SERIAL_BYTES, signServing } from './authority.ts';
import type { CertificateBundle, Kept, Rotation } from './bundle.ts';
import { CertificatesError } from './certificates-error.ts';
import type { Lives } from './lives.ts';
import { pairProblem } from './pair.ts';
import { authorityProblem } from './renewal.ts';
import type { World } from './world.ts';
import { certificatesIn, distinct, holds, pemOf, verifies } from './x509.ts';

/**
 * The authority that signs, and three beside it. One is what a replacement needs; the others are for a Secret that is lost
 * again before every replica has followed. Without a limit a Secret lost daily would fill the configurations.
 */
const MOST_TRUSTED = 4;

/**
 * A new serving certificate, signed by the authority that is kept, else by the one that was to be next, else by a new one.
 * Authorities that were trusted stay trusted until they expire, so what other replicas still serve goes on being accepted.
 */
export async function issueBundle(
  kept: Kept,
  names: readonly string[],
  lives: Lives,
  world: World,
): Promise<CertificateBundle> {
  const now = world.now();
  const usable = [kept.authority, kept.next].find(
    (pair) => pair !== undefined && authorityProblem(pair.certificate, kept.distrusted, now) === undefined,
  );
  const authority = usable ?? makeAuthority(await grantFor(lives.authority, world));
  const serving = signServing(authority, names, await grantFor(lives.serving, world));
  const isKept = authority === kept.authority;
  const next = isKept ? kept.next : undefined;
  const rotation = isKept ? kept.rotation : onceBegun(kept.rotation);
  const bundle = { ...kept, authority, next, rotation, serving, issuedAt: now };
  const issued = { ...bundle, trusted: trustedNow(bundle, now) };
  assertUsable(issued, names, now);
  return issued;
}

/** Lets the authority that is next sign at last: the key of the old one is kept nowhere from then on. */
export function succeed(bundle: CertificateBundle, names: readonly string[], lives: Lives, world: World) {
  return issueBundle({ ...bundle, authority: undefined }, names, lives, world);
}

/** A new authority for callers to trust, which signs nothing yet. */
export async function publishNext(bundle: CertificateBundle, lives: Lives, world: World): Promise<CertificateBundle> {
  const next = makeAuthority(await grantFor(lives.authority, world));
  const published = { ...bundle, next, rotation: onceBegun(bundle.rotation) };
  return { ...published, trusted: trustedNow(published, world.now()) };
}

/** Only the authority that signs stays trusted, and no Secret of before brings the others back. */
export function distrustOld(bundle: CertificateBundle): CertificateBundle {
  const signing = certificatesIn(bundle.authority.certificate);
  const old = certificatesIn(bundle.trusted + bundle.distrusted).filter((certificate) => !holds(signing, certificate));
  return { ...bundle, trusted: pemOf(signing), distrusted: pemOf(distinct(old)), rotation: undefined };
}

/** PEM, the newest first, none of them expired or distrusted. */
export function trustedNow(
  { authority, next, trusted, distrusted }: Pick<CertificateBundle, 'authority' | 'next' | 'trusted' | 'distrusted'>,
  now: Date,
): string {
  const distrustedNow = certificatesIn(distrusted);
  const all = certificatesIn((next?.certificate ?? '') + authority.certificate + trusted);
  const good = all.filter((one) => one.ca && now < one.validToDate && !holds(distrustedNow, one));
  return pemOf(distinct(good).slice(0, MOST_TRUSTED));
}

async function grantFor(life: number, world: World): Promise<Grant> {
  return { key: await world.generateKey(), serial: world.randomBytes(SERIAL_BYTES), now: world.now(), life };
}

/** What is left to do of a request once there is a new authority. */
function onceBegun(rotation: Rotation | undefined): Rotation | undefined {
  return rotation === 'requested' || rotation === undefined ? undefined : 'distrust-old';
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
