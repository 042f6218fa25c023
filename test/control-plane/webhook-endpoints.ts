import type { KubernetesApi, KubernetesObject } from './kubernetes-api.ts';
import { machineAddress } from './network.ts';

/** One replica of the webhook, where it really listens. */
export interface WebhookEndpoint {
  readonly port: number;
  /** This machine's own address when not given; the API server refuses the loopback. */
  readonly ip?: string;
  readonly ready?: boolean;
}

export interface WebhookService {
  readonly namespace: string;
  readonly service: string;
  readonly endpoints: readonly WebhookEndpoint[];
  /** The Service's port that the webhook configurations name; they name 443 when they name none. */
  readonly servicePort?: number;
}

interface Service extends KubernetesObject {
  readonly spec: { readonly ports: readonly { readonly name?: string; readonly port: number }[] };
}

interface EndpointSlice extends KubernetesObject {
  readonly addressType: string;
  readonly ports: readonly object[];
  readonly endpoints: readonly object[];
}

const MANAGED_BY = 'rwo-guard-control-plane';

/**
 * Tells the API server where a webhook's Service ends, in place of the endpoint controllers and of kube-proxy. A Service that
 * came with the manifests is used as it is. Called again, it replaces what it said before: a replica that is no longer
 * ready, or gone.
 */
export async function publishWebhookService(api: KubernetesApi, webhook: WebhookService): Promise<void> {
  const { namespace, service: name, endpoints, servicePort = 443 } = webhook;
  const { spec } = (await api.find<Service>(serviceKey(namespace, name))) ?? (await createService(api, webhook));
  const port = spec.ports.find((candidate) => candidate.port === servicePort);
  if (port === undefined) throw new Error(`The Service ${namespace}/${name} has no port ${servicePort}`);

  // A slice each: the endpoints of one slice share their ports, and here they share the address instead.
  const slices = endpoints.map((endpoint, index) => sliceFor(webhook, `${name}-${index}`, port.name ?? '', endpoint));
  for (const slice of slices) await api.apply(slice);

  const kept = new Set(slices.map(({ metadata }) => metadata?.name));
  const labelSelector = `kubernetes.io/service-name=${name},endpointslice.kubernetes.io/managed-by=${MANAGED_BY}`;
  for (const { metadata } of await api.list(SLICE, { namespace, labelSelector })) {
    if (metadata?.name !== undefined && !kept.has(metadata.name)) {
      await api.delete({ ...SLICE, namespace, name: metadata.name });
    }
  }
}

const SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' };

function serviceKey(namespace: string, name: string) {
  return { apiVersion: 'v1', kind: 'Service', namespace, name };
}

function createService(api: KubernetesApi, { namespace, service: name, servicePort = 443 }: WebhookService) {
  return api.create<Service>({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: { ports: [{ name: 'https', port: servicePort }] },
  });
}

function sliceFor(
  { namespace, service }: WebhookService,
  name: string,
  portName: string,
  { ip = machineAddress(), port, ready = true }: WebhookEndpoint,
): EndpointSlice {
  return {
    ...SLICE,
    metadata: {
      namespace,
      name,
      labels: { 'kubernetes.io/service-name': service, 'endpointslice.kubernetes.io/managed-by': MANAGED_BY },
    },
    addressType: 'IPv4',
    // The name of the Service's port, not the number, is what ties the two together.
    ports: [{ name: portName, port, protocol: 'TCP' }],
    endpoints: [{ addresses: [ip], conditions: { ready } }],
  };
}
