import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesApi, ObjectKey } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { playAttacher } from '../oracle/attacher.ts';
import { Kubelets } from '../oracle/kubelet/kubelets.ts';
import { randomFrom } from '../oracle/random.ts';
import { Watches } from '../oracle/watches.ts';
import { World } from '../oracle/world.ts';

/** Nodes whose kubelets are played, heartbeat included, so that a node can really fail. */
export interface PlayedNodes {
  readonly world: World;
  /** Makes it, and waits until the controllers take it for ready. */
  add(name: string): Promise<void>;
  /** From now on its kubelet does nothing: no heartbeat, no pod that ends, no report. */
  silence(name: string): void;
  /** It has started anew, with another boot id. */
  restart(name: string): Promise<void>;
  /** From now on no pod of the namespace ends, as processes do not that wait for a file server; or they do, and unmounting hangs. */
  hang(namespace: string, unmounting?: boolean): void;
  answer(namespace: string): void;
  stop(): Promise<void>;
}

/** Far below the grace period of the controller manager below. */
const HEARTBEAT_MS = 1_000;

/** A node is taken for lost after seconds. */
export const NODE_FAILURE_FLAGS = ['--node-monitor-grace-period=8s', '--node-monitor-period=1s'] as const;

export async function playNodes(cluster: ControlPlane): Promise<PlayedNodes> {
  const watches = await Watches.of(cluster);
  const world = new World(watches);
  const api = cluster.apiAs({ user: 'system:node:played', groups: ['system:nodes'] });
  const nodes = new Set<string>();
  const silent = new Set<string>();
  const hanging = new Map<string, PromiseWithResolvers<void>>();
  const unmounting = new Set<string>();
  const random = randomFrom(1);

  /** The node that writes this: its own object, or that of a pod. */
  const writerOf = ({ kind, namespace = '', name }: ObjectKey): string =>
    kind === 'Node' ? name : (world.pods.get(namespace, name)?.spec?.nodeName ?? '');
  const kubelet: KubernetesApi = {
    ...api,
    async patch(key, type, patch, options) {
      const hangs = JSON.stringify(patch).includes('"Succeeded"')
        ? hanging.get(key.namespace ?? '')?.promise
        : undefined;
      const isUnmounting = unmounting.has(key.namespace ?? '');
      if (!isUnmounting) await hangs;
      if (silent.has(writerOf(key))) return new Promise(() => {});
      const written = await api.patch<never>(key, type, patch, options);
      if (isUnmounting) await hangs; // what it has mounted it keeps until then
      return written;
    },
    async delete(key, options) {
      await hanging.get(key.namespace ?? '')?.promise;
      return silent.has(writerOf(key)) ? new Promise(() => {}) : api.delete(key, options);
    },
  };
  playAttacher(api, world, random);
  const kubelets = new Kubelets(kubelet, world, random);

  const beat = async (name: string) => {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'kube-node-lease', name };
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    };
    const { kind, apiVersion, ...metadata } = lease;
    await api.apply({ kind, apiVersion, metadata, spec });
  };
  const beating = setInterval(() => {
    for (const name of nodes) if (!silent.has(name)) void beat(name).catch(() => {}); // the API server may be going
  }, HEARTBEAT_MS);
  const ready = (name: string, bootID: string) => {
    const now = new Date().toISOString().replace(/\.\d+/, '');
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
    return api.patch(
      { apiVersion: 'v1', kind: 'Node', name },
      'merge',
      { status: { conditions: [condition], nodeInfo: { bootID } } },
      { subresource: 'status' },
    );
  };

  return {
    world,
    async add(name) {
      const allocatable = { cpu: '8', memory: '16Gi', pods: '110' };
      const nodeInfo = { bootID: `${name}-1`, ...Object.fromEntries(NODE_INFO.map((field) => [field, ''])) };
      await cluster.api.create({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: {
          name,
          labels: { 'kubernetes.io/hostname': name },
          annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
        },
        status: { allocatable, capacity: allocatable, nodeInfo },
      });
      await beat(name);
      nodes.add(name);
      await ready(name, `${name}-1`);
      await until(`node ${name} to be taken for ready`, async () => {
        const node = world.nodes.get('', name);
        return node !== undefined && (node.spec?.taints ?? []).length === 0;
      });
    },
    silence: (name) => void silent.add(name),
    async restart(name) {
      silent.delete(name);
      await beat(name);
      await ready(name, `${name}-2`);
    },
    hang(namespace, isUnmounting = false) {
      hanging.set(namespace, Promise.withResolvers());
      if (isUnmounting) unmounting.add(namespace);
    },
    answer(namespace) {
      hanging.get(namespace)?.resolve();
      hanging.delete(namespace);
    },
    async stop() {
      clearInterval(beating);
      kubelets.stop();
      await watches.close();
      await api.close();
    },
  };
}

const NODE_INFO = [
  ...['machineID', 'systemUUID', 'kernelVersion', 'osImage', 'containerRuntimeVersion', 'kubeletVersion'],
  ...['kubeProxyVersion', 'operatingSystem', 'architecture'],
];
