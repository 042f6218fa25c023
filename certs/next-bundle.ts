import { type BundleReading, type CertificateBundle, NOTHING_REUSABLE, type Reusable } from './bundle.ts';
import { SETTLING } from './callers-trust.ts';
import { distrustOld, issueBundle, type Lifetimes, publishNext, succeed, trustedNow } from './issuance.ts';
import { isAuthorityDue, type RenewalReason, renewalReason } from './renewal.ts';
import type { World } from './world.ts';
import { certificatesIn, distinct, holds, pemOf } from './x509.ts';

/** What the Secret should hold instead, and why. */
export interface Change {
  readonly bundle: CertificateBundle;
  readonly because: RenewalReason | RotationStep | 'forgotten';
}

/** What one replica knows besides the Secret. */
export interface Knowledge {
  /** PEM: what the Secret held when it was last read. One that was restored from a backup, or lost, may know less. */
  readonly seen: { readonly trusted: string; readonly distrusted: string };
  /** PEM: what callers trust now. */
  readonly inForce: string;
  /** Whether callers have trusted this authority for long enough to serve what it signs. */
  readonly isSettled: (authority: string) => boolean;
}

/** One step, or undefined where all is well. The next look takes the next one. */
export async function nextBundle(
  found: BundleReading | undefined,
  knowledge: Knowledge,
  names: readonly string[],
  lifetimes: Lifetimes,
  world: World,
): Promise<Change | undefined> {
  const now = world.now();
  const reading = found && withMemory(found, knowledge, now);
  const reason = renewalReason(reading, names, now);
  if (reason !== undefined) {
    return { because: reason, bundle: await issueBundle(reusableFrom(reading, knowledge), names, lifetimes, world) };
  }
  if (!reading?.usable || !found?.usable) return undefined;
  const { bundle } = reading;
  const step = rotationStep(bundle, knowledge.isSettled, now);
  switch (step) {
    case 'publish':
      return { because: step, bundle: await publishNext(bundle, lifetimes, world) };
    case 'succeed':
      return { because: step, bundle: await succeed(bundle, names, lifetimes, world) };
    case 'distrust':
      return { because: step, bundle: distrustOld(bundle) };
    case undefined:
      return remembered(found.bundle, { ...bundle, trusted: trustedNow(bundle, now) });
    default:
      return step satisfies never;
  }
}

/** What this replica saw trusted and distrusted before still is, whatever the Secret says now. */
function withMemory(reading: BundleReading, { seen }: Knowledge, now: Date): BundleReading {
  const add = <T extends Pick<Reusable, 'trusted' | 'distrusted'>>(to: T): T => ({
    ...to,
    trusted: to.trusted + seen.trusted,
    distrusted: unexpired(to.distrusted + seen.distrusted, now),
  });
  return reading.usable ? { ...reading, bundle: add(reading.bundle) } : { ...reading, reusable: add(reading.reusable) };
}

/** Without an authority to go on with, what callers trust at this moment is trusted on: other replicas may serve by it. */
function reusableFrom(reading: BundleReading | undefined, { seen, inForce }: Knowledge): Reusable {
  const reusable =
    reading === undefined ? { ...NOTHING_REUSABLE, ...seen } : reading.usable ? reading.bundle : reading.reusable;
  return reusable.authority === undefined ? { ...reusable, trusted: reusable.trusted + inForce } : reusable;
}

function remembered(stored: CertificateBundle, bundle: CertificateBundle): Change | undefined {
  const isForgotten = (['trusted', 'distrusted'] as const).some((field) => {
    const known = certificatesIn(stored[field]);
    return certificatesIn(bundle[field]).some((certificate) => !holds(known, certificate));
  });
  return isForgotten ? { because: 'forgotten', bundle } : undefined;
}

function unexpired(pem: string, now: Date): string {
  return pemOf(distinct(certificatesIn(pem).filter(({ validToDate }) => now < validToDate)));
}

/** The next step of replacing an authority while its certificates go on being served. */
export type RotationStep =
  /** A new authority is trusted, and signs nothing yet. */
  | 'publish'
  /** It signs instead of the old one, whose key is destroyed and whose certificate stays trusted. */
  | 'succeed'
  /** Nothing but what signs stays trusted. */
  | 'distrust';

/**
 * Milliseconds from the moment a new authority signs until every replica serves what it signed: one that began shortly
 * before takes its own minute to see that callers trust it, and looks every twelve seconds.
 */
const EVERY_REPLICA_FOLLOWS = SETTLING + 30_000;

/** What may be done now, or undefined. `isSettled` tells whether callers have trusted an authority for long enough. */
function rotationStep(
  { authority, next, rotation, issuedAt }: CertificateBundle,
  isSettled: (authority: string) => boolean,
  now: Date,
): RotationStep | undefined {
  if (rotation === 'requested' || rotation === 'requested-distrusting-old') return 'publish';
  if (next !== undefined) {
    if (isAuthorityDue(next.certificate, now)) return 'publish';
    return isSettled(next.certificate) ? 'succeed' : undefined;
  }
  if (rotation === 'distrust-old') {
    return now.getTime() >= issuedAt.getTime() + EVERY_REPLICA_FOLLOWS ? 'distrust' : undefined;
  }
  return isAuthorityDue(authority.certificate, now) ? 'publish' : undefined;
}
