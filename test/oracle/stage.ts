import type { V1Node, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { type KubernetesApi, KubernetesApiError, type KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { provisionedIn } from './provisioner.ts';
import type { Scenario } from './scenario.ts';
import { isReady } from './sight.ts';
import type { World } from './world.ts';

/** How many pods a node has room for. */
export const CLOSED = '0';
const OPEN = '110';

/** A busy machine takes its time; as long as a scenario may take. */
export const PATIENT = { timeoutMs: 120_000 };

/** What scenarios are played with. */
export interface Stage {
  readonly api: KubernetesApi;
  readonly world: World;
}

/** Makes everything but the workload itself. Only the first node has room for pods, so that old pods start where they can share. */
export async function setUp({ api, world }: Stage, scenario: Scenario): Promise<void> {
  const [namespace, ...setting] = scenario.setting;
  if (namespace !== undefined) await api.create(namespace);
  const nodes = scenario.nodes.map((node, index) => ({ ...node, status: statusOf(roomAtFirst(scenario, index)) }));
  await Promise.all([...setting, ...nodes].map((object) => createUnlessCommon(api, object)));
  await until(
    `the nodes of ${scenario.namespace} to be taken for ready`,
    async () => scenario.nodes.every(({ metadata }) => isTakenForReady(world.nodes.get('', metadata?.name ?? ''))),
    PATIENT,
  );
  const volumes = setting.filter(({ kind }) => kind === 'PersistentVolume');
  // The scheduler does not offer those that the controller has not looked at.
  await until(
    `the volumes of ${scenario.namespace} to be available`,
    async () =>
      volumes.every(({ metadata }) => {
        const phase = world.volumes.get('', metadata?.name ?? '')?.status?.phase;
        return phase === 'Available' || phase === 'Bound';
      }),
    PATIENT,
  );
  await until(
    `the claims of ${scenario.namespace} to be bound`,
    async () =>
      scenario.claims
        .filter(isNamed)
        .every(({ metadata }) => world.claims.get(scenario.namespace, metadata?.name ?? '')?.status?.phase === 'Bound'),
    PATIENT,
  );
  const { neighbour } = scenario;
  if (neighbour === undefined) return;
  await api.create(neighbour);
  await until(
    `the neighbour in ${scenario.namespace} to run`,
    async () => {
      const pods = world.pods.in(scenario.namespace);
      return pods.length > 0 && pods.every(isReady);
    },
    PATIENT,
  );
  // With a neighbour the worst is not to start beside it.
  if (scenario.running !== undefined) await setRoom(api, scenario.nodes[0], CLOSED);
}

/** A claim that names no volume waits for its first pod. */
function isNamed({ spec }: V1PersistentVolumeClaim): boolean {
  return spec?.volumeName !== undefined;
}

/** A driver that all scenarios have together is made by the first of them, and stays. */
async function createUnlessCommon(api: KubernetesApi, object: KubernetesObject): Promise<void> {
  try {
    await api.create<KubernetesObject>(object);
  } catch (error) {
    if (!(error instanceof KubernetesApiError && error.code === 409 && object.kind === 'CSIDriver')) throw error;
  }
}

function isCommon({ kind, metadata }: KubernetesObject, namespace: string): boolean {
  return kind === 'CSIDriver' && !(metadata?.name ?? '').includes(`${namespace}.`);
}

/** Every node begins with this taint, and pods that come meanwhile have fewer nodes to choose from. */
function isTakenForReady(node: V1Node | undefined): boolean {
  if (node === undefined) return false;
  return !(node.spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/not-ready');
}

function roomAtFirst({ action, neighbour }: Scenario, index: number): string {
  return action === 'create' || neighbour !== undefined || index === 0 ? OPEN : CLOSED;
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
  const closed = nodes.filter(({ metadata }) => !isOpen(world.nodes.get('', metadata?.name ?? '')));
  await Promise.all(closed.map((node) => setRoom(api, node, OPEN)));
}

function isOpen(node: V1Node | undefined): boolean {
  return node?.status?.allocatable?.pods === OPEN;
}

async function setRoom(api: KubernetesApi, node: V1Node | undefined, pods: string): Promise<void> {
  const key = { apiVersion: 'v1', kind: 'Node', name: node?.metadata?.name ?? '' };
  const room = { allocatable: { pods }, capacity: { pods } };
  await api.patch(key, 'merge', { status: room }, { subresource: 'status' });
}

/** Takes away what would cost something if it stayed. Empty namespaces do not, and deleting one does. */
export async function tearDown({ api, world }: Stage, scenario: Scenario): Promise<void> {
  const { namespace, wanted, nodes, neighbour, bystander } = scenario;
  for (const { apiVersion, kind = '', metadata } of [wanted, neighbour, bystander].filter((one) => one !== undefined)) {
    // Said because a Job would leave its pods behind.
    const path = `/apis/${apiVersion}/namespaces/${namespace}/${kind.toLowerCase()}s/${metadata?.name}`;
    await api.request('DELETE', path, { propagationPolicy: 'Background' });
  }
  const names = new Set(nodes.map(({ metadata }) => metadata?.name));
  await until(
    `the pods and attachments of ${namespace} to go`,
    async () =>
      world.pods.in(namespace).length === 0 && world.attachments.in('').every(({ spec }) => !names.has(spec.nodeName)),
    { ...PATIENT, everyMs: 500 },
  );
  const rest = [...scenario.setting.slice(1), ...nodes].filter(
    (object) => object.kind !== 'PersistentVolumeClaim' && !isCommon(object, namespace),
  );
  const claims = world.claims.in(namespace).map(({ metadata }) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: metadata?.name ?? '', namespace },
  }));
  const volumes = provisionedIn(world, namespace);
  for (const { apiVersion = '', kind = '', metadata = {} } of [...claims, ...volumes, ...rest]) {
    const inNamespace = kind === 'PersistentVolumeClaim' ? { namespace } : {};
    await api.delete({ apiVersion, kind, name: metadata.name ?? '', ...inNamespace });
  }
}
