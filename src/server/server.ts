import type { Server } from 'node:https';
import fastify, { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { CertificateSource } from '../../certs/source.ts';
import { type Admission, type Admitted, MalformedReviewError, type Observation } from '../admission/admission.ts';
import { deadlineFor } from './deadline.ts';
import { followCertificate } from './tls.ts';

export interface ServerDeps {
  readonly admission: Admission;
  readonly certificates: Pick<CertificateSource, 'onChange'>;
  readonly log: Logger;
  /** Hears of every review that was answered, and of how long that took. */
  readonly observe: (observation: Observation, seconds: number) => void;
  /** Hears of every request that got no answer: its `failurePolicy` decides then. */
  readonly unanswered: (door: Door) => void;
  /** Once it is aborted every answer asks its client to leave the connection, so that closing later cuts none off. */
  readonly leaving: AbortSignal;
  /** Milliseconds that only ever go forward. */
  readonly now?: () => number;
}

/** The two paths that webhook configurations name. */
export type Door = Observation['webhook'];

/** Go's client gives an idle connection up after 90 s (`IdleConnTimeout`), and must be the one that does so first. */
const KEEP_ALIVE_MS = 120_000;

/** Nobody waits longer: the API server allows a webhook 30 s at most (`timeoutSeconds`). */
const REQUEST_MS = 30_000;

/** Headers and handshake are a few packets; whoever needs longer holds the connection open on purpose. */
const HEADERS_MS = 10_000;

/** Node enforces both limits at this grain only, so it stays well below the shorter one. */
const CHECK_CONNECTIONS_MS = 2_000;

/**
 * The API server takes objects of 3 MiB (`MaxRequestBodyBytes`). An update brings two of them, old and new; 2 MiB more
 * hold the request around them and what JSON escapes add. Beyond that `failurePolicy` decides.
 */
const BODY_LIMIT = 8 * 1024 * 1024;

/** Serves `POST /validate` and `POST /mutate` over HTTPS. Builds the server; whoever called this makes it listen. */
export function buildServer(deps: ServerDeps): FastifyInstance<Server> {
  const app = fastify<Server>({
    https: {
      headersTimeout: HEADERS_MS,
      handshakeTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS,
    bodyLimit: BODY_LIMIT,
    // A request that arrives while the server closes is answered like any other: a 503 would be a failed admission.
    return503OnClosing: false,
    // `__proto__` and `constructor` are legal keys of a ConfigMap: an object that has them is judged, and judged whole.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
  });
  app.removeContentTypeParser('text/plain');
  followCertificate(app.server, deps.certificates);
  app.server.on('tlsClientError', (error) => deps.log.debug({ err: error }, 'TLS handshake failed'));
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply, deps));
  for (const door of DOORS) app.post<Query>(`/${door}`, (request, reply) => answer(door, request, reply, deps));
  return app;
}

const DOORS: readonly Door[] = ['validate', 'mutate'];

interface Query {
  readonly Querystring: { readonly timeout?: unknown };
}

async function answer(
  door: Door,
  { body, query }: FastifyRequest<Query>,
  reply: FastifyReply<Query>,
  { admission, log, observe, leaving, now = () => performance.now() }: ServerDeps,
): Promise<Admitted['review']> {
  const began = now();
  const deadline = deadlineFor(query.timeout);
  try {
    const { review, observation } = await admission[door](body, deadline.signal);
    const seconds = (now() - began) / 1000;
    observe(observation, seconds);
    log.info({ ...observation, seconds }, 'review answered');
    if (leaving.aborted) reply.header('connection', 'close');
    return review;
  } finally {
    deadline.met();
  }
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The only place where an error becomes an answer, and never one that allows or denies. */
async function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, unanswered }: ServerDeps,
): Promise<void> {
  const path = request.routeOptions.url;
  const door = DOORS.find((candidate) => path === `/${candidate}`);
  if (door !== undefined) unanswered(door);
  const refusal = refusalOf(error, request);
  if (refusal === undefined) {
    log.error({ err: error, path }, 'admission failed');
    await reply.code(500).send({ message: 'internal error: the log of rwo-guard tells more' });
    return;
  }
  log.warn({ path, ...refusal }, 'request refused');
  if (refusal.status === 413) await readToTheEnd(request);
  await reply.code(refusal.status).send({ message: refusal.message });
}

/** What the sender did wrong; `undefined` where the error is a bug of ours. */
function refusalOf(error: unknown, request: FastifyRequest): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof MalformedReviewError) return { status: 400, message: error.message };
  const known = BAD_REQUESTS.find(([kind]) => error instanceof kind);
  if (known !== undefined) return { status: known[1], message: error.message };
  return request.raw.complete ? undefined : { status: 400, message: 'the sender hung up before the body was complete' };
}

const BAD_REQUESTS = [
  [errorCodes.FST_ERR_CTP_EMPTY_JSON_BODY, 400],
  [errorCodes.FST_ERR_CTP_INVALID_JSON_BODY, 400],
  [errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH, 400],
  [errorCodes.FST_ERR_CTP_BODY_TOO_LARGE, 413],
  [errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE, 415],
] as const;

/** Closed while the client still writes, a connection is reset and the answer lost. */
function readToTheEnd(request: FastifyRequest): Promise<void> {
  return new Promise((resolve) => request.raw.resume().once('close', () => resolve()));
}
