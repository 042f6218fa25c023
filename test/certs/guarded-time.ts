import assert from 'node:assert/strict';
import { certificatesIn, holds, issued, verifies } from '../../certs/x509.ts';
import type { InMemoryApi } from './in-memory-api.ts';
import { poll, type Replica, served } from './replica.ts';

/** Between two looks of a replica. */
export const LOOK = 10_000;

/** Time that passes for several replicas, while it is seen that no caller would ever have been turned away. */
export class GuardedTime {
  readonly #api: InMemoryApi;
  readonly #since = new Map<string, number>();
  #now = 0;

  constructor(api: InMemoryApi) {
    this.#api = api;
  }

  /** Lets each replica look in its turn, every ten seconds; what was served by a new authority must have been waited for. */
  async pass(milliseconds: number, replicas: readonly Replica[], step = LOOK): Promise<void> {
    for (const end = this.#now + milliseconds; this.#now < end; ) {
      for (const replica of replicas) {
        const before = replica.source.current();
        await poll(replica);
        this.#check(replicas);
        if (before !== undefined && before.certificate !== served(replica).certificate) this.#checkWait(replica);
      }
      this.#now += step;
      for (const { world } of replicas) world.advance(step);
    }
  }

  #check(replicas: readonly Replica[]): void {
    const caBundles = this.#api.caBundles().map(certificatesIn);
    for (const replica of replicas) {
      const chain = certificatesIn(served(replica).certificate);
      for (const caBundle of caBundles)
        assert.ok(verifies(chain, caBundle, replica.world.now()), 'every call succeeds');
      assert.deepEqual(replica.source.ready(), { ready: true });
    }
    const [first = [], ...others] = caBundles;
    const trusted = first.filter((authority) => others.every((caBundle) => holds(caBundle, authority)));
    const names = new Set(trusted.map(({ fingerprint256 }) => fingerprint256));
    for (const name of this.#since.keys()) if (!names.has(name)) this.#since.delete(name);
    for (const name of names) if (!this.#since.has(name)) this.#since.set(name, this.#now);
  }

  #checkWait(replica: Replica): void {
    const [leaf] = certificatesIn(served(replica).certificate);
    const [caBundle = ''] = this.#api.caBundles();
    const authority = certificatesIn(caBundle).find((one) => leaf !== undefined && issued(one, leaf));
    const since = this.#since.get(authority?.fingerprint256 ?? '') ?? this.#now;
    assert.ok(this.#now - since >= 60_000, `callers have trusted the new CA for ${this.#now - since} ms only`);
  }
}
