import {
  AdmissionregistrationV1Api,
  ApiException,
  CoreV1Api,
  createConfiguration,
  type KubeConfig,
  PatchStrategy,
  type RequestContext,
  ServerConfiguration,
  setHeaderOptions,
  type V1Secret,
} from '@kubernetes/client-node';
import type {
  CertificatesApi,
  ObjectName,
  SecretData,
  StoredSecret,
  WebhookConfiguration,
  WebhookConfigurationName,
  Write,
} from './certificates-api.ts';
import { CertificatesError } from './certificates-error.ts';

/** A name for ever: under another one, the old one would go on owning caBundle beside it. */
const FIELD_MANAGER = 'rwo-guard-ca-injection';
/** In milliseconds. A small object comes in a few of them; an API server that takes so long is asked again by the next poll. */
const DEADLINE = 5_000;
/** Dates in answers are whole seconds, and an answer travels: less than this says nothing about a clock. */
const CLOCK_TOLERANCE = 60_000;

/** The API server of the current context, with these rights: see `manifests/`. */
export function kubernetesApi(kubeConfig: KubeConfig): CertificatesApi {
  const server = kubeConfig.getCurrentCluster()?.server;
  if (server === undefined) {
    throw new CertificatesError('API_FAILED', 'the kubeconfig names no cluster: set its current context');
  }
  let aheadBy = 0;
  const configuration = createConfiguration({
    baseServer: new ServerConfiguration(server, {}),
    authMethods: { default: kubeConfig },
    promiseMiddleware: [
      {
        pre: withDeadline,
        async post(response) {
          aheadBy = Date.parse(response.headers.date ?? '') - Date.now();
          return response;
        },
      },
    ],
  });
  return {
    ...secrets(new CoreV1Api(configuration)),
    ...configurations(new AdmissionregistrationV1Api(configuration)),
    clockAheadBy: () => (Math.abs(aheadBy) > CLOCK_TOLERANCE ? aheadBy : 0),
  };
}

/** The client itself waits five minutes for an answer. */
async function withDeadline(request: RequestContext): Promise<RequestContext> {
  request.setSignal(AbortSignal.timeout(DEADLINE));
  return request;
}

function secrets(api: CoreV1Api): Pick<CertificatesApi, 'getSecret' | 'createSecret' | 'updateSecret'> {
  const read = (name: ObjectName) => found(`get Secret ${full(name)}`, () => api.readNamespacedSecret(name));
  return {
    async getSecret(name) {
      const secret = await read(name);
      return secret && stored(secret);
    },
    createSecret: ({ namespace, name }, data) =>
      written(`create Secret ${full({ namespace, name })}`, () =>
        api.createNamespacedSecret({ namespace, body: newSecret(name, data) }),
      ),
    async updateSecret(name, data, resourceVersion) {
      const live = await read(name);
      if (live === undefined) return 'lost';
      // Without managedFields the API server keeps them as they are.
      const { managedFields: _, ...metadata } = live.metadata ?? {};
      const body = { ...live, metadata: { ...metadata, resourceVersion }, data: encoded(data) };
      return written(`update Secret ${full(name)}`, () => api.replaceNamespacedSecret({ ...name, body }));
    },
  };
}

function configurations(api: AdmissionregistrationV1Api): Pick<CertificatesApi, 'getConfiguration' | 'applyCaBundle'> {
  return {
    async getConfiguration({ kind, name }) {
      const live = await found(`get ${kind} ${name}`, () => readConfiguration(api, { kind, name }));
      if (live === undefined) return undefined;
      const entries = (live.webhooks ?? []).map(({ name, clientConfig }) => ({
        name,
        caBundle: decode(clientConfig.caBundle ?? ''),
        ...(clientConfig.service && { serviceNamespace: clientConfig.service.namespace }),
      }));
      const { uid = '', resourceVersion = '' } = live.metadata ?? {};
      return { kind, name, uid, resourceVersion, entries };
    },
    applyCaBundle: (configuration, caBundle) =>
      written(`patch ${configuration.kind} ${configuration.name}`, () =>
        applyConfiguration(api, configuration, caBundle),
      ),
  };
}

function readConfiguration(api: AdmissionregistrationV1Api, { kind, name }: WebhookConfigurationName) {
  switch (kind) {
    case 'ValidatingWebhookConfiguration':
      return api.readValidatingWebhookConfiguration({ name });
    case 'MutatingWebhookConfiguration':
      return api.readMutatingWebhookConfiguration({ name });
    default:
      return kind satisfies never;
  }
}

/**
 * Force, since caBundle is nobody else's: an upgrade that took it over has to give it back. The uid keeps a configuration
 * that was deleted from being created again, the resource version an entry that was dropped from coming back.
 */
function applyConfiguration(api: AdmissionregistrationV1Api, configuration: WebhookConfiguration, caBundle: string) {
  const { kind, name, uid, resourceVersion, entries } = configuration;
  const webhooks = entries.map((entry) => ({ name: entry.name, clientConfig: { caBundle: encode(caBundle) } }));
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name, uid, resourceVersion },
    webhooks,
  };
  const patch = { name, body, fieldManager: FIELD_MANAGER, force: true };
  const options = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);
  switch (kind) {
    case 'ValidatingWebhookConfiguration':
      return api.patchValidatingWebhookConfiguration(patch, options);
    case 'MutatingWebhookConfiguration':
      return api.patchMutatingWebhookConfiguration(patch, options);
    default:
      return kind satisfies never;
  }
}

function newSecret(name: string, data: SecretData): V1Secret {
  const labels = { 'app.kubernetes.io/name': 'rwo-guard', 'app.kubernetes.io/managed-by': 'rwo-guard' };
  return { metadata: { name, labels }, type: 'kubernetes.io/tls', data: encoded(data) };
}

function stored({ metadata, data }: V1Secret): StoredSecret {
  const decoded = Object.entries(data ?? {}).map(([key, value]) => [key, decode(value)]);
  return { data: Object.fromEntries(decoded), resourceVersion: metadata?.resourceVersion ?? '' };
}

function encoded(data: SecretData): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encode(value)]));
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function full({ namespace, name }: ObjectName): string {
  return `${namespace}/${name}`;
}

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const CONFLICT = 409;

/** The answer, or undefined where there is no such object; rejects with a CertificatesError. */
async function found<T>(action: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiException && error.code === NOT_FOUND) return undefined;
    throw failure(action, error);
  }
}

/** A conflict, and an object that is gone, are both a race that somebody else won; rejects with a CertificatesError. */
async function written(action: string, call: () => Promise<unknown>): Promise<Write> {
  try {
    await call();
    return 'written';
  } catch (error) {
    if (error instanceof ApiException && (error.code === CONFLICT || error.code === NOT_FOUND)) return 'lost';
    throw failure(action, error);
  }
}

function failure(action: string, cause: unknown): CertificatesError {
  if (!(cause instanceof ApiException)) {
    const message = `could not ${action}: check that the API server can be reached`;
    return new CertificatesError('API_FAILED', message, { cause });
  }
  const said = saidBy(cause.body);
  if (cause.code === UNAUTHORIZED || cause.code === FORBIDDEN) {
    const message = `the API server does not let us ${action}: compare our roles with manifests/${said}`;
    return new CertificatesError('API_REFUSED', message, { cause });
  }
  const message = `could not ${action}: the API server answered ${cause.code}${said}`;
  return new CertificatesError('API_FAILED', message, { cause });
}

/** The message of the Status that an API server sends, in brackets; nothing where somebody else answered. */
function saidBy(body: unknown): string {
  try {
    const message: unknown = typeof body === 'string' ? Reflect.get(JSON.parse(body), 'message') : undefined;
    return typeof message === 'string' ? ` (${message})` : '';
  } catch {
    return '';
  }
}
