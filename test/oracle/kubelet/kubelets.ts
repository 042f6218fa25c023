import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { type KubernetesApi, KubernetesApiError } from '../../control-plane/kubernetes-api.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { type Disk, isDisk, mountedDisksOf } from './disks.ts';
import { endedStatus, rejectedStatus, runningStatus } from './pod-status.ts';
import { rejectionOf } from './rejection.ts';

/** Times in milliseconds: far below those of a real kubelet, and long enough for a controller to see each step. */
const START = [50, 200] as const;
const GRACE = [1000, 2000] as const;
/** The pod that comes after it needs a claim to be made and bound first, and is to come while this one is still there. */
const GRACE_WITH_OWN_CLAIM = [7000, 8000] as const;
const UNMOUNT = [100, 500] as const;
/** A real kubelet reports its volumes every ten seconds. */
const REPORT = [100, 1000] as const;
const REJECT = 1000;
const LOOK_AGAIN = 500;

/** A pod on its node. It holds volumes from `starting` until they are unmounted. */
interface Tenant {
  readonly pod: V1Pod;
  readonly node: string;
  step: 'waiting' | 'starting' | 'running' | 'ending' | 'rejected';
  mounted: readonly string[];
}

function graceOf({ spec }: V1Pod): readonly [number, number] {
  return spec?.volumes?.some(({ ephemeral }) => ephemeral !== undefined) ? GRACE_WITH_OWN_CLAIM : GRACE;
}

/** Plays the kubelets of all nodes: pods start when their volumes are attached, and end with time to be seen. */
export class Kubelets {
  readonly #api: KubernetesApi;
  readonly #world: World;
  readonly #random: Random;
  readonly #tenants = new Map<string, Tenant>();
  #stopped = false;
  readonly #reports = new Map<string, Promise<V1Node | undefined>>();
  readonly #silent = new Set<string>();

  constructor(api: KubernetesApi, world: World, random: Random) {
    this.#api = api;
    this.#world = world;
    this.#random = random;
    world.pods.onChange((pod, isGone) => (isGone ? this.#gone(pod) : this.#seen(pod)));
    world.nodes.onChange((node) => {
      for (const tenant of this.#on(node.metadata?.name ?? '')) this.#start(tenant);
    });
  }

  /** From now on nothing is written: the API server is about to go. */
  stop(): void {
    this.#stopped = true;
  }

  /** From now on the kubelet of this node does nothing. */
  silence(node: string): void {
    this.#silent.add(node);
  }

  #on(node: string): readonly Tenant[] {
    return [...this.#tenants.values()].filter((tenant) => tenant.node === node);
  }

  #seen(pod: V1Pod): void {
    const uid = pod.metadata?.uid ?? '';
    const node = pod.spec?.nodeName;
    if (node === undefined) return;
    const tenant = this.#tenants.get(uid) ?? this.#admit(pod, node);
    if (pod.metadata?.deletionTimestamp !== undefined) void this.#end(tenant);
    else this.#start(tenant);
  }

  #admit(pod: V1Pod, node: string): Tenant {
    const others = this.#on(node).filter(({ step }) => step !== 'rejected');
    const tenant: Tenant = { pod, node, step: 'waiting', mounted: [] };
    this.#tenants.set(pod.metadata?.uid ?? '', tenant);
    const reason = rejectionOf(
      pod,
      this.#world.nodes.get('', node),
      others.map((other) => other.pod),
    );
    if (reason !== undefined) void this.#reject(tenant, reason);
    return tenant;
  }

  async #reject(tenant: Tenant, reason: string): Promise<void> {
    tenant.step = 'rejected';
    // Its ReplicaSet makes the next one at once, so this sets the pace.
    await sleep(REJECT);
    await this.#write(tenant, rejectedStatus(reason));
  }

  #start(tenant: Tenant): void {
    if (tenant.step !== 'waiting' || this.#silent.has(tenant.node)) return;
    const disks = mountedDisksOf(tenant.pod, this.#world);
    const mounted = disks && this.#attached(tenant, disks, this.#world.nodes.get('', tenant.node));
    if (mounted !== undefined) void this.#mount(tenant, disks ?? [], mounted);
    else if (disks === undefined) void sleep(LOOK_AGAIN).then(() => this.#start(tenant));
  }

  /** The names of the pod's disks, once the node says that all of them are attached and this pod may have them. */
  #attached({ node, pod }: Tenant, disks: readonly Disk[], now: V1Node | undefined): readonly string[] | undefined {
    const attached = (now?.status?.volumesAttached ?? []).map(({ name }) => name);
    const names: string[] = [];
    for (const disk of disks) {
      const name = attached.find((candidate) => isDisk(candidate, disk));
      if (name === undefined) return undefined;
      const others = this.#on(node).filter((tenant) => tenant.pod !== pod);
      if (disk.onePod && others.some(({ mounted }) => mounted.includes(name))) return undefined;
      names.push(name);
    }
    return names;
  }

  /** Says first that the volumes are in use, so that the controller does not take them away, and looks once more. */
  async #mount(tenant: Tenant, disks: readonly Disk[], mounted: readonly string[]): Promise<void> {
    tenant.step = 'starting';
    tenant.mounted = mounted;
    const node = await this.#report(tenant.node);
    if (node !== undefined && this.#attached(tenant, disks, node) === undefined) {
      tenant.mounted = [];
      if (tenant.step === 'starting') tenant.step = 'waiting';
      await this.#report(tenant.node);
      return;
    }
    await sleep(this.#random.between(...START));
    if (tenant.step !== 'starting') return;
    tenant.step = 'running';
    await this.#write(tenant, runningStatus(tenant.pod));
  }

  async #end(tenant: Tenant): Promise<void> {
    if (tenant.step === 'ending' || this.#silent.has(tenant.node)) return;
    const ran = tenant.step === 'running';
    tenant.step = 'ending';
    if (ran) {
      await sleep(this.#random.between(...graceOf(tenant.pod)));
      await this.#write(tenant, endedStatus(tenant.pod));
      await sleep(this.#random.between(...UNMOUNT));
    }
    tenant.mounted = [];
    const { namespace = '', name = '' } = tenant.pod.metadata ?? {};
    if (this.#stopped || this.#silent.has(tenant.node)) return;
    await this.#api.delete({ apiVersion: 'v1', kind: 'Pod', namespace, name }, { gracePeriodSeconds: 0 });
    await sleep(this.#random.between(...REPORT));
    await this.#report(tenant.node);
  }

  #gone(pod: V1Pod): void {
    const tenant = this.#tenants.get(pod.metadata?.uid ?? '');
    if (tenant === undefined) return;
    this.#tenants.delete(pod.metadata?.uid ?? '');
    if (tenant.mounted.length > 0) void this.#report(tenant.node);
  }

  /** Writes which volumes the node uses, one write after the other; gives the node as it then is. */
  #report(name: string): Promise<V1Node | undefined> {
    const before = this.#reports.get(name) ?? Promise.resolve(undefined);
    const report = before.then(() => {
      if (this.#silent.has(name)) return undefined;
      const volumesInUse = [...new Set(this.#on(name).flatMap(({ mounted }) => mounted))];
      return this.#patch<V1Node>({ apiVersion: 'v1', kind: 'Node', name }, { volumesInUse });
    });
    this.#reports.set(name, report);
    return report;
  }

  async #write({ pod, node }: Tenant, status: object): Promise<void> {
    if (this.#silent.has(node)) return;
    const { namespace = '', name = '' } = pod.metadata ?? {};
    await this.#patch({ apiVersion: 'v1', kind: 'Pod', namespace, name }, status);
  }

  /** `undefined` where the object has gone meanwhile. */
  async #patch<T extends object>(key: Parameters<KubernetesApi['patch']>[0], status: object): Promise<T | undefined> {
    if (this.#stopped) return undefined;
    try {
      return (await this.#api.patch(key, 'merge', { status }, { subresource: 'status' })) as T;
    } catch (error) {
      if (error instanceof KubernetesApiError && error.code === 404) return undefined;
      throw error;
    }
  }
}
