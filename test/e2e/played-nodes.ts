import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod, V1VolumeAttachment } from '@kubernetes/client-node';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { type KubernetesApi, KubernetesApiError } from '../control-plane/kubernetes-api.ts';
import { runningStatus } from '../oracle/kubelet/pod-status.ts';

const STEP_MS = 300;
const PODS = { apiVersion: 'v1', kind: 'Pod' };
const ATTACHMENTS = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment' };

/** As `external-attacher` names its own for the driver `disk.example.com`. */
const FINALIZER = 'external-attacher/disk-example-com';

/** Plays kubelets and the attacher of a driver, each by the name that it has on a real cluster. A node can really stop. */
export class PlayedNodes {
  readonly #kubelets = new Map<string, { readonly api: KubernetesApi; boot: number; alive: boolean }>();
  readonly #attacher: KubernetesApi;
  readonly #running: Promise<void>[] = [];
  #stopped = false;
  /** How often a node said that it is well. */
  heartbeats = 0;

  constructor(cluster: ControlPlane, names: readonly string[]) {
    const groups = ['system:authenticated', 'system:masters'];
    const attacher = 'system:serviceaccount:storage:attacher';
    this.#attacher = cluster.apiAs({ user: attacher, groups: ['system:serviceaccounts', ...groups] });
    this.#running.push(this.#repeat(() => this.#attach()));
    for (const name of names) {
      const api = cluster.apiAs({ user: `system:node:${name}`, groups: ['system:nodes', ...groups] });
      this.#kubelets.set(name, { api, boot: 1, alive: true });
      this.#running.push(this.#repeat(() => this.#live(name)));
    }
  }

  /** From now on nothing is heard of it. */
  die(name: string): void {
    this.#set(name, { alive: false });
  }

  /** It is heard of again, started anew or not. */
  comeBack(name: string, { booted }: { readonly booted: boolean }): void {
    const { boot = 1 } = this.#kubelets.get(name) ?? {};
    this.#set(name, { alive: true, boot: booted ? boot + 1 : boot });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    await Promise.all(
      [this.#attacher, ...[...this.#kubelets.values()].map(({ api }) => api)].map((api) => api.close()),
    );
  }

  #set(name: string, change: { readonly alive: boolean; readonly boot?: number }): void {
    const kubelet = this.#kubelets.get(name);
    if (kubelet !== undefined) Object.assign(kubelet, change);
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      // What changed or went between a look and a write is seen by the next look.
      await step().catch((error: unknown) => {
        if (!(error instanceof KubernetesApiError && [404, 409, 422].includes(error.code))) throw error;
      });
      await sleep(STEP_MS);
    }
  }

  async #live(name: string): Promise<void> {
    const { api, alive, boot } = this.#kubelets.get(name) ?? {};
    if (api === undefined || !alive) return;
    const pods = await api.list<V1Pod>(PODS, { fieldSelector: `spec.nodeName=${name}` });
    for (const pod of pods) await this.#run(pod, api);
    const staying = pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    const status = {
      conditions: [condition()],
      nodeInfo: { bootID: `boot-${boot}` },
      volumesInUse: [...new Set(staying.flatMap(volumesOf))],
    };
    await api.patch({ apiVersion: 'v1', kind: 'Node', name }, 'strategic', { status }, { subresource: 'status' });
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'kube-node-lease', name },
    };
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: `${new Date().toISOString().slice(0, -1)}000Z`,
    };
    await api.apply({ ...lease, ...{ spec } });
    this.heartbeats++;
  }

  async #run(pod: V1Pod, api: KubernetesApi): Promise<void> {
    const { namespace = '', name = '', deletionTimestamp } = pod.metadata ?? {};
    const key = { ...PODS, namespace, name };
    if (deletionTimestamp !== undefined) return api.delete(key, { gracePeriodSeconds: 0 });
    if (pod.status?.phase === 'Running' || !(await this.#hasVolumes(pod))) return;
    await api.patch(key, 'merge', { status: runningStatus(pod) }, { subresource: 'status' });
  }

  async #hasVolumes({ metadata, spec }: V1Pod): Promise<boolean> {
    const attachments = await this.#attacher.list<V1VolumeAttachment>(ATTACHMENTS);
    return volumesOf({ metadata, spec } as V1Pod).every((volume) =>
      attachments.some(
        ({ spec: { nodeName, source }, status }) =>
          nodeName === spec?.nodeName &&
          status?.attached === true &&
          volume.endsWith(`^${source.persistentVolumeName}`),
      ),
    );
  }

  async #attach(): Promise<void> {
    for (const { metadata, status } of await this.#attacher.list<V1VolumeAttachment>(ATTACHMENTS)) {
      const key = { ...ATTACHMENTS, name: metadata?.name ?? '' };
      if (metadata?.deletionTimestamp !== undefined) {
        await this.#attacher.patch(key, 'merge', { metadata: { finalizers: [] } });
      } else if (status?.attached !== true) {
        await this.#attacher.patch(key, 'merge', { metadata: { finalizers: [FINALIZER] } });
        await this.#attacher.patch(key, 'merge', { status: { attached: true } }, { subresource: 'status' });
      }
    }
  }
}

function condition(): object {
  const now = new Date().toISOString();
  return { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: now };
}

/** Volumes are called by the namespace and the name of their claim, here. */
function volumesOf({ metadata, spec }: V1Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [`kubernetes.io/csi/disk.example.com^${metadata?.namespace}-${claim.claimName}`],
  );
}
