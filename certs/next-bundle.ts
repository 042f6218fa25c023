import { type BundleReading, type CertificateBundle, type Kept, NOTHING_KEPT } from './bundle.ts';
import { distrustOld, issueBundle, publishNext, succeed, trustedNow } from './issuance.ts';
import type { Lives } from './lives.ts';
import { type RenewalReason, renewalReason } from './renewal.ts';
import { type RotationStep, rotationStep } from './rotation.ts';
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
  lives: Lives,
  world: World,
): Promise<Change | undefined> {
  const now = world.now();
  const reading = found && withMemory(found, knowledge, now);
  const reason = renewalReason(reading, names, now);
  if (reason !== undefined) {
    return { because: reason, bundle: await issueBundle(keptFrom(reading, knowledge), names, lives, world) };
  }
  if (!reading?.usable || !found?.usable) return undefined;
  const { bundle } = reading;
  const step = rotationStep(bundle, knowledge.isSettled, now);
  switch (step) {
    case 'publish':
      return { because: step, bundle: await publishNext(bundle, lives, world) };
    case 'succeed':
      return { because: step, bundle: await succeed(bundle, names, lives, world) };
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
  const add = <T extends Pick<Kept, 'trusted' | 'distrusted'>>(to: T): T => ({
    ...to,
    trusted: to.trusted + seen.trusted,
    distrusted: unexpired(to.distrusted + seen.distrusted, now),
  });
  return reading.usable ? { ...reading, bundle: add(reading.bundle) } : { ...reading, kept: add(reading.kept) };
}

/** Without an authority to go on with, what callers trust at this moment is trusted on: other replicas may serve by it. */
function keptFrom(reading: BundleReading | undefined, { seen, inForce }: Knowledge): Kept {
  const kept = reading === undefined ? { ...NOTHING_KEPT, ...seen } : reading.usable ? reading.bundle : reading.kept;
  return kept.authority === undefined ? { ...kept, trusted: kept.trusted + inForce } : kept;
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
