import type { Entry } from '../doctor/entry.ts';
import type { ConfigurationRead, Deployment, LabelledNamespace, Service } from '../doctor/installation.ts';
import type { Fact } from '../objects/fact.ts';
import { countAt, type JsonObject, objectAt, objectsAt, stringAt, stringMapAt, stringsAt } from '../objects/json.ts';
import { metadataFrom } from '../objects/metadata.ts';
import { namespaceFrom } from '../objects/namespace.ts';
import { labelSelectorAt } from '../objects/selector.ts';
import type { ApiConnection } from './connection.ts';
import { listPages } from './list-pages.ts';
import { seen, seenIfThere } from './seen.ts';

/** The API server's own version. Rejects where nothing answers that is one. */
export async function readClusterVersion(connection: ApiConnection, signal: AbortSignal): Promise<string> {
  return stringAt(await connection.request('/version', {}, { signal }), 'gitVersion') ?? '';
}

export function readDeployment(
  connection: ApiConnection,
  namespace: string,
  signal: AbortSignal,
): Promise<Fact<Deployment | undefined>> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/rwo-guard`;
  return seenIfThere(`Deployment ${namespace}/rwo-guard`, async () =>
    deploymentFrom(await connection.request(path, {}, { signal })),
  );
}

function deploymentFrom(object: JsonObject): Deployment {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const pod = objectAt(objectAt(spec, 'template'), 'spec');
  const [container] = objectsAt(pod, 'containers');
  const settings = objectsAt(pod, 'volumes').find((volume) => stringAt(volume, 'name') === 'config');
  return {
    replicas: countAt(spec, 'replicas') ?? 1,
    ready: countAt(status, 'readyReplicas') ?? 0,
    updated: countAt(status, 'updatedReplicas') ?? 0,
    image: stringAt(container, 'image') ?? '',
    serviceAccount: stringAt(pod, 'serviceAccountName') ?? 'default',
    configMap: stringAt(objectAt(settings, 'configMap'), 'name'),
    release: stringMapAt(objectAt(object, 'metadata'), 'annotations').get('meta.helm.sh/release-name'),
  };
}

/** The files of the ConfigMap that the server is configured by. */
export function readSettingsTexts(
  connection: ApiConnection,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Fact<Readonly<Record<string, string>>>> {
  const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
  return seen(`ConfigMap ${namespace}/${name}`, async () =>
    Object.fromEntries(stringMapAt(await connection.request(path, {}, { signal }), 'data')),
  );
}

export function readService(
  connection: ApiConnection,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Fact<Service | undefined>> {
  return seenIfThere(`Service ${namespace}/${name}`, async () => {
    await connection.request(`/api/v1/namespaces/${namespace}/services/${name}`, {}, { signal });
    return { ready: await readReady(connection, { namespace, name }, signal) };
  });
}

/** A Service of ours has one slice of each address family, and a hundred addresses in each. */
const MOST_SLICES = '50';

function readReady(
  connection: ApiConnection,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Fact<number>> {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const query = { labelSelector: `kubernetes.io/service-name=${name}`, limit: MOST_SLICES };
  return seen(`EndpointSlices of ${namespace}/${name}`, async () => {
    const slices = objectsAt(await connection.request(path, query, { signal }), 'items');
    const endpoints = slices.flatMap((slice) => objectsAt(slice, 'endpoints'));
    return endpoints.filter((endpoint) => objectAt(endpoint, 'conditions')?.ready !== false).length;
  });
}

export function readConfiguration(
  connection: ApiConnection,
  { kind, name }: Pick<ConfigurationRead, 'kind' | 'name'>,
  signal: AbortSignal,
): Promise<Fact<readonly Entry[] | undefined>> {
  const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s/${name}`;
  return seenIfThere(`${kind} ${name}`, async () => {
    const object = await connection.request(path, {}, { signal });
    return objectsAt(object, 'webhooks').map(entryFrom);
  });
}

function entryFrom(webhook: JsonObject, index: number): Entry {
  const client = objectAt(webhook, 'clientConfig');
  const service = objectAt(client, 'service');
  return {
    name: stringAt(webhook, 'name') ?? '',
    index,
    failurePolicy: stringAt(webhook, 'failurePolicy') ?? 'Fail',
    timeoutSeconds: countAt(webhook, 'timeoutSeconds') ?? 10,
    service: service && { namespace: stringAt(service, 'namespace') ?? '', name: stringAt(service, 'name') ?? '' },
    hasCaBundle: (stringAt(client, 'caBundle') ?? '') !== '',
    namespaceSelector: labelSelectorAt(webhook, 'namespaceSelector') ?? [],
    resources: objectsAt(webhook, 'rules').flatMap((rule) =>
      stringsAt(rule, 'apiGroups').flatMap((group) =>
        stringsAt(rule, 'resources').map((resource) => `${group}/${resource}`),
      ),
    ),
  };
}

/** All of them, page by page, by what is read of them here. */
export function readNamespaces(
  connection: ApiConnection,
  signal: AbortSignal,
): Promise<Fact<readonly LabelledNamespace[]>> {
  return seen('the list of namespaces', async () => {
    const found: LabelledNamespace[] = [];
    const keep = (object: JsonObject) =>
      found.push({ ...namespaceFrom(object), annotations: metadataFrom(object).annotations });
    await listPages(connection, '/api/v1/namespaces', keep, signal);
    return found;
  });
}
