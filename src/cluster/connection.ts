import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { isObject, type JsonObject } from '../facts/json.ts';
import { ApiError, UnreadableAnswerError } from './api-error.ts';
import { KubeConfigError } from './kube-config.ts';

export type Query = Readonly<Record<string, string>>;

export interface CallOptions {
  readonly signal: AbortSignal;
}

/** Reading from the API server. Both reject with ApiError where it answers anything but 200. */
export interface ApiConnection {
  /** The JSON object at this path. */
  request(path: string, query: Query, options: CallOptions): Promise<JsonObject>;
  /** The bytes of an answer that goes on for minutes; iterating throws when the peer has fallen silent. */
  stream(path: string, query: Query, options: CallOptions): Promise<AsyncIterable<Uint8Array>>;
}

export interface ConnectionOptions {
  /** Called at the start, and again when the API server no longer takes the credentials. */
  readonly load: () => KubeConfig;
  /** After how many milliseconds without a byte a stream's peer is taken for dead. */
  readonly silentAfterMs?: number;
}

/**
 * Where anything happens, bookmarks come about once a minute (`apiserver/pkg/storage/cacher:defaultBookmarkFrequency`). A
 * list in which nothing happens gets none, and its watch is opened again each time; that costs a request.
 */
const SILENT_AFTER_MS = 90_000;

/** A page of a list takes an API server under load some seconds; a watch answers its headers at once. */
const ANSWER_WITHIN_MS = 30_000;

/** The API server itself closes idle connections after 90 s (`apiserver/pkg/server/secure_serving.go:IdleTimeout`). */
const KEEP_IDLE_MS = 30_000;

/** As client-go: shorter than the 60 s after which load balancers forget a connection. */
const PROBE_IDLE_MS = 30_000;

type Tls = Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'rejectUnauthorized' | 'servername'>;

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Tls;
}

/**
 * One long-lived pool of HTTP/1.1 connections to the API server of a kubeconfig. Header and certificates are asked for
 * on every request, so that a token, an exec plugin's credential or a CA that is renewed is used from the next one on.
 */
export class KubeConnection implements ApiConnection {
  readonly #load: () => KubeConfig;
  readonly #silentAfterMs: number;
  #config: KubeConfig;
  #asking: Promise<Credentials> | undefined;
  #pool: { readonly key: string; readonly dispatcher: Dispatcher } | undefined;

  constructor({ load, silentAfterMs = SILENT_AFTER_MS }: ConnectionOptions) {
    this.#load = load;
    this.#silentAfterMs = silentAfterMs;
    this.#config = load();
  }

  async request(path: string, query: Query, { signal }: CallOptions): Promise<JsonObject> {
    const { body } = await this.#get(path, query, ANSWER_WITHIN_MS, signal);
    const value = parsed(await body.text());
    if (isObject(value)) return value;
    throw new UnreadableAnswerError(`GET ${path}`, 'no JSON object');
  }

  async stream(path: string, query: Query, { signal }: CallOptions): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#get(path, query, this.#silentAfterMs, signal)).body;
  }

  /** Ends every request under way. */
  async close(): Promise<void> {
    await this.#pool?.dispatcher.destroy();
  }

  async #get(path: string, query: Query, bodyTimeout: number, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const send = () => this.#send(path, query, bodyTimeout, signal);
    const used = this.#config;
    let response = await send();
    if (response.statusCode === 401) {
      await response.body.dump();
      if (this.#config === used) this.#reload();
      response = await send();
    }
    if (response.statusCode !== 200) throw await refusalOf(response, `GET ${path}`);
    return response;
  }

  async #send(path: string, query: Query, bodyTimeout: number, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const cluster = this.#config.getCurrentCluster();
    if (cluster === null) throw new KubeConfigError('the kubeconfig names no cluster: choose a context that does');
    const { headers, tls } = await orAborted(this.#credentials(), signal);
    const { origin, pathname } = new URL(cluster.server);
    const search = new URLSearchParams(query).toString();
    return this.#dispatcher(tls, cluster.proxyUrl).request({
      origin,
      path: `${pathname.replace(/\/$/, '')}${path}${search === '' ? '' : `?${search}`}`,
      method: 'GET',
      headers: { ...headers, accept: 'application/json', 'user-agent': 'rwo-guard' },
      headersTimeout: ANSWER_WITHIN_MS,
      bodyTimeout,
      signal,
    });
  }

  /** Asked once for all requests that wait for it: an exec plugin may open a browser. */
  #credentials(): Promise<Credentials> {
    this.#asking ??= credentialsOf(this.#config).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  #reload(): void {
    this.#config = this.#load();
    this.#asking = undefined;
  }

  /** The pool, made anew when the certificates have changed; requests under way end on the old one. */
  #dispatcher(tls: Tls, proxyUrl: string | undefined): Dispatcher {
    const key = [proxyUrl, ...Object.values(tls)].map(String).join('\n');
    if (this.#pool?.key !== key) {
      void this.#pool?.dispatcher.close();
      this.#pool = { key, dispatcher: newDispatcher(tls, proxyUrl) };
    }
    return this.#pool.dispatcher;
  }
}

/** HTTP/1.1: undici's HTTP/2 sends pings but never notices that nobody answers them. */
function newDispatcher(tls: Tls, proxyUrl: string | undefined): Dispatcher {
  const options = { allowH2: false, keepAliveTimeout: KEEP_IDLE_MS };
  const socket = { keepAlive: true, keepAliveInitialDelay: PROBE_IDLE_MS };
  if (proxyUrl === undefined) return new Agent({ ...options, connect: { ...tls, ...socket } });
  return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: tls, connect: socket });
}

/** What client-node would send: token, token file, exec plugin, client certificate, basic auth or impersonation. */
async function credentialsOf(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = String(value).trim();
  if (options.auth) headers.authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options;
  return { headers, tls: { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } };
}

/** An exec plugin may wait for a person; whoever gave up waiting goes on. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function refusalOf({ body, headers, statusCode }: Dispatcher.ResponseData, asked: string): Promise<ApiError> {
  const text = await body.text();
  const status = parsed(text);
  const message = isObject(status) && typeof status.message === 'string' ? status.message : text.slice(0, 200);
  const seconds = Number(headers['retry-after']);
  return new ApiError(asked, statusCode, message.trim() || 'no message', seconds > 0 ? seconds * 1000 : undefined);
}

/** `undefined` where it is no JSON, which a proxy in between may answer. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
