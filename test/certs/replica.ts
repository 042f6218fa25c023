import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { CertificatesApi, WebhookConfigurationName } from '../../certs/certificates-api.ts';
import {
  type CertificateSource,
  type Lifetimes,
  type ServingCertificate,
  startCertificates,
} from '../../certs/index.ts';
import { certificatesIn, verifies } from '../../certs/x509.ts';
import type { InMemoryApi } from './in-memory-api.ts';
import { type TestWorld, testLog, testWorld } from './test-world.ts';

export const validating: WebhookConfigurationName = { kind: 'ValidatingWebhookConfiguration', name: 'rwo-guard' };
export const mutating: WebhookConfigurationName = { kind: 'MutatingWebhookConfiguration', name: 'rwo-guard' };
export const twoEntries = [
  { name: 'enforce.rwo-guard.dev', caBundle: '' },
  { name: 'advise.rwo-guard.dev', caBundle: '' },
];

export interface ReplicaOptions {
  /** Its own otherwise, at the beginning. */
  readonly world?: TestWorld;
  readonly lifetimes?: Lifetimes;
}

export interface Replica {
  readonly source: CertificateSource;
  readonly world: TestWorld;
  readonly log: ReturnType<typeof testLog>;
}

/** A server's certificates, in a world of its own whose clock starts where those of the others do. */
export function replica(t: TestContext, api: CertificatesApi, options: ReplicaOptions = {}): Replica {
  const world = options.world ?? testWorld();
  const log = testLog();
  const source = startCertificates({
    from: 'secret',
    api,
    secret: { namespace: 'rwo-guard', name: 'rwo-guard-tls' },
    configurations: [validating, mutating],
    names: ['rwo-guard.rwo-guard.svc'],
    log,
    world,
    ...(options.lifetimes && { lifetimes: options.lifetimes }),
  });
  t.after(() => source.stop());
  return { source, world, log };
}

/** Once all have looked. */
export async function settled(...replicas: readonly Replica[]): Promise<void> {
  await Promise.all(replicas.map(({ world }) => world.asleep()));
}

/** All of them look once more, at the same time. */
export async function poll(...replicas: readonly Replica[]): Promise<void> {
  await Promise.all(replicas.map(({ world }) => world.poll()));
}

export function served({ source }: Replica): ServingCertificate {
  const certificate = source.current();
  assert.ok(certificate, 'a certificate is served');
  return certificate;
}

/** The writes that were not lost to somebody else's. */
export function written(api: InMemoryApi): readonly string[] {
  return api.writes.filter(({ outcome }) => outcome === 'written').map(({ verb }) => verb);
}

/** By the authorities that come with it. */
export function isTrusted(one: Replica): boolean {
  const authorities = certificatesIn(served(one).authorities);
  return verifies(certificatesIn(served(one).certificate), authorities, one.world.now());
}
