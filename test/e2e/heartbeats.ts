import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesApi, KubernetesObject } from '../control-plane/kubernetes-api.ts';

const EVERY_MS = 1000;

/** Renews the leases of nodes as their kubelets do, until one of them is to stop. */
export class Heartbeats {
  readonly #api: KubernetesApi;
  readonly #nodes = new Set<string>();
  #stopped = false;
  #beating: Promise<void> | undefined;

  constructor(api: KubernetesApi) {
    this.#api = api;
  }

  async begin(node: string): Promise<void> {
    const lease = {
      ...{
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: 'kube-node-lease', name: node },
      },
      spec: { holderIdentity: node, leaseDurationSeconds: 40, renewTime: now() },
    };
    await this.#api.create<KubernetesObject>(lease);
    this.#nodes.add(node);
    this.#beating ??= this.#beat();
  }

  end(node: string): void {
    this.#nodes.delete(node);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#beating;
  }

  async #beat(): Promise<void> {
    while (!this.#stopped) {
      await Promise.all([...this.#nodes].map((node) => this.#renew(node)));
      await sleep(EVERY_MS);
    }
  }

  async #renew(name: string): Promise<void> {
    const key = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'kube-node-lease', name };
    await this.#api.patch(key, 'merge', { spec: { renewTime: now() } });
  }
}

/** As a MicroTime. */
function now(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
