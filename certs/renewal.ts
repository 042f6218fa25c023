import type { BundleProblem, BundleReading } from './bundle.ts';
import { certificatesIn, holds, type PairProblem, pairProblem } from './x509.ts';

/** Why a serving certificate is issued again. */
export type RenewalReason = 'missing' | BundleProblem | AuthorityProblem | PairProblem | 'due';

/** Why nothing may be signed by an authority, though its key is there. */
export type AuthorityProblem = 'authority-expired' | 'authority-not-yet-valid' | 'authority-distrusted';

/** Why the serving certificate that was read, or was not there, has to be replaced now, or undefined. */
export function renewalReason(
  reading: BundleReading | undefined,
  names: readonly string[],
  now: Date,
): RenewalReason | undefined {
  if (reading === undefined) return 'missing';
  if (!reading.usable) return reading.because;
  const { authority, distrusted, serving, issuedAt } = reading.bundle;
  const problem = authorityProblem(authority.certificate, distrusted, now) ?? pairProblem(serving, names, now);
  if (problem !== undefined) return problem;
  const [leaf] = certificatesIn(serving.certificate);
  return leaf === undefined || isTwoThirdsOver(issuedAt, leaf.validToDate, now) ? 'due' : undefined;
}

/** One that is not valid yet was made by a wrong clock: nothing that it signs would be accepted. */
export function authorityProblem(pem: string, distrusted: string, now: Date): AuthorityProblem | undefined {
  const [authority] = certificatesIn(pem);
  if (authority === undefined || now >= authority.validToDate) return 'authority-expired';
  if (now < authority.validFromDate) return 'authority-not-yet-valid';
  return holds(certificatesIn(distrusted), authority) ? 'authority-distrusted' : undefined;
}

/** An authority's life is so long that it may count from its backdated start. */
export function isAuthorityDue(pem: string, now: Date): boolean {
  const [authority] = certificatesIn(pem);
  return authority === undefined || isTwoThirdsOver(authority.validFromDate, authority.validToDate, now);
}

/** A share of the life, never a number of days: certificates that live for days must not be overdue when they are made. */
export function isTwoThirdsOver(from: Date, to: Date, now: Date): boolean {
  return now.getTime() >= from.getTime() + ((to.getTime() - from.getTime()) * 2) / 3;
}
