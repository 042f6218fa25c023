import assert from 'node:assert/strict';
import type { RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import type { CertificateSource, ServingCertificate } from '../../certs/source.ts';
import type { Admission, Observation } from '../../src/admission/admission.ts';
import { createLog } from '../../src/log.ts';
import { closerOf } from '../../src/server/closing.ts';
import { buildServer, type ServerDeps, type WebhookPath } from '../../src/server/server.ts';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';

/** A running server with what it logged and counted, and a client that verifies it. */
export interface HttpsServer {
  readonly app: ReturnType<typeof buildServer>;
  readonly client: RequestOptions;
  readonly logged: () => readonly Record<string, unknown>[];
  readonly observed: readonly Observation[];
  readonly unanswered: readonly WebhookPath[];
  /** What had to go because there was too much. */
  readonly cutOff: readonly string[];
  /** Puts another certificate of the same authority in the place of the one in force. */
  readonly renew: () => void;
  /** Says that the server is about to close. */
  readonly leave: () => void;
}

/** Made once for all tests of a file: a key takes a tenth of a second. */
const authority = createCertificateAuthority();
const served = servingCertificate();

export async function startServer(
  t: TestContext,
  admission: Admission,
  more: Partial<ServerDeps> = {},
): Promise<HttpsServer> {
  const certificates = renewable();
  const log = new PassThrough();
  const observed: Observation[] = [];
  const unanswered: WebhookPath[] = [];
  const leaving = new AbortController();
  const cutOff: string[] = [];
  const app = buildServer({
    admission,
    certificates,
    log: createLog('debug', log),
    observe: (observation) => observed.push(observation),
    unanswered: (door) => unanswered.push(door),
    leaving: leaving.signal,
    cutOff: (what) => cutOff.push(what),
    ...more,
  });
  const close = closerOf(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => close(0));
  return {
    app,
    client: { host: '127.0.0.1', port: portOf(app.server.address()), ca: authority.certificate, agent: false },
    logged: () =>
      String(log.read() ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    observed,
    unanswered,
    cutOff,
    renew: certificates.renew,
    leave: () => leaving.abort(),
  };
}

function renewable(): Pick<CertificateSource, 'onChange'> & { renew(): void } {
  const listeners: ((certificate: ServingCertificate) => void)[] = [];
  return {
    onChange(listener) {
      listeners.push(listener);
      listener(served);
      return () => {};
    },
    renew() {
      for (const listener of listeners) listener(servingCertificate());
    },
  };
}

function servingCertificate(): ServingCertificate {
  const pair = authority.servingCertificate({ dns: [], ips: ['127.0.0.1'] });
  return { ...pair, authorities: authority.certificate, notAfter: new Date(), fingerprint: '' };
}

function portOf(address: AddressInfo | string | null): number {
  assert.ok(address !== null && typeof address !== 'string');
  return address.port;
}
