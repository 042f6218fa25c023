import { type CertificateBundle, parseBundle, toSecretData } from './bundle.ts';
import { type ConfigurationReading, compareCaBundle } from './ca-bundle.ts';
import { injectCaBundle, readConfigurations } from './ca-injection.ts';
import { type CallersTrust, inForce, NO_TRUST_SEEN, observeTrust, settledAuthorities } from './callers-trust.ts';
import { CertificatesError } from './certificates-error.ts';
import { DEFAULT_LIFETIMES } from './issuance.ts';
import { type Change, type Knowledge, nextBundle } from './next-bundle.ts';
import type { SecretOptions } from './options.ts';
import { PolledSource, type PollResult } from './polled-source.ts';
import type { CertificateSource, ServingCertificate } from './source.ts';
import { atServerTime, clockFailures, realWorld, type World } from './world.ts';
import { certificatesIn, holds, pairProblem, pemOf, servingCertificate, verifies } from './x509.ts';

/** Races are between replicas and decided at once; who loses five in a row may as well wait for the next poll. */
const ATTEMPTS = 5;
/** In milliseconds: several round trips to the API server, so that two which lost together do not meet again. */
const LONGEST_PAUSE = 200;

/** Keeps authority and certificate in a Secret that all replicas share, and caBundle equal to what that Secret trusts. */
export function secretSource(options: SecretOptions): CertificateSource {
  const { log, api } = options;
  const world = atServerTime(options.world ?? realWorld, api);
  const given = { ...options, world };
  let memory: ReplicaMemory = { seen: { trusted: '', distrusted: '' }, trust: NO_TRUST_SEEN, served: undefined };
  const look = async (signal: AbortSignal): Promise<PollResult> => {
    for (let attempt = 1; ; attempt++) {
      const { lost, memory: next, ...found } = await lookOnce(given, memory);
      memory = next;
      if (!lost || attempt === ATTEMPTS || signal.aborted) return found;
      await world.sleep(world.random() * LONGEST_PAUSE, signal);
    }
  };
  return new PolledSource(look, log, world);
}

type Given = SecretOptions & { readonly world: World };

/** What a replica takes from one look to the next. */
interface ReplicaMemory extends Pick<Knowledge, 'seen'> {
  readonly trust: CallersTrust;
  readonly served: ServingCertificate | undefined;
}

interface Attempt extends PollResult {
  readonly memory: ReplicaMemory;
  readonly lost: boolean;
}

/**
 * The configurations are read before the Secret. A caBundle that differs from a Secret read later is therefore out of date,
 * unless the configuration has changed since, and then writing it is lost: no replica puts an old caBundle back.
 *
 * caBundle is set before the certificate is served, so that what is served is trusted from the start.
 */
async function lookOnce(given: Given, memory: ReplicaMemory): Promise<Attempt> {
  const { api, configurations, log, world } = given;
  const readings = await readConfigurations(api, configurations);
  const settled = await settleSecret(given, knowledgeOf(memory, readings, world));
  const { bundle, lost } = settled;
  const failures = [...settled.failures, ...clockFailures(api)];
  if (bundle === undefined) return { memory, lost, certificate: undefined, readings, failures };

  const injection = await injectCaBundle(api, readings, bundle.trusted, log);
  const trust = observeTrust(memory.trust, injection.readings, world.elapsed());
  const certificate = certificateToServe(bundle, { ...memory, trust }, injection.readings, given);
  return {
    memory: { seen: bundle, trust, served: certificate ?? memory.served },
    lost: injection.lost,
    certificate,
    readings: injection.readings,
    failures: [...failures, ...injection.failures],
  };
}

function knowledgeOf(
  { seen, trust }: ReplicaMemory,
  readings: readonly ConfigurationReading[],
  world: World,
): Knowledge {
  const settled = settledAuthorities(trust, world.elapsed());
  const isSettled = (pem: string) => certificatesIn(pem).every((authority) => holds(settled, authority));
  return {
    seen,
    inForce: pemOf(inForce(readings)),
    isSettled: (pem) => readings.every(({ known }) => known) && (trust.nobodyCalls || isSettled(pem)),
  };
}

interface Settled {
  readonly bundle: CertificateBundle | undefined;
  readonly lost: boolean;
  readonly failures: readonly CertificatesError[];
}

/** What the Secret holds once it is right. Where it cannot be written, what it holds already goes on being used. */
async function settleSecret(given: Given, knowledge: Knowledge): Promise<Settled> {
  const { api, secret, names, lifetimes = DEFAULT_LIFETIMES, log, world } = given;
  let usable: CertificateBundle | undefined;
  try {
    const stored = await api.getSecret(secret);
    const reading = stored && parseBundle(stored.data);
    if (reading?.usable) usable = reading.bundle;
    const change = await nextBundle(reading, knowledge, names, lifetimes, world);
    if (change === undefined) return { bundle: usable, lost: false, failures: [] };
    const data = toSecretData(change.bundle);
    const write = stored
      ? await api.updateSecret(secret, data, stored.resourceVersion)
      : await api.createSecret(secret, data);
    // Another replica wrote first: then its bundle is the one that counts.
    if (write === 'lost') return { bundle: undefined, lost: true, failures: [] };
    log.info({ reason: change.because, ...secret }, told(change));
    return { bundle: change.bundle, lost: false, failures: [] };
  } catch (failure) {
    if (!(failure instanceof CertificatesError)) throw failure;
    return { bundle: usable, lost: false, failures: [failure] };
  }
}

function told({ because }: Change): string {
  switch (because) {
    case 'publish':
      return 'made a new CA, which signs once callers have trusted it for a minute';
    case 'succeed':
      return 'the new CA signs; the key of the old one is gone, and its certificate stays trusted until it expires';
    case 'distrust':
      return 'the old CAs are no longer trusted';
    case 'forgotten':
      return 'the Secret had forgotten what was trusted before, and knows it again';
    default:
      return 'issued a serving certificate';
  }
}

/**
 * The Secret's certificate, unless it is by an authority that callers do not know well yet, as after a Secret was lost or
 * restored: until they do, what is served already is served on where they trust it.
 */
function certificateToServe(
  bundle: CertificateBundle,
  { trust, served }: { readonly trust: CallersTrust; readonly served: ServingCertificate | undefined },
  readings: readonly ConfigurationReading[],
  { names, world }: { readonly names: readonly string[]; readonly world: World },
): ServingCertificate | undefined {
  const now = world.now();
  if (pairProblem(bundle.serving, names, now) !== undefined) return undefined;
  const offered = servingCertificate(bundle.serving, bundle.trusted);
  if (served === undefined || trust.nobodyCalls) return offered;
  const settled = settledAuthorities(trust, world.elapsed());
  if (verifies(certificatesIn(bundle.serving.certificate), settled, now)) return offered;
  const isRefused = compareCaBundle(readings, served, now).state === 'out-of-sync' || now >= served.notAfter;
  return isRefused ? offered : served;
}
