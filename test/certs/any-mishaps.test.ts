import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { SecretData } from '../../certs/certificates-api.ts';
import { certificatesIn, verifies } from '../../certs/x509.ts';
import { LOOK } from './guarded-time.ts';
import { InMemoryApi } from './in-memory-api.ts';
import { mutating, poll, type Replica, replica, served, settled, twoEntries, validating } from './replica.ts';
import { DAY, testWorld } from './test-world.ts';

type Mishap =
  | 'secret-deleted'
  | 'secret-emptied'
  | 'secret-restored'
  | 'bundle-wiped'
  | 'configuration-deleted'
  | 'rotation-asked-for'
  | 'distrust-asked-for'
  | 'replica-replaced'
  | 'secret-refused'
  | 'writes-refused'
  | 'configurations-refused'
  | 'all-allowed'
  | 'twenty-days-pass';

const MISHAPS: readonly Mishap[] = [
  'secret-deleted',
  'secret-emptied',
  'secret-restored',
  'bundle-wiped',
  'configuration-deleted',
  'rotation-asked-for',
  'distrust-asked-for',
  'replica-replaced',
  'secret-refused',
  'writes-refused',
  'configurations-refused',
  'all-allowed',
  'twenty-days-pass',
];

test('whatever happens in whatever order, a replica serves what callers trust, or is not ready and tells what it lacks', async (t) => {
  const some = fc.array(fc.tuple(fc.constantFrom(...MISHAPS), fc.integer({ min: 0, max: 8 })), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(some, async (mishaps) => {
      const installation = await Installation.with(t);
      for (const [mishap, looks] of mishaps) {
        await installation.suffer(mishap);
        await installation.look(looks);
      }
      await installation.recover();
    }),
    { numRuns: 10 },
  );
});

class Installation {
  readonly #t: TestContext;
  readonly #api = new InMemoryApi();
  readonly #backups: SecretData[] = [];
  #replicas: readonly Replica[] = [];

  static async with(t: TestContext): Promise<Installation> {
    const installation = new Installation(t);
    installation.#putConfigurations();
    installation.#replicas = [replica(t, installation.#api), replica(t, installation.#api)];
    await settled(...installation.#replicas);
    return installation;
  }

  private constructor(t: TestContext) {
    this.#t = t;
  }

  async suffer(mishap: Mishap): Promise<void> {
    const api = this.#api;
    this.#backups.push(api.secret());
    switch (mishap) {
      case 'secret-deleted':
        return api.putSecret(undefined);
      case 'secret-emptied':
        return api.putSecret({});
      case 'secret-restored':
        return api.putSecret(this.#backups[0]);
      case 'bundle-wiped':
        return this.#putConfigurations();
      case 'configuration-deleted':
        return api.deleteConfiguration(mutating);
      case 'rotation-asked-for':
        return api.putSecret({ ...api.secret(), rotation: 'requested' });
      case 'distrust-asked-for':
        return api.putSecret({ ...api.secret(), rotation: 'requested-distrusting-old' });
      case 'replica-replaced':
        return this.#replaceReplica();
      case 'secret-refused':
        return void api.refused.add('getSecret');
      case 'writes-refused':
        return void api.refused.add('createSecret').add('updateSecret').add('applyCaBundle');
      case 'configurations-refused':
        return void api.refused.add('getConfiguration');
      case 'all-allowed':
        return api.refused.clear();
      case 'twenty-days-pass':
        for (const { world } of this.#replicas) world.advance(20 * DAY);
        return;
      default:
        return mishap satisfies never;
    }
  }

  /** Each replica in its turn; right after its look it knows how things stand. */
  async look(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      for (const one of this.#replicas) {
        await poll(one);
        this.#check(one);
      }
      for (const { world } of this.#replicas) world.advance(LOOK);
    }
  }

  /** Once nothing is refused any more all is well within minutes, and one certificate is served. */
  async recover(): Promise<void> {
    this.#api.refused.clear();
    this.#putConfigurations();
    await this.look(45);
    const { 'ca.crt': trusted, 'next-ca.key': next, rotation, ...secret } = this.#api.secret();
    assert.deepEqual([next, rotation], [undefined, undefined]);
    for (const one of this.#replicas) assert.equal(served(one).certificate, secret['tls.crt']);
    for (const caBundle of this.#api.caBundles()) assert.equal(caBundle, trusted);
  }

  #check(one: Replica): void {
    const state = one.source.ready();
    if (!state.ready) {
      assert.ok(this.#api.refused.size > 0, `not ready without need: ${state.because}`);
      assert.match(state.because, /refused|expired|does not verify/);
      return;
    }
    if (this.#api.refused.has('getConfiguration')) return;
    const chain = certificatesIn(served(one).certificate);
    for (const caBundle of this.#api.caBundles()) {
      assert.ok(verifies(chain, certificatesIn(caBundle), one.world.now()), 'ready, though callers do not trust it');
    }
  }

  #putConfigurations(): void {
    this.#api.putConfiguration(validating, twoEntries);
    this.#api.putConfiguration(mutating, twoEntries);
  }

  async #replaceReplica(): Promise<void> {
    const [gone, stays] = this.#replicas;
    assert.ok(gone && stays);
    await gone.source.stop();
    const fresh = replica(this.#t, this.#api, { world: testWorld(stays.world.now().toISOString()) });
    this.#replicas = [stays, fresh];
    await settled(fresh);
  }
}
