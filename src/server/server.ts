import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import fastify, { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { CertificateSource } from '../../certs/source.ts';
import { type Admission, type Admitted, MalformedReviewError, type Observation } from '../admission/admission.ts';
import { limitConnections } from './connections.ts';
import { deadlineFor } from './deadline.ts';
import { type Limits, SHIPPED_LIMITS } from './limits.ts';
import { RefusedBodyError } from './refused-body.ts';
import { RequestBodies } from './request-bodies.ts';
import { ReviewMemory } from './review-memory.ts';
import { type ClientAuthentication, clientAuthenticationOptions, followCertificate, refuseOtherNames } from './tls.ts';
import { Turns } from './turns.ts';

export interface ServerDeps {
  readonly admission: Admission;
  readonly certificates: Pick<CertificateSource, 'onChange'>;
  /** Who may send reviews; everybody where it is left out. */
  readonly clientAuthentication?: ClientAuthentication | undefined;
  readonly log: Logger;
  /** Hears of every review that was answered, and of how long that took. */
  readonly observe: (observation: Observation, seconds: number) => void;
  /** Hears of every request that got no answer: its `failurePolicy` decides then. */
  readonly unanswered: (path: WebhookPath) => void;
  /** Once it is aborted every answer asks its client to leave the connection, so that closing later cuts none off. */
  readonly leaving: AbortSignal;
  /** Hears of every connection and every body that had to go because there were too many. */
  readonly cutOff: (what: 'connection' | 'body') => void;
  readonly limits?: Limits;
  /** Milliseconds that only ever go forward. */
  readonly now?: () => number;
}

/** The two paths that webhook configurations name. */
export type WebhookPath = Observation['webhook'];

/** Go's client gives an idle connection up after 90 s (`IdleConnTimeout`), and must be the one that does so first. */
const KEEP_ALIVE_MS = 120_000;

/** Nobody waits longer: the API server allows a webhook 30 s at most (`timeoutSeconds`). */
const REQUEST_MS = 30_000;

/** Headers and handshake are a few packets; whoever needs longer holds the connection open on purpose. */
const HEADERS_MS = 10_000;

/** Node enforces both limits at this grain only, so it stays well below the shorter one. */
const CHECK_CONNECTIONS_MS = 2_000;

/** Serves `POST /validate` and `POST /mutate` over HTTPS. Builds the server; whoever called this makes it listen. */
export function buildServer(deps: ServerDeps): FastifyInstance<Server> {
  const {
    certificates,
    clientAuthentication,
    cutOff,
    limits = SHIPPED_LIMITS,
    log,
    now = () => performance.now(),
  } = deps;
  const app = fastify<Server>({
    https: {
      headersTimeout: HEADERS_MS,
      handshakeTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
      ...clientAuthenticationOptions(clientAuthentication),
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS,
    // A request that arrives while the server closes is answered like any other: a 503 would be a failed admission.
    return503OnClosing: false,
  });
  const intake: Intake = {
    bodies: new RequestBodies({ one: limits.body, all: limits.bodies }, () => cutOff('body')),
    memory: new ReviewMemory(limits.reviews, now),
    turns: new Turns(now),
    now,
  };
  // Fastify would keep as much of every body as comes.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, _payload, done) => done(null));
  limitConnections(app.server, limits.connections, () => cutOff('connection'));
  followCertificate(app.server, certificates, clientAuthentication);
  if (clientAuthentication !== undefined) {
    refuseOtherNames(app.server, clientAuthentication, (name) => log.warn({ name }, 'client refused: not allowed'));
  }
  app.server.on('tlsClientError', (error) => log.debug({ err: error }, 'TLS handshake failed'));
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply, deps));
  for (const path of WEBHOOK_PATHS)
    app.post<ReviewRoute>(`/${path}`, (request, reply) => answer(path, request, reply, deps, intake));
  return app;
}

const WEBHOOK_PATHS: readonly WebhookPath[] = ['validate', 'mutate'];

interface ReviewRoute {
  readonly Querystring: { readonly timeout?: unknown };
}

/** What all requests share. */
interface Intake {
  readonly bodies: RequestBodies;
  readonly memory: ReviewMemory;
  readonly turns: Turns;
  readonly now: () => number;
}

async function answer(
  path: WebhookPath,
  { raw, query }: FastifyRequest<ReviewRoute>,
  reply: FastifyReply<ReviewRoute>,
  { admission, log, observe, leaving }: ServerDeps,
  { bodies, memory, turns, now }: Intake,
): Promise<Admitted['review']> {
  const deadline = deadlineFor(query.timeout);
  try {
    const body = await bodies.receive(raw, deadline);
    const began = now();
    const { review, observation } = await turns
      .begin(() => memory.judged(body, deadline, (received) => admission[path](received, deadline.signal)))
      .finally(() => body.release());
    const milliseconds = now() - began;
    observe(observation, milliseconds / 1000);
    logReview(log, observation, milliseconds);
    if (leaving.aborted) reply.header('connection', 'close');
    return review;
  } finally {
    deadline.met();
  }
}

/** One line for each review. A denial is a warning, for it stands in somebody's way. */
function logReview(log: Logger, { findings, ...observation }: Observation, milliseconds: number): void {
  const rules = findings.length === 0 ? NO_RULES : [...new Set(findings.map(({ rule }) => rule))];
  const line = { ...observation, rules, milliseconds: Math.round(milliseconds * 1000) / 1000 };
  if (observation.verdict === 'deny') log.warn(line, 'review answered');
  else log.info(line, 'review answered');
}

const NO_RULES: readonly string[] = [];

interface RefusedRequest {
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
  const path = WEBHOOK_PATHS.find((candidate) => request.routeOptions.url === `/${candidate}`);
  if (path !== undefined) unanswered(path);
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    log.error({ err: error, path }, 'admission failed');
    await reply.code(500).send({ message: 'internal error: the log of rwo-guard tells more' });
    return;
  }
  log.warn({ path, ...refusal }, 'request refused');
  if (!request.raw.complete) {
    await restOf(request.raw);
    reply.header('connection', 'close');
  }
  await reply.code(refusal.status).send({ message: refusal.message });
}

/** What the sender did wrong; `undefined` where the error is a bug of ours. */
function refusalOf(error: unknown): RefusedRequest | undefined {
  if (error instanceof RefusedBodyError) return { status: error.status, message: error.message };
  if (error instanceof MalformedReviewError) return { status: 400, message: error.message };
  if (error instanceof errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE) return { status: 415, message: error.message };
  return undefined;
}

/**
 * Closed while the client still writes, a connection is reset and the answer lost, so the rest is read and thrown away. Not
 * for ever, and not from somebody who sends no more.
 */
async function restOf(request: IncomingMessage): Promise<void> {
  if (request.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, REST_MS);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_OF_THE_REST) resolve();
  });
  request.once('close', resolve).once('end', resolve).resume();
  await promise;
  clearTimeout(timer);
}

/** A client that looks for an answer while it writes has seen it by then. */
const REST_MS = 1_000;

/** Bytes of the rest that are read at most: as much again as the largest body. */
const MOST_OF_THE_REST = SHIPPED_LIMITS.body;
