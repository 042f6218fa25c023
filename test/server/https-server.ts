import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { TLSSocket } from 'node:tls';
import type { CertificateSource, ServingCertificate } from '../../certs/source.ts';
import type { Admission, Observation } from '../../src/admission/admission.ts';
import { createLog } from '../../src/log.ts';
import { buildServer, type Door } from '../../src/server/server.ts';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';

/** A running server with what it logged and counted, and a client that verifies it. */
export interface HttpsServer {
  readonly app: ReturnType<typeof buildServer>;
  readonly client: RequestOptions;
  readonly logged: () => readonly Record<string, unknown>[];
  readonly observed: readonly Observation[];
  readonly unanswered: readonly Door[];
  /** Puts another certificate of the same authority in the place of the one in force. */
  readonly renew: () => void;
  /** Says that the server is about to close. */
  readonly leave: () => void;
}

export interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly connection: string | undefined;
  /** The serial number of the certificate that was served. */
  readonly serial: string;
}

/** Made once for all tests of a file: a key takes a tenth of a second. */
const authority = createCertificateAuthority();

export async function startServer(t: TestContext, admission: Admission): Promise<HttpsServer> {
  const certificates = renewable(() => servingCertificate());
  const log = new PassThrough();
  const observed: Observation[] = [];
  const unanswered: Door[] = [];
  const leaving = new AbortController();
  const app = buildServer({
    admission,
    certificates,
    log: createLog('debug', log),
    observe: (observation) => observed.push(observation),
    unanswered: (door) => unanswered.push(door),
    leaving: leaving.signal,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
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
    renew: certificates.renew,
    leave: () => leaving.abort(),
  };
}

/** One connection that is kept, as the API server's client keeps its own. */
export function keptConnection(t: TestContext): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  return agent;
}

export function post(options: RequestOptions, path: string, body: string | Buffer, type?: string): Promise<Answer> {
  const headers = {
    'content-length': Buffer.byteLength(body),
    ...(type === undefined ? {} : { 'content-type': type }),
  };
  const sent = request({ ...options, path, method: 'POST', headers });
  sent.end(body);
  return answerTo(sent);
}

export function postJson(options: RequestOptions, path: string, body: unknown): Promise<Answer> {
  return post(options, path, JSON.stringify(body), 'application/json');
}

export async function answerTo(sent: ClientRequest): Promise<Answer> {
  const [response]: IncomingMessage[] = await once(sent, 'response');
  assert.ok(response !== undefined && response.socket instanceof TLSSocket);
  const { serialNumber } = response.socket.getPeerCertificate();
  const { statusCode, headers } = response;
  return { status: statusCode, body: await text(response), connection: headers.connection, serial: serialNumber };
}

function renewable(issue: () => ServingCertificate): Pick<CertificateSource, 'onChange'> & { renew(): void } {
  const listeners: ((certificate: ServingCertificate) => void)[] = [];
  return {
    onChange(listener) {
      listeners.push(listener);
      listener(issue());
      return () => {};
    },
    renew() {
      for (const listener of listeners) listener(issue());
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
