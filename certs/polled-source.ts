import { type ConfigurationReading, compareCaBundle, rememberReadings } from './ca-bundle.ts';
import { CertificatesError } from './certificates-error.ts';
import type { Logger } from './options.ts';
import type { CaBundle, CertificateSource, Readiness, ServingCertificate } from './source.ts';
import type { World } from './world.ts';

/** What one look at the Secret or the files, and at the webhook configurations, brought. */
export interface PollResult {
  /** A certificate that has been checked; undefined where this look brought none. */
  readonly certificate: ServingCertificate | undefined;
  readonly readings: readonly ConfigurationReading[];
  /** What went wrong besides the readings. */
  readonly failures: readonly CertificatesError[];
}

type Listener = (certificate: ServingCertificate) => void;

/**
 * Ten seconds after a caBundle was wiped it is whole again, at the price of three small reads. Asking again rather than
 * waiting for a renewal's date also does right after a machine was suspended.
 */
const POLL_EVERY = 10_000;
/** Replicas that start together do not ask together for ever: 8 to 12 seconds. */
const JITTER = 0.4;

/** Looks again and again, serves the last good certificate, and says how things stand. */
export class PolledSource implements CertificateSource {
  readonly #look: (signal: AbortSignal) => Promise<PollResult>;
  readonly #log: Logger;
  readonly #world: World;
  readonly #listeners = new Set<Listener>();
  readonly #stopped = new AbortController();
  readonly #polling: Promise<void>;
  #current: ServingCertificate | undefined;
  #readings: readonly ConfigurationReading[] = [];
  #caBundle: CaBundle = { state: 'no-configuration' };
  #failures: readonly CertificatesError[] = [];
  #complaints: ReadonlySet<string> = new Set();

  constructor(look: (signal: AbortSignal) => Promise<PollResult>, log: Logger, world: World) {
    this.#look = look;
    this.#log = log;
    this.#world = world;
    this.#polling = this.#poll();
  }

  current(): ServingCertificate | undefined {
    return this.#current;
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#current !== undefined) this.#tell(listener, this.#current);
    return () => this.#listeners.delete(listener);
  }

  ready(): Readiness {
    return readiness(this.#current, this.#caBundle, this.#failures[0], this.#world.now());
  }

  caBundle(): CaBundle {
    return this.#caBundle;
  }

  stop(): Promise<void> {
    this.#stopped.abort();
    return this.#polling;
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#lookOnce(signal);
      await this.#world.sleep(POLL_EVERY * (1 + JITTER * (this.#world.random() - 0.5)), signal);
    }
  }

  async #lookOnce(signal: AbortSignal): Promise<void> {
    try {
      const { certificate, readings, failures } = await this.#look(signal);
      if (signal.aborted) return;
      const isNew = certificate !== undefined && !isSame(certificate, this.#current);
      if (isNew) this.#current = certificate;
      this.#readings = rememberReadings(this.#readings, readings);
      this.#caBundle = compareCaBundle(this.#readings, this.#current, this.#world.now());
      this.#report([...failures, ...readings.flatMap((reading) => (reading.known ? [] : reading.failure))]);
      if (isNew) this.#announce(certificate);
    } catch (err) {
      this.#log.error({ err }, 'looking after the certificates failed by a bug; the last good one is served on');
    }
  }

  #announce(certificate: ServingCertificate): void {
    const { fingerprint, notAfter } = certificate;
    this.#log.info({ fingerprint, notAfter }, 'serving a new certificate');
    for (const listener of this.#listeners) this.#tell(listener, certificate);
  }

  #tell(listener: Listener, certificate: ServingCertificate): void {
    try {
      listener(certificate);
    } catch (err) {
      this.#log.error({ err }, 'a new certificate could not be taken over');
    }
  }

  /** One line when it begins and one when it is over, not with every look nor for everything that has the same cause. */
  #report(failures: readonly CertificatesError[]): void {
    this.#failures = failures;
    const complaints = [...failures, ...(failures.length === 0 ? this.#unreadiness() : [])];
    const known = this.#complaints;
    const [err, ...others] = complaints.filter(({ message }) => !known.has(message));
    if (err !== undefined) {
      const also = [...new Set(others.map(({ message }) => message))];
      this.#log.warn({ code: err.code, err, ...(also.length > 0 && { also }) }, 'certificates need attention');
    }
    if (complaints.length === 0 && known.size > 0) this.#log.info({}, 'certificates are in order again');
    this.#complaints = new Set(complaints.map(({ message }) => message));
  }

  /** Why callers are kept away though nothing went wrong here: somebody else has to set a caBundle, for one. */
  #unreadiness(): readonly CertificatesError[] {
    const state = this.ready();
    return state.ready ? [] : [new CertificatesError('NOT_READY', `not ready: ${state.because}`)];
  }
}

function isSame(one: ServingCertificate, other: ServingCertificate | undefined): boolean {
  return one.certificate === other?.certificate && one.key === other.key && one.authorities === other.authorities;
}

/** May callers be sent here, given what is served, what they trust, and what went wrong last? */
export function readiness(
  served: ServingCertificate | undefined,
  caBundle: CaBundle,
  failure: CertificatesError | undefined,
  now: Date,
): Readiness {
  if (served === undefined) {
    return notReady('no-certificate', failure?.message ?? 'the first certificate is still being fetched');
  }
  if (now >= served.notAfter) {
    const expired = `the certificate served expired at ${served.notAfter.toISOString()}`;
    return notReady('expired', failure === undefined ? expired : `${expired}: ${failure.message}`);
  }
  switch (caBundle.state) {
    case 'in-sync':
    case 'no-configuration':
      return { ready: true };
    case 'out-of-sync':
      return notReady('ca-bundle-out-of-sync', failure ? `${caBundle.because}: ${failure.message}` : caBundle.because);
    case 'unknown':
      return notReady('ca-bundle-unknown', caBundle.because);
    default:
      return caBundle satisfies never;
  }
}

function notReady(reason: Exclude<Readiness, { ready: true }>['reason'], because: string): Readiness {
  return { ready: false, reason, because };
}
