import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { TLSSocket } from 'node:tls';

export interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly connection: string | undefined;
  /** The serial number of the certificate that was served. */
  readonly serial: string;
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
