import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { NOTHING_REUSABLE, toSecretData } from '../../certs/bundle.ts';
import { DEFAULT_LIFETIMES, issueBundle } from '../../certs/issuance.ts';
import { realWorld } from '../../certs/world.ts';
import { isObject, type JsonObject, objectAt } from '../../src/objects/json.ts';
import { named } from '../manifest-objects.ts';
import { kubeconfigFor } from './empty-cluster.ts';
import { servedApi } from './served-api.ts';

/** What an API server answers: objects by their paths, and 404 for all others. */
export interface InstalledApi {
  readonly kubeconfig: string;
  /** Method and URL of every request. */
  readonly requests: readonly string[];
  /** What stands at a path; `undefined` takes it away, a number refuses it with this status. */
  set(path: string, object: JsonObject | number | undefined): void;
  /** From now on nobody calls the webhooks. */
  stopCalling(): void;
  /** Everything is refused with this status, but for the version. */
  refuse(status: number): void;
  close(): void;
}

const OURS = '/namespaces/rwo-guard';
export const DEPLOYMENT_PATH = `/apis/apps/v1${OURS}/deployments/rwo-guard`;
export const SETTINGS_PATH = `/api/v1${OURS}/configmaps/rwo-guard-config`;
export const NAMESPACES_PATH = '/api/v1/namespaces';

/** An API server with rwo-guard installed as the manifests say, and two replicas ready. */
export async function installedApi(t: TestContext): Promise<InstalledApi> {
  const objects = new Map<string, JsonObject | number>(await installedObjects());
  const requests: string[] = [];
  let called = true;
  let refused: number | undefined;
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const path = new URL(request.url ?? '', 'http://api').pathname;
    requests.push(`${request.method} ${request.url}`);
    if (refused !== undefined && path !== '/version') return failure(refused);
    if (request.method === 'POST') return reviewed(path, await json(request), called);
    if (path === '/metrics') return { status: 200, body: 'process_start_time_seconds 1\n' };
    const found = objects.get(path) ?? 404;
    return typeof found === 'number' ? failure(found) : { status: 200, body: JSON.stringify(found) };
  };
  const { kubeconfig, close } = await servedApi(
    t,
    (request, response) => {
      answer(request).then(
        ({ status, body, warning }) => {
          if (warning !== undefined) response.setHeader('warning', warning);
          response.writeHead(status, { 'content-type': 'application/json' }).end(body);
        },
        (error: unknown) => response.destroy(new Error(String(error))),
      );
    },
    kubeconfigFor,
  );
  return {
    kubeconfig,
    requests,
    close,
    set: (path, object) => (object === undefined ? objects.delete(path) : objects.set(path, object)),
    stopCalling() {
      called = false;
    },
    refuse(status) {
      refused = status;
    },
  };
}

async function installedObjects(): Promise<readonly (readonly [string, JsonObject])[]> {
  const names = ['rwo-guard.rwo-guard.svc', 'rwo-guard.rwo-guard.svc.cluster.local'];
  const data = toSecretData(await issueBundle(NOTHING_REUSABLE, names, DEFAULT_LIFETIMES, realWorld));
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  const secret = { metadata: { resourceVersion: '1' }, data: Object.fromEntries(encoded) };
  const caBundle = Buffer.from(data['ca.crt'] ?? '').toString('base64');
  const configuration = (kind: string) =>
    [
      `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s/rwo-guard`,
      withCaBundle(named(kind, 'rwo-guard'), caBundle),
    ] as const;
  const status = { readyReplicas: 2, updatedReplicas: 2 };
  const slice = { endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }] };
  return [
    ['/version', { gitVersion: 'v1.36.3' }],
    [DEPLOYMENT_PATH, { ...named('Deployment', 'rwo-guard'), status }],
    [SETTINGS_PATH, { data: { 'config.yaml': 'defaultMode: warn\n' } }],
    [`/api/v1${OURS}/services/rwo-guard`, named('Service', 'rwo-guard')],
    [`/apis/discovery.k8s.io/v1${OURS}/endpointslices`, { items: [slice] }],
    [`/api/v1${OURS}/secrets/rwo-guard-tls`, secret],
    configuration('ValidatingWebhookConfiguration'),
    configuration('MutatingWebhookConfiguration'),
    [NAMESPACES_PATH, namespaces({ shop: { 'rwo-guard.dev/mode': 'enforce' }, plain: {} })],
  ];
}

/** A page of them, with these labels. */
export function namespaces(all: Readonly<Record<string, Readonly<Record<string, string>>>>): JsonObject {
  return { items: Object.entries(all).map(([name, labels]) => ({ metadata: { name, labels } })) };
}

function withCaBundle(configuration: JsonObject, caBundle: string): JsonObject {
  const webhooks = Array.isArray(configuration.webhooks) ? configuration.webhooks.filter(isObject) : [];
  return {
    ...configuration,
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: { ...objectAt(webhook, 'clientConfig'), caBundle },
    })),
  };
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly warning?: string;
}

/** Everybody may do everything, and a dry run is warned of as the webhook would. */
function reviewed(path: string, sent: unknown, called: boolean): Answer {
  if (path.endsWith('/subjectaccessreviews')) return created({ status: { allowed: true } });
  if (path.endsWith('/selfsubjectreviews')) return created({ status: { userInfo: { username: 'jane', groups: [] } } });
  if (!path.endsWith('/deployments')) return failure(404);
  const warning = '299 - "rwo-guard.dev/ignore does not count: no reason"';
  return { ...created(sent), ...(called && { warning }) };
}

function created(body: unknown): Answer {
  return { status: 201, body: JSON.stringify(body) };
}

function failure(status: number): Answer {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message: `answered ${status}` };
  return { status, body: JSON.stringify(body) };
}
