import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { isObject, type JsonObject } from '../objects/json.ts';
import { LISTS } from '../objects/kinds.ts';
import { ApiError, UnreadableAnswerError } from './api-error.ts';
import { InTurn, orAborted } from './in-turn.ts';
import { KubeConfigError } from './kube-config.ts';

export type Query = Readonly<Record<string, string>>;

export interface CallOptions {
  readonly signal: AbortSignal;
}

/** What the API server answered, whatever its status. */
export interface Sent {
  readonly status: number;
  /** What stands in the `Warning` headers, as kubectl would print it. */
  readonly warnings: readonly string[];
  /** The object, or the `Status` that tells why not. */
  readonly body: JsonObject;
}

export interface SendOptions extends CallOptions {
  readonly query?: Query;
  /** `application/json` when not given; a patch has a type of its own. */
  readonly contentType?: string;
}

/**
 * Reading from the API server. Both reject with ApiError where it answers anything but 200, and with the signal's reason
 * as soon as it is aborted, whatever the peer does or leaves undone.
 */
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
  /** How many milliseconds TCP and TLS may take together. */
  readonly connectWithinMs?: number;
}

/**
 * How long a stream may be silent. Where anything happens, bookmarks come about once a minute
 * (`apiserver/pkg/storage/cacher:defaultBookmarkFrequency`). A list in which nothing happens gets none, and its watch
 * is opened again each time; that costs a request.
 */
const SILENT_AFTER_MS = 90_000;

/** A page of a list takes an API server under load some seconds; a watch answers its headers at once. */
const ANSWER_WITHIN_MS = 30_000;

/**
 * Two lost packets of a handshake (TCP sends the first again after a second) and five round trips around the world. More
 * would be of no use to a review, which waits 3 s in all (`timeoutSeconds`), and would keep one of the connections below.
 */
const CONNECT_WITHIN_MS = 3_000;

/**
 * Requests for single objects that are under way, and connections for them. With one for each list, those below, and the seven
 * that the certificates take at most (two webhook configurations and a Secret, read and written), there are never more than 32.
 */
const MOST_REQUESTS = 10;

/** Of requests that carry something, which never take a turn that a review waits for. */
const MOST_SENT = 2;

/** The API server itself closes idle connections after 90 s (`apiserver/pkg/server/secure_serving.go:IdleTimeout`). */
const KEEP_IDLE_MS = 30_000;

/** When TCP begins to probe an idle connection, as in client-go: before load balancers forget it, after 60 s. */
const PROBE_IDLE_MS = 30_000;

type Tls = Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'rejectUnauthorized' | 'servername'>;

/** Separate connections, so that no crowd of reviews keeps a list from being watched again, and no writing a review. */
interface Pools {
  /** Stands for everything that the pools were made for; another key means new ones. */
  readonly key: string;
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
  readonly sent: Dispatcher;
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Tls;
}

/** Asking the API server for more than to read, apart from all reading. */
export interface ApiWriter {
  /**
   * A request of any kind: a review, a dry run, a write, or what has to be read for one. Rejects only where no answer comes, or
   * none that is an object, and with the signal's reason.
   */
  send(method: Method, path: string, body: object | undefined, options: SendOptions): Promise<Sent>;
}

/**
 * Long-lived pools of HTTP/1.1 connections to the API server of a kubeconfig. Header and certificates are asked for
 * on every request, so that a token, an exec plugin's credential or a CA that is renewed is used from the next one on.
 */
export class KubeConnection implements ApiConnection, ApiWriter {
  readonly #load: () => KubeConfig;
  readonly #silentAfterMs: number;
  readonly #connectWithinMs: number;
  #config: KubeConfig;
  #asking: Promise<Credentials> | undefined;
  readonly #requests = new InTurn(MOST_REQUESTS);
  readonly #sending = new InTurn(MOST_SENT);
  #pools: Pools | undefined;

  constructor({ load, silentAfterMs = SILENT_AFTER_MS, connectWithinMs = CONNECT_WITHIN_MS }: ConnectionOptions) {
    this.#load = load;
    this.#silentAfterMs = silentAfterMs;
    this.#connectWithinMs = connectWithinMs;
    this.#config = load();
  }

  request(path: string, query: Query, { signal }: CallOptions): Promise<JsonObject> {
    return this.#requests.run(() => this.#object(path, query, signal), signal);
  }

  /** An exec plugin may wait for a person, and undici hears of no signal while a connection is being made. */
  async stream(path: string, query: Query, { signal }: CallOptions): Promise<AsyncIterable<Uint8Array>> {
    const call = { path, query, signal, pool: 'streams', bodyTimeout: this.#silentAfterMs } as const;
    return (await orAborted(this.#get(call), signal)).body;
  }

  send(method: Method, path: string, body: object | undefined, options: SendOptions): Promise<Sent> {
    return this.#sending.run(() => this.#sent(method, path, body, options), options.signal);
  }

  /** Ends every request under way. */
  async close(): Promise<void> {
    const { requests, streams, sent } = this.#pools ?? {};
    await Promise.all([requests?.destroy(), streams?.destroy(), sent?.destroy()]);
  }

  async #object(path: string, query: Query, signal: AbortSignal): Promise<JsonObject> {
    const { body } = await this.#get({ path, query, signal, pool: 'requests', bodyTimeout: ANSWER_WITHIN_MS });
    const value = parsed(await body.text());
    if (isObject(value)) return value;
    throw new UnreadableAnswerError(`GET ${path}`, 'no JSON object');
  }

  async #sent(
    method: Method,
    path: string,
    body: object | undefined,
    { signal, query = {}, contentType = 'application/json' }: SendOptions,
  ): Promise<Sent> {
    const content = body && { type: contentType, text: JSON.stringify(body) };
    const call = { method, path, query, signal, content, pool: 'sent', bodyTimeout: ANSWER_WITHIN_MS } as const;
    const response = await this.#answered(call);
    const value = parsed(await response.body.text());
    if (!isObject(value)) throw new UnreadableAnswerError(`${method} ${path}`, 'no JSON object');
    return { status: response.statusCode, warnings: warningsIn(response.headers.warning), body: value };
  }

  async #get(call: Call): Promise<Dispatcher.ResponseData> {
    const response = await this.#answered(call);
    if (response.statusCode !== 200) throw await refusalOf(response, `GET ${call.path}`);
    return response;
  }

  /** Once more with new credentials, where those at hand are not taken any more. */
  async #answered(call: Call): Promise<Dispatcher.ResponseData> {
    const used = this.#config;
    let response = await this.#send(call);
    if (response.statusCode === 401) {
      await response.body.dump();
      if (this.#config === used) this.#reload();
      response = await this.#send(call);
    }
    return response;
  }

  async #send({
    method = 'GET',
    path,
    query,
    content,
    signal,
    pool,
    bodyTimeout,
  }: Call): Promise<Dispatcher.ResponseData> {
    const cluster = this.#config.getCurrentCluster();
    if (cluster === null) throw new KubeConfigError('the kubeconfig names no cluster: choose a context that does');
    const { headers, tls } = await this.#credentials();
    signal.throwIfAborted();
    const { origin, pathname } = new URL(cluster.server);
    const search = new URLSearchParams(query).toString();
    return this.#poolsFor(tls, cluster.proxyUrl)[pool].request({
      origin,
      path: `${pathname.replace(/\/$/, '')}${path}${search === '' ? '' : `?${search}`}`,
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        'user-agent': 'rwo-guard',
        ...(content && { 'content-type': content.type }),
      },
      ...(content && { body: content.text }),
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

  /** Made anew when the certificates have changed; requests under way end on the old ones. */
  #poolsFor(tls: Tls, proxyUrl: string | undefined): Pools {
    const key = [proxyUrl, ...Object.values(tls)].map(String).join('\n');
    if (this.#pools?.key !== key) {
      void this.#pools?.requests.close();
      void this.#pools?.streams.close();
      void this.#pools?.sent.close();
      const poolOf = (connections: number) =>
        newDispatcher({ tls, proxyUrl, connections, connectWithinMs: this.#connectWithinMs });
      this.#pools = {
        key,
        requests: poolOf(MOST_REQUESTS),
        streams: poolOf(LISTS.length),
        sent: poolOf(MOST_SENT),
      };
    }
    return this.#pools;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Call {
  /** `GET` when not given. */
  readonly method?: Method;
  readonly content?: { readonly type: string; readonly text: string } | undefined;
  readonly path: string;
  readonly query: Query;
  readonly signal: AbortSignal;
  readonly pool: Exclude<keyof Pools, 'key'>;
  readonly bodyTimeout: number;
}

interface PoolOptions {
  readonly tls: Tls;
  readonly proxyUrl: string | undefined;
  readonly connections: number;
  readonly connectWithinMs: number;
}

/** HTTP/1.1: undici's HTTP/2 sends pings but never notices that nobody answers them. */
function newDispatcher({ tls, proxyUrl, connections, connectWithinMs }: PoolOptions): Dispatcher {
  const options = { allowH2: false, keepAliveTimeout: KEEP_IDLE_MS, connections, connectTimeout: connectWithinMs };
  const socket = { keepAlive: true, keepAliveInitialDelay: PROBE_IDLE_MS };
  if (proxyUrl === undefined) return new Agent({ ...options, connect: { ...tls, ...socket } });
  return new ProxyAgent({
    ...options,
    uri: proxyUrl,
    proxyTls: socket,
    requestTls: tls,
    clientFactory: (origin, own) => new Pool(origin, { ...own, headersTimeout: connectWithinMs }),
  });
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

async function refusalOf({ body, headers, statusCode }: Dispatcher.ResponseData, asked: string): Promise<ApiError> {
  const text = await body.text();
  const status = parsed(text);
  const message = isObject(status) && typeof status.message === 'string' ? status.message : text.slice(0, 200);
  const seconds = Number(headers['retry-after']);
  return new ApiError(asked, statusCode, message.trim() || 'no message', seconds > 0 ? seconds * 1000 : undefined);
}

/** `299 - "text"`, a header for each (`apimachinery/pkg/util/net/http.go:NewWarningHeader`). */
function warningsIn(header: string | string[] | undefined): readonly string[] {
  return [header ?? []].flat().flatMap((line) => {
    const text = /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
    return text === undefined ? [] : text.replaceAll(/\\(.)/g, '$1');
  });
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
