import type { V1Node } from '@kubernetes/client-node';
import type { KubernetesApi, KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

const CLOSED = '0';
const OPEN = '110';

/** What scenarios are played with. */
export interface Stage {
  readonly api: KubernetesApi;
  readonly world: World;
}

/** Makes everything but workloads. Only the first node has room for pods, so that old pods start where they can share. */
export async function setUp({ api, world }: Stage, scenario: Scenario): Promise<void> {
  const [namespace, ...setting] = scenario.setting;
  if (namespace !== undefined) await api.create(namespace);
  const nodes = scenario.nodes.map((node, index) => ({ ...node, status: statusOf(roomAtFirst(scenario, index)) }));
  await Promise.all([...setting, ...nodes].map((object) => api.create<KubernetesObject>(object)));
  await until(`the nodes of ${scenario.namespace} to be taken for ready`, async () =>
    scenario.nodes.every(({ metadata }) => isTakenForReady(world.nodes.get('', metadata?.name ?? ''))),
  );
  await until(`the claims of ${scenario.namespace} to be bound`, async () =>
    scenario.claims.every(
      ({ metadata }) => world.claims.get(scenario.namespace, metadata?.name ?? '')?.status?.phase === 'Bound',
    ),
  );
}

/** Every node begins with this taint, and pods that come meanwhile have fewer nodes to choose from. */
function isTakenForReady(node: V1Node | undefined): boolean {
  if (node === undefined) return false;
  return !(node.spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/not-ready');
}

function roomAtFirst({ action }: Scenario, index: number): string {
  return action === 'create' || index === 0 ? OPEN : CLOSED;
}

function statusOf(pods: string): NonNullable<V1Node['status']> {
  // So small that a single pod shows in how full a node is; what pods request is nothing.
  const allocatable = { cpu: '2', memory: '4Gi', pods };
  return {
    // Without it KWOK sends no heartbeats.
    phase: 'Running',
    capacity: { ...allocatable },
    allocatable,
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }],
  };
}

export async function openAllNodes({ api, world }: Stage, { nodes }: Scenario): Promise<void> {
  await Promise.all(
    nodes.map(async ({ metadata }) => {
      const name = metadata?.name ?? '';
      if (world.nodes.get('', name)?.status?.allocatable?.pods === OPEN) return;
      const room = { allocatable: { pods: OPEN }, capacity: { pods: OPEN } };
      await api.patch({ apiVersion: 'v1', kind: 'Node', name }, 'merge', { status: room }, { subresource: 'status' });
    }),
  );
}

/** Takes away what would cost something if it stayed. Empty namespaces do not, and deleting one does. */
export async function tearDown({ api, world }: Stage, scenario: Scenario): Promise<void> {
  const { namespace, wanted, nodes } = scenario;
  const { apiVersion = '', kind = '', metadata } = wanted;
  // Said because a Job would leave its pods behind.
  const path = `/apis/${apiVersion}/namespaces/${namespace}/${kind.toLowerCase()}s/${metadata?.name}`;
  await api.request('DELETE', path, { propagationPolicy: 'Background' });
  const names = new Set(nodes.map(({ metadata }) => metadata?.name));
  await until(
    `the pods and attachments of ${namespace} to go`,
    async () =>
      world.pods.in(namespace).length === 0 && world.attachments.in('').every(({ spec }) => !names.has(spec.nodeName)),
    { timeoutMs: 60_000, everyMs: 500 },
  );
  const rest = [...scenario.setting.slice(1), ...nodes].filter(({ kind }) => kind !== 'PersistentVolumeClaim');
  const claims = world.claims.in(namespace).map(({ metadata }) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: metadata?.name ?? '', namespace },
  }));
  for (const { apiVersion = '', kind = '', metadata = {} } of [...claims, ...rest]) {
    const inNamespace = kind === 'PersistentVolumeClaim' ? { namespace } : {};
    await api.delete({ apiVersion, kind, name: metadata.name ?? '', ...inNamespace });
  }
}
