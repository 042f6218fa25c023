import { type BundleReading, type CertificateBundle, type Kept, parseBundle, toSecretData } from './bundle.ts';
import { injectCaBundle, readConfigurations } from './ca-injection.ts';
import type { StoredSecret } from './certificates-api.ts';
import { CertificatesError } from './certificates-error.ts';
import { issueBundle } from './issuance.ts';
import { DEFAULT_LIVES } from './lives.ts';
import type { SecretOptions } from './options.ts';
import { pairProblem, servingCertificate } from './pair.ts';
import { type Look, PolledSource } from './polled-source.ts';
import { type RenewalReason, renewalReason } from './renewal.ts';
import type { CertificateSource } from './source.ts';
import { realWorld, type World } from './world.ts';

/** Races are between replicas and decided at once; who loses five in a row may as well wait for the next poll. */
const ATTEMPTS = 5;
/** In milliseconds: several round trips to the API server, so that two which lost together do not meet again. */
const LONGEST_PAUSE = 200;

/** Keeps authority and certificate in a Secret that all replicas share, and caBundle equal to what that Secret trusts. */
export function secretSource(options: SecretOptions): CertificateSource {
  const { log, world = realWorld } = options;
  const given = { ...options, world };
  let trusted = '';
  const look = async (signal: AbortSignal): Promise<Look> => {
    for (let attempt = 1; ; attempt++) {
      const { bundle, ...found } = await lookOnce(given, trusted);
      trusted = bundle?.trusted ?? trusted;
      if (!found.lost || attempt === ATTEMPTS || signal.aborted) return found;
      await world.sleep(world.random() * LONGEST_PAUSE, signal);
    }
  };
  return new PolledSource(look, log, world);
}

type Given = SecretOptions & { readonly world: World };

interface Attempt extends Look {
  readonly bundle: CertificateBundle | undefined;
  readonly lost: boolean;
}

/**
 * The configurations are read before the Secret. A caBundle that differs from a Secret read later is therefore out of date,
 * unless the configuration has changed since, and then writing it is lost: no replica puts an old caBundle back.
 *
 * caBundle is set before the certificate is served, so that what is served is trusted from the start.
 */
async function lookOnce(given: Given, trusted: string): Promise<Attempt> {
  const { api, configurations, names, log, world } = given;
  const readings = await readConfigurations(api, configurations);
  const { bundle, lost, failures } = await settleSecret(given, trusted);
  if (bundle === undefined) return { bundle, lost, certificate: undefined, readings, failures };

  const injection = await injectCaBundle(api, readings, bundle.trusted, log);
  const isServable = pairProblem(bundle.serving, names, world.now()) === undefined;
  return {
    bundle,
    lost: injection.lost,
    certificate: isServable ? servingCertificate(bundle.serving, bundle.trusted) : undefined,
    readings: injection.readings,
    failures: [...failures, ...injection.failures],
  };
}

type Settled = Pick<Attempt, 'bundle' | 'lost' | 'failures'>;

/** What the Secret holds once it is right. Where it cannot be written, what it holds already goes on being used. */
async function settleSecret(given: Given, trusted: string): Promise<Settled> {
  const { api, secret, names, world } = given;
  let usable: CertificateBundle | undefined;
  try {
    const stored = await api.getSecret(secret);
    const reading = stored && parseBundle(stored.data);
    if (reading?.usable) usable = reading.bundle;
    const reason = renewalReason(reading, names, world.now());
    if (reason === undefined) return { bundle: usable, lost: false, failures: [] };
    const bundle = await renew(given, stored, reason, keptFrom(reading, trusted));
    return { bundle, lost: bundle === undefined, failures: [] };
  } catch (failure) {
    if (!(failure instanceof CertificatesError)) throw failure;
    return { bundle: usable, lost: false, failures: [failure] };
  }
}

/** The new bundle, or undefined when another replica wrote first: then its bundle is the one that counts. */
async function renew(
  { api, secret, names, lives = DEFAULT_LIVES, log, world }: Given,
  stored: StoredSecret | undefined,
  reason: RenewalReason,
  kept: Kept,
): Promise<CertificateBundle | undefined> {
  const bundle = await issueBundle(kept, names, lives, world);
  const data = toSecretData(bundle);
  const write = stored
    ? await api.updateSecret(secret, data, stored.resourceVersion)
    : await api.createSecret(secret, data);
  if (write === 'lost') return undefined;
  log.info({ reason, ...secret }, 'issued a serving certificate');
  return bundle;
}

/** A Secret that is gone or spoilt takes nobody's trust with it: what this replica last saw trusted is carried over. */
function keptFrom(reading: BundleReading | undefined, trusted: string): Kept {
  if (reading === undefined) return { trusted };
  return reading.usable ? reading.bundle : { ...reading.kept, trusted: reading.kept.trusted + trusted };
}
