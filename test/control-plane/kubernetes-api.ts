import { Agent, request } from 'undici';
import type { KeyPair } from './certificate-authority.ts';
import type { Cluster } from './kubeconfig.ts';

/**
 * What every object has. The types of @kubernetes/client-node fit as the type argument of the calls below, but times arrive
 * here as the strings they are on the wire.
 */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
    readonly uid?: string;
  };
}

export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ObjectKey extends ObjectKind {
  readonly namespace?: string;
  readonly name: string;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export type PatchType = 'json' | 'merge' | 'strategic';

export interface WriteOptions {
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

export interface Answer<T> {
  readonly status: number;
  /** The admission warnings, as `kubectl` would print them. */
  readonly warnings: readonly string[];
  readonly body: T;
}

export interface KubernetesApi {
  /** Any request, answered whatever its status is. */
  request<T>(method: Method, path: string, body?: unknown, contentType?: string): Promise<Answer<T>>;
  get<T extends KubernetesObject>(key: ObjectKey): Promise<T>;
  /** Like get, and undefined when there is no such object. */
  find<T extends KubernetesObject>(key: ObjectKey): Promise<T | undefined>;
  list<T extends KubernetesObject>(kind: ObjectKind, options?: ListOptions): Promise<readonly T[]>;
  create<T extends KubernetesObject>(object: T, options?: Pick<WriteOptions, 'dryRun'>): Promise<T>;
  /** Puts the whole object, against the resourceVersion it carries if it carries one. */
  replace<T extends KubernetesObject>(object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubernetesObject>(
    key: ObjectKey,
    type: PatchType,
    patch: unknown,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply; conflicts are forced, because the harness is right about its own objects. */
  apply<T extends KubernetesObject>(object: T, options?: WriteOptions & { readonly fieldManager?: string }): Promise<T>;
  /** Deletes, and is content when there is nothing to delete. */
  delete(key: ObjectKey, options?: { readonly gracePeriodSeconds?: number }): Promise<void>;
  close(): Promise<void>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The API server's refusal: its status and its own words. */
export class KubernetesApiError extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(attempt: string, code: number, body: unknown) {
    const { message, reason } = body instanceof Object ? (body as { message?: string; reason?: string }) : {};
    super(`${attempt}: ${code} ${message ?? JSON.stringify(body)}`);
    this.name = 'KubernetesApiError';
    this.code = code;
    this.reason = reason ?? '';
  }
}

const PATCH_CONTENT_TYPE: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** A small client of the API server; it trusts only the control plane's own authority, so it cannot talk to another one. */
export function kubernetesApi(cluster: Cluster, credentials: KeyPair | { readonly token: string }): KubernetesApi {
  const isToken = 'token' in credentials;
  const dispatcher = new Agent({
    connect: {
      ca: cluster.certificateAuthority,
      ...(isToken ? {} : { cert: credentials.certificate, key: credentials.key }),
    },
  });
  const authorization = isToken ? { authorization: `Bearer ${credentials.token}` } : {};
  const resourcesOf = new Map<string, readonly ApiResource[]>();

  async function send<T>(method: Method, path: string, body?: unknown, contentType = 'application/json') {
    const answer = await request(`${cluster.server}${path}`, {
      method,
      dispatcher,
      headers: {
        accept: 'application/json',
        ...authorization,
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    return {
      status: answer.statusCode,
      warnings: warningsIn(answer.headers.warning),
      body: (isJson ? JSON.parse(text) : text) as T,
    };
  }

  async function expect<T>(method: Method, path: string, body?: unknown, contentType?: string): Promise<T> {
    const answer = await send<T>(method, path, body, contentType);
    if (answer.status >= 400) throw new KubernetesApiError(`${method} ${path}`, answer.status, answer.body);
    return answer.body;
  }

  async function collectionPath({ apiVersion, kind }: ObjectKind, namespace: string | undefined): Promise<string> {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    let resource = resourcesOf.get(root)?.find((candidate) => candidate.kind === kind);
    if (resource === undefined) {
      // Asked again for every unknown kind: a CustomResourceDefinition may have come since.
      const { resources } = await expect<{ resources: ApiResource[] }>('GET', root);
      // `deployments/scale` and its like have kinds of their own, or their owner's.
      const main = resources.filter(({ name }) => !name.includes('/'));
      resourcesOf.set(root, main);
      resource = main.find((candidate) => candidate.kind === kind);
    }
    if (resource === undefined) throw new Error(`The API server knows no ${kind} in ${apiVersion}`);
    return `${root}${resource.namespaced && namespace ? `/namespaces/${namespace}` : ''}/${resource.name}`;
  }

  async function objectPath(key: ObjectKey, subresource?: string): Promise<string> {
    const collection = await collectionPath(key, key.namespace);
    return `${collection}/${encodeURIComponent(key.name)}${subresource ? `/${subresource}` : ''}`;
  }

  return {
    request: send,
    get: async (key) => expect('GET', await objectPath(key)),
    async find<T>(key: ObjectKey) {
      const path = await objectPath(key);
      const answer = await send<T>('GET', path);
      if (answer.status === 404) return undefined;
      if (answer.status >= 400) throw new KubernetesApiError(`GET ${path}`, answer.status, answer.body);
      return answer.body;
    },
    async list<T>(kind: ObjectKind, { namespace, labelSelector = '', fieldSelector = '' }: ListOptions = {}) {
      const query = new URLSearchParams({ labelSelector, fieldSelector });
      const path = `${await collectionPath(kind, namespace)}?${query}`;
      return (await expect<{ items: T[] }>('GET', path)).items;
    },
    async create(object, options) {
      const key = keyOf(object);
      return expect('POST', `${await collectionPath(key, key.namespace)}${queryFor(options)}`, object);
    },
    replace: async (object, options) =>
      expect('PUT', `${await objectPath(keyOf(object), options?.subresource)}${queryFor(options)}`, object),
    patch: async (key, type, patch, options) =>
      expect(
        'PATCH',
        `${await objectPath(key, options?.subresource)}${queryFor(options)}`,
        patch,
        PATCH_CONTENT_TYPE[type],
      ),
    async apply(object, options) {
      const query = queryFor(options, { fieldManager: options?.fieldManager ?? 'control-plane', force: 'true' });
      const path = await objectPath(keyOf(object), options?.subresource);
      return expect('PATCH', `${path}${query}`, object, 'application/apply-patch+yaml');
    },
    async delete(key, { gracePeriodSeconds } = {}) {
      const path = await objectPath(key);
      const body = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
      const answer = await send('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', ...body });
      if (answer.status >= 400 && answer.status !== 404) {
        throw new KubernetesApiError(`DELETE ${path}`, answer.status, answer.body);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

function keyOf({ apiVersion = '', kind = '', metadata = {} }: KubernetesObject): ObjectKey {
  const { name = '', namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function queryFor(options: WriteOptions | undefined, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...more, ...(options?.dryRun ? { dryRun: 'All' } : {}) }).toString();
  return query && `?${query}`;
}

/** `299 - "text"`, as RFC 7234 writes it. */
function warningsIn(header: string | string[] | undefined): readonly string[] {
  const headers = header === undefined ? [] : [header].flat();
  return headers.flatMap((value) =>
    [...value.matchAll(/299 \S+ ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => unquoted(text)),
  );
}

function unquoted(text = '""'): string {
  return text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
}
