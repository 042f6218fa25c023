import type { BundleProblem, BundleReading } from './bundle.ts';
import { type PairProblem, pairProblem } from './pair.ts';
import { certificatesIn } from './x509.ts';

/** Why certificates are issued again. */
export type RenewalReason = 'missing' | BundleProblem | 'authority-due' | PairProblem | 'due';

/** Why the bundle that was read, or was not there, has to be replaced now, or undefined. */
export function renewalReason(
  reading: BundleReading | undefined,
  names: readonly string[],
  now: Date,
): RenewalReason | undefined {
  if (reading === undefined) return 'missing';
  if (!reading.usable) return reading.because;
  const { authority, serving, issuedAt } = reading.bundle;
  if (isAuthorityDue(authority.certificate, now)) return 'authority-due';
  const problem = pairProblem(serving, names, now);
  if (problem !== undefined) return problem;
  const [leaf] = certificatesIn(serving.certificate);
  return leaf === undefined || isTwoThirdsOver(issuedAt, leaf.validToDate, now) ? 'due' : undefined;
}

/**
 * An authority's life is so long that it may count from its backdated start. One that is not valid yet is due as well: the
 * clock that made it was wrong, and nothing that it signs would be accepted.
 */
export function isAuthorityDue(pem: string, now: Date): boolean {
  const [authority] = certificatesIn(pem);
  if (authority === undefined || now < authority.validFromDate) return true;
  return isTwoThirdsOver(authority.validFromDate, authority.validToDate, now);
}

/** A share of the life, never a number of days: certificates that live for days must not be overdue when they are made. */
export function isTwoThirdsOver(from: Date, to: Date, now: Date): boolean {
  return now.getTime() >= from.getTime() + ((to.getTime() - from.getTime()) * 2) / 3;
}
