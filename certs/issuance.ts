import { type Grant, makeAuthority, SERIAL_BYTES, signServing } from './authority.ts';
import type { CertificateBundle, Reusable, Rotation } from './bundle.ts';
import { CertificatesError } from './certificates-error.ts';
import { authorityProblem } from './renewal.ts';
import type { World } from './world.ts';
import { certificatesIn, distinct, holds, pairProblem, pemOf, verifies } from './x509.ts';

/**
 * The authority that signs, and three beside it. One is what a replacement needs; the others are for a Secret that is lost
 * again before every replica has followed. Without a limit a Secret lost daily would fill the configurations.
 */
const MOST_TRUSTED = 4;

/**
 * A new serving certificate, signed by the authority that there is, else by the one that was to be next, else by a new one.
 * Authorities that were trusted stay trusted until they expire, so what other replicas still serve goes on being accepted.
 */
export async function issueBundle(
  reusable: Reusable,
  names: readonly string[],
  lifetimes: Lifetimes,
  world: World,
): Promise<CertificateBundle> {
  const now = world.now();
  const usable = [reusable.authority, reusable.next].find(
    (pair) => pair !== undefined && authorityProblem(pair.certificate, reusable.distrusted, now) === undefined,
  );
  const authority = usable ?? makeAuthority(await grantFor(lifetimes.authority, world));
  const serving = signServing(authority, names, await grantFor(lifetimes.serving, world));
  const isReused = authority === reusable.authority;
  const next = isReused ? reusable.next : undefined;
  const rotation = isReused ? reusable.rotation : onceBegun(reusable.rotation);
  const bundle = { ...reusable, authority, next, rotation, serving, issuedAt: now };
  const issued = { ...bundle, trusted: trustedNow(bundle, now) };
  assertUsable(issued, names, now);
  return issued;
}

/** Lets the authority that is next sign at last: the key of the old one is kept nowhere from then on. */
export function succeed(bundle: CertificateBundle, names: readonly string[], lifetimes: Lifetimes, world: World) {
  return issueBundle({ ...bundle, authority: undefined }, names, lifetimes, world);
}

/** A new authority for callers to trust, which signs nothing yet. */
export async function publishNext(
  bundle: CertificateBundle,
  lifetimes: Lifetimes,
  world: World,
): Promise<CertificateBundle> {
  const next = makeAuthority(await grantFor(lifetimes.authority, world));
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

/** How long certificates live from the moment of issue, in milliseconds. */
export interface Lifetimes {
  readonly authority: number;
  readonly serving: number;
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * Serving: renewed after 60 days, which leaves 30 to notice that renewal does not work. Authority: long, since replacing
 * it is the one change that callers can notice.
 */
export const DEFAULT_LIFETIMES: Lifetimes = { authority: 10 * 365 * DAY, serving: 90 * DAY };
