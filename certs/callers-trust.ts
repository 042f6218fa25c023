import type { X509Certificate } from 'node:crypto';
import type { ConfigurationReading } from './ca-bundle.ts';
import type { WebhookEntry } from './certificates-api.ts';
import { certificatesIn, distinct, holds } from './x509.ts';

/**
 * In milliseconds, how long callers must have trusted an authority before anything that it signed is served. An API server
 * hears of a new caBundle by a watch, within a second as a rule; a minute is for one that has to open its watch again.
 */
export const SETTLING = 60_000;

/** Since when callers have trusted each authority, as far as one replica has seen for itself. */
export interface CallersTrust {
  /** No configuration exists, so there is nobody whose trust would have to be waited for. */
  readonly nobodyCalls: boolean;
  readonly authorities: readonly TrustedAuthority[];
}

interface TrustedAuthority {
  readonly certificate: X509Certificate;
  /** In milliseconds of `World.elapsed`. */
  readonly since: number;
}

export const NO_TRUST_SEEN: CallersTrust = { nobodyCalls: false, authorities: [] };

/** What was seen before, and one look more. An authority that an entry lacks begins anew; what could not be read changes nothing. */
export function observeTrust(
  before: CallersTrust,
  readings: readonly ConfigurationReading[],
  elapsed: number,
): CallersTrust {
  if (readings.some(({ known }) => !known)) return before;
  const [first, ...others] = entriesOf(readings).map(({ caBundle }) => certificatesIn(caBundle));
  if (first === undefined) return { nobodyCalls: true, authorities: [] };
  const everywhere = first.filter((certificate) => others.every((caBundle) => holds(caBundle, certificate)));
  const authorities = everywhere.map((certificate) => {
    const known = before.authorities.find((one) => holds([certificate], one.certificate));
    return known ?? { certificate, since: elapsed };
  });
  return { nobodyCalls: false, authorities };
}

/** Those that every caller has trusted for a minute at least. */
export function settledAuthorities({ authorities }: CallersTrust, elapsed: number): readonly X509Certificate[] {
  return authorities.filter(({ since }) => elapsed - since >= SETTLING).map(({ certificate }) => certificate);
}

/** All that any caller trusts. */
export function inForce(readings: readonly ConfigurationReading[]): readonly X509Certificate[] {
  return distinct(entriesOf(readings).flatMap(({ caBundle }) => certificatesIn(caBundle)));
}

function entriesOf(readings: readonly ConfigurationReading[]): readonly WebhookEntry[] {
  return readings.flatMap((reading) => (reading.known ? (reading.configuration?.entries ?? []) : []));
}
