import type { CertificateBundle } from './bundle.ts';
import { SETTLING } from './lives.ts';
import { isAuthorityDue } from './renewal.ts';

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
export function rotationStep(
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
