import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { isObject, type JsonObject } from '../facts/json.ts';
import { ApiError, UnreadableAnswerError } from './api-error.ts';

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

/** Bookmarks come about once a minute (`apiserver/pkg/storage/cacher:defaultBookmarkFrequency`); half of one more as a margin. */
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
  #pool: { readonly tls: string; readonly dispatcher: Dispatcher } | undefined;

  constructor({ load, silentAfterMs = SILENT_AFTER_MS }: ConnectionOptions) {
    this.#load = load;
    this.#silentAfterMs = silentAfterMs;
    this.#config = load();
  }

  async request(path: string, query: Query, { signal }: CallOptions): Promise<JsonObject> {
    const { body } = await this.#get(path, query, ANSWER_WITHIN_MS, signal);
    const text = await body.text();
    const value = parsed(text, `GET ${path}`);
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
      if (this.#config === used) this.#config = this.#load();
      response = await send();
    }
    if (response.statusCode !== 200) throw await refusalOf(response, `GET ${path}`);
    return response;
  }

  async #send(path: string, query: Query, bodyTimeout: number, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const cluster = this.#config.getCurrentCluster();
    if (cluster === null) throw new TypeError('the kubeconfig names no cluster');
    const { headers, tls } = await orAborted(credentialsOf(this.#config), signal);
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

  /** The pool, made anew when the certificates have changed; requests under way end on the old one. */
  #dispatcher(tls: Tls, proxyUrl: string | undefined): Dispatcher {
    const key = JSON.stringify({ proxyUrl, ...tls }, (_name, value: unknown) => value);
    if (this.#pool?.tls !== key) {
      this.#pool?.dispatcher.close().catch(() => this.#pool?.dispatcher.destroy());
      this.#pool = { tls: key, dispatcher: newDispatcher(tls, proxyUrl) };
    }
    return this.#pool.dispatcher;
  }
}
