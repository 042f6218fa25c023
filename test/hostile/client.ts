import { Readable } from 'node:stream';
import { connect } from 'node:tls';
import { Pool } from 'undici';
import type { HostileAnswer } from './answer.ts';
import type { HostileRequest } from './request.ts';

/** Somebody who sends requests to an address over TLS, and waits for each answer. */
export interface HostileClient {
  /** `undefined` where the server closed the connection without a word, or still waits for the rest of the request. */
  send(request: HostileRequest): Promise<HostileAnswer | undefined>;
  close(): Promise<void>;
}

/** The API server never waits longer; a request that is never finished is given up much sooner. */
const PATIENCE_MS = 30_000;
const UNFINISHED_MS = 300;

export function hostileClient(url: URL, ca: string, connections: number): HostileClient {
  const pool = new Pool(url, { connections, connect: { ca }, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  return {
    send: (request) => (request.wire === undefined ? sent(pool, request) : written(url, ca, request.wire)),
    close: () => pool.close(),
  };
}

async function sent(pool: Pool, request: HostileRequest): Promise<HostileAnswer | undefined> {
  try {
    return await once(pool, request);
  } catch (error) {
    // A kept connection that ended with the request before it, such as one with too many headers, says so only now.
    if (!(error instanceof Error && 'code' in error && CLOSED.has(error.code))) throw error;
    return once(pool, request);
  }
}

const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

async function once(pool: Pool, { path, headers, body, chunked }: HostileRequest): Promise<HostileAnswer> {
  const answer = await pool.request({ method: 'POST', path, headers, body: chunked ? piecesOf(body) : body });
  return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) };
}

function piecesOf(body: Buffer): Readable {
  const size = Math.max(1, Math.ceil(body.length / 7));
  const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, n) =>
    body.subarray(n * size, (n + 1) * size),
  );
  return Readable.from(pieces);
}

/** Bytes as they are. Of what comes back only the first status counts that is an answer. */
function written(url: URL, ca: string, wire: Buffer): Promise<HostileAnswer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: url.hostname, port: Number(url.port), ca }, () => socket.write(wire));
    socket.setTimeout(UNFINISHED_MS, () => socket.destroy());
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {}); // a reset is an answer, too
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (?!1)(\d{3})/m.exec(Buffer.concat(chunks).toString('latin1'))?.[1];
      resolve(status === undefined ? undefined : { status: Number(status), body: Buffer.alloc(0) });
    });
  });
}
