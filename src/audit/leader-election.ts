import { ApiError, problemOf } from '../cluster/api-error.ts';
import type { ApiWriter } from '../cluster/connection.ts';
import type { Logger } from '../cluster/reflector.ts';
import type { Time } from '../cluster/time.ts';
import { countAt, type JsonObject, objectAt, stringAt } from '../objects/json.ts';
import { ask, microTime } from './api.ts';

export interface LeaderElectionOptions {
  readonly api: ApiWriter;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Names this process, and no other. */
  readonly identity: string;
  readonly time: Time;
  readonly log: Logger;
  readonly failed: (what: 'lease') => void;
}

/**
 * How long a leader of which nothing is heard keeps the lease, since others saw it renewed last. Together with two looks, one
 * that saw it and one that finds it over, that is less than the 15 s within which somebody else is to lead.
 */
const LEASE_SECONDS = 10;

/** A leader that cannot renew stops this long after it did last: well before anybody else begins. */
const RENEW_DEADLINE_MS = 7_000;

/** From one look at the lease, or one renewal, to the next. */
const RETRY_MS = 1_500;

/** Up to so much more, by chance, so that those who wait do not ask in step (`client-go/tools/leaderelection:JitterFactor`). */
const JITTER = 0.2;

/**
 * Lets one of several processes lead at a time, by a Lease, as the controllers of Kubernetes do
 * (`client-go/tools/leaderelection/leaderelection.go`): how long a lease holds is counted from when its change was seen, by the
 * own clock.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #path: string;
  /** The lease as it was seen last, and when that was. */
  #observed: JsonObject | undefined;
  #observedAt = 0;
  #problem: string | undefined;
  #leads = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(options.lease.namespace)}/leases`;
  }

  get leads(): boolean {
    return this.#leads;
  }

  /** Leads whenever it can, until the signal ends it; then gives the lease back. The signal of `lead` ends with each term. */
  async run(lead: (term: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { time, log } = this.#options;
    while (!signal.aborted) {
      if (!(await this.#try(RENEW_DEADLINE_MS, signal))) {
        await time.sleep(this.#retryMs(), signal);
        continue;
      }
      const term = new AbortController();
      const ends = AbortSignal.any([term.signal, signal]);
      this.#leads = true;
      log.info({}, 'leading the audit');
      // However it ends, it is no reason for the reviews to end.
      const led = lead(ends).catch((err: unknown) => log.warn({ err }, 'the audit ended by a bug'));
      void led.then(() => term.abort());
      await this.#renew(ends);
      this.#leads = false;
      term.abort();
      log.info({}, 'no longer leading the audit');
      await led;
      if (signal.aborted) await this.#release();
    }
  }

  /** Resolves when the lease could not be renewed for too long, or is somebody else's, or the signal ends it. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { time } = this.#options;
    let renewedAt = time.now();
    while (!signal.aborted) {
      await time.sleep(RETRY_MS, signal);
      const left = renewedAt + RENEW_DEADLINE_MS - time.now();
      if (signal.aborted || left <= 0) return;
      const began = time.now();
      if (await this.#try(left, signal)) renewedAt = began;
      else if (this.#isHeldByOther()) return;
    }
  }

  /** Whether the lease is ours now, for all that can be told within so many milliseconds. */
  async #try(withinMs: number, signal: AbortSignal): Promise<boolean> {
    const { time, log, failed } = this.#options;
    const over = new AbortController();
    void time.sleep(withinMs, over.signal).then(() => over.abort(new Error('no answer in time')));
    try {
      const isOurs = await this.#acquireOrRenew(AbortSignal.any([signal, over.signal]));
      this.#problem = undefined;
      return isOurs;
    } catch (error) {
      if (signal.aborted) return false;
      if (isConflict(error)) return false; // somebody else was quicker
      failed('lease');
      const problem = problemOf(error);
      if (problem.code !== this.#problem) log.warn({ ...problem }, 'the lease of the audit cannot be had');
      this.#problem = problem.code;
      return false;
    } finally {
      over.abort();
    }
  }

  async #acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const { api, time, identity } = this.#options;
    const found = await this.#get(signal);
    if (found === undefined) {
      this.#saw(await ask(api, 'POST', this.#path, this.#lease(undefined), { signal }));
      return true;
    }
    this.#saw(found);
    const spec = objectAt(found, 'spec');
    const holder = stringAt(spec, 'holderIdentity') ?? '';
    const holdsMs = (countAt(spec, 'leaseDurationSeconds') ?? 0) * 1000;
    if (holder !== '' && holder !== identity && this.#observedAt + holdsMs > time.now()) return false;
    this.#saw(await ask(api, 'PUT', this.#ownPath, this.#lease(found), { signal }));
    return true;
  }

  async #get(signal: AbortSignal): Promise<JsonObject | undefined> {
    try {
      return await ask(this.#options.api, 'GET', this.#ownPath, undefined, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  #saw(lease: JsonObject): void {
    if (versionOf(lease) === versionOf(this.#observed)) return;
    this.#observed = lease;
    this.#observedAt = this.#options.time.now();
  }

  #isHeldByOther(): boolean {
    const holder = stringAt(objectAt(this.#observed, 'spec'), 'holderIdentity') ?? '';
    return holder !== '' && holder !== this.#options.identity;
  }

  /** The lease as ours, against the version that was found. */
  #lease(found: JsonObject | undefined): object {
    const { time, identity, lease } = this.#options;
    const now = microTime(time);
    const spec = objectAt(found, 'spec');
    const isOurs = stringAt(spec, 'holderIdentity') === identity;
    const transitions = countAt(spec, 'leaseTransitions') ?? 0;
    return {
      ...EMPTY,
      metadata: { ...objectAt(found, 'metadata'), ...lease },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: LEASE_SECONDS,
        acquireTime: isOurs ? (stringAt(spec, 'acquireTime') ?? now) : now,
        renewTime: now,
        leaseTransitions: found === undefined || isOurs ? transitions : transitions + 1,
      },
    };
  }

  /** So that nobody has to wait for it. Best effort: it ends by itself. */
  async #release(): Promise<void> {
    const { api, time, log, lease } = this.#options;
    const now = microTime(time);
    const { leaseTransitions = 0 } = objectAt(this.#observed, 'spec') ?? {};
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions };
    const metadata = { ...objectAt(this.#observed, 'metadata'), ...lease };
    const over = new AbortController();
    void time.sleep(RELEASED_WITHIN_MS, over.signal).then(() => over.abort(new Error('no answer in time')));
    try {
      await ask(api, 'PUT', this.#ownPath, { ...EMPTY, metadata, spec }, { signal: over.signal });
    } catch (error) {
      log.info({ ...problemOf(error) }, 'the lease of the audit was not given back');
    } finally {
      over.abort();
    }
  }

  get #ownPath(): string {
    return `${this.#path}/${encodeURIComponent(this.#options.lease.name)}`;
  }

  #retryMs(): number {
    return RETRY_MS * (1 + JITTER * this.#options.time.random());
  }
}

/** A process that is to end waits no longer than that for it. */
const RELEASED_WITHIN_MS = 2_000;

const EMPTY = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };

function versionOf(lease: JsonObject | undefined): string | undefined {
  return stringAt(objectAt(lease, 'metadata'), 'resourceVersion');
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}
