import type { ClaimStatus, VolumeStatus } from '../objects/claim-status.ts';
import { claimStatusFrom, volumeStatusFrom } from '../objects/claim-status.ts';
import { type CsiNode, csiNodeFrom } from '../objects/csi-node.ts';
import { type Fact, known, unknown } from '../objects/fact.ts';
import { autoscalerFrom } from '../objects/horizontal-pod-autoscaler.ts';
import type { JsonObject } from '../objects/json.ts';
import { isWorkloadKind } from '../objects/kinds.ts';
import { metadataFrom, type OwnerReference } from '../objects/metadata.ts';
import { type NodeStatus, nodeStatusFrom } from '../objects/node-status.ts';
import { keyOf } from '../objects/object-key.ts';
import { diskOf } from '../objects/persistent-volume.ts';
import { type DisruptionBudget, disruptionBudgetFrom } from '../objects/pod-disruption-budget.ts';
import { type PodStatus, podStatusFrom } from '../objects/pod-status.ts';
import { type CsiDriver, csiDriverFrom, type StorageClass, storageClassFrom } from '../objects/storage-class.ts';
import { type VolumeAttachment, volumeAttachmentFrom } from '../objects/volume-attachment.ts';
import { claimNames, numberedClaim } from '../objects/workload.ts';
import type { ClaimRef, OwnedAutoscaler } from './claim-use.ts';
import { type Owner, ownerFrom } from './owner.ts';

/** The lists that are read, by their plurals. */
export const INVENTORY_LISTS = {
  persistentvolumeclaims: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespaced: true },
  persistentvolumes: { kind: 'PersistentVolume', apiVersion: 'v1', namespaced: false },
  volumeattachments: { kind: 'VolumeAttachment', apiVersion: 'storage.k8s.io/v1', namespaced: false },
  nodes: { kind: 'Node', apiVersion: 'v1', namespaced: false },
  csinodes: { kind: 'CSINode', apiVersion: 'storage.k8s.io/v1', namespaced: false },
  csidrivers: { kind: 'CSIDriver', apiVersion: 'storage.k8s.io/v1', namespaced: false },
  storageclasses: { kind: 'StorageClass', apiVersion: 'storage.k8s.io/v1', namespaced: false },
  pods: { kind: 'Pod', apiVersion: 'v1', namespaced: true },
  deployments: { kind: 'Deployment', apiVersion: 'apps/v1', namespaced: true },
  statefulsets: { kind: 'StatefulSet', apiVersion: 'apps/v1', namespaced: true },
  replicasets: { kind: 'ReplicaSet', apiVersion: 'apps/v1', namespaced: true },
  daemonsets: { kind: 'DaemonSet', apiVersion: 'apps/v1', namespaced: true },
  jobs: { kind: 'Job', apiVersion: 'batch/v1', namespaced: true },
  cronjobs: { kind: 'CronJob', apiVersion: 'batch/v1', namespaced: true },
  horizontalpodautoscalers: { kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v1', namespaced: true },
  poddisruptionbudgets: { kind: 'PodDisruptionBudget', apiVersion: 'policy/v1', namespaced: true },
} as const satisfies Readonly<
  Record<string, { readonly kind: string; readonly apiVersion: string; readonly namespaced: boolean }>
>;

export type InventoryList = keyof typeof INVENTORY_LISTS;

export function isInventoryList(list: string): list is InventoryList {
  return Object.hasOwn(INVENTORY_LISTS, list);
}

/** What was read of a cluster for the sake of claims. Of pods and owners, only those that have to do with one are kept. */
export class Inventory {
  readonly claims = new Map<string, ClaimStatus>();
  readonly volumes = new Map<string, VolumeStatus>();
  readonly nodes = new Map<string, NodeStatus>();
  readonly csiNodes = new Map<string, CsiNode>();
  readonly drivers = new Map<string, CsiDriver>();
  readonly classes = new Map<string, StorageClass>();
  /** By the volume that is attached. */
  readonly attachments = new Map<string, VolumeAttachment[]>();
  /** By namespace and name of the claim. */
  readonly podsByClaim = new Map<string, PodStatus[]>();
  readonly owners = new Map<string, Fact<Owner | undefined>>();
  /** All but the ReplicaSets of Deployments, by the claims that they mount and the beginnings of their own ones. */
  readonly #workloads = new Map<string, Owner[]>();
  readonly autoscalers = new Map<string, OwnedAutoscaler[]>();
  readonly budgets = new Map<string, DisruptionBudget[]>();
  readonly #volumesByDisk = new Map<string, string[]>();
  readonly #attached = new Map<string, number>();
  readonly #refused = new Map<string, string>();

  readonly #takers: Readonly<Record<InventoryList, (object: JsonObject) => void>> = {
    persistentvolumeclaims: (object) => this.#claim(claimStatusFrom(object)),
    persistentvolumes: (object) => this.#volume(volumeStatusFrom(object)),
    volumeattachments: (object) => this.#attachment(volumeAttachmentFrom(object)),
    nodes: (object) => put(this.nodes, nodeStatusFrom(object)),
    csinodes: (object) => put(this.csiNodes, csiNodeFrom(object)),
    csidrivers: (object) => put(this.drivers, csiDriverFrom(object)),
    storageclasses: (object) => put(this.classes, storageClassFrom(object)),
    pods: (object) => this.#pod(podStatusFrom(object)),
    deployments: (object) => this.#owner(ownerFrom(object)),
    statefulsets: (object) => this.#owner(ownerFrom(object)),
    replicasets: (object) => this.#owner(ownerFrom(object)),
    daemonsets: (object) => this.#owner(ownerFrom(object)),
    jobs: (object) => this.#owner(ownerFrom(object)),
    cronjobs: (object) => this.#owner(ownerFrom(object)),
    horizontalpodautoscalers: (object) =>
      this.#autoscaler({ ...autoscalerFrom(object), controller: metadataFrom(object).controller }),
    poddisruptionbudgets: (object) => this.#budget(disruptionBudgetFrom(object)),
  };

  /** Takes an object of a list, which comes without its kind. */
  take(list: InventoryList, listed: JsonObject): void {
    const { kind, apiVersion } = INVENTORY_LISTS[list];
    this.#takers[list]({ ...listed, kind, apiVersion });
  }

  /** Notes that a list could not be read, in one namespace or in all (`''`). */
  refuse(list: InventoryList, namespace: string, because: string): void {
    const where = namespace === '' ? list : `${list} in ${namespace}`;
    this.#refused.set(keyOf(namespace, list), `${where} could not be read: ${because}`);
  }

  /** An owner of a kind that is not listed, as it was asked for. */
  tell({ uid }: OwnerReference, found: Fact<Owner | undefined>): void {
    this.owners.set(uid, found);
  }

  /** Everything that could not be read. */
  unseen(): readonly string[] {
    return [...this.#refused.values()];
  }

  /** Why the objects of a list in this namespace are not known, if they are not. */
  reading(list: InventoryList, namespace = ''): Fact<true> {
    const because = this.#refused.get(list) ?? this.#refused.get(keyOf(namespace, list));
    return because === undefined ? known(true) : unknown(because);
  }

  /** Volumes that are one to the attach-detach controller. */
  volumesOnDisk(volume: VolumeStatus): readonly VolumeStatus[] {
    const disk = diskOf(volume.source);
    const names = disk === undefined ? undefined : this.#volumesByDisk.get(disk);
    return names?.flatMap((name) => this.volumes.get(name) ?? []) ?? [volume];
  }

  /** Those whose pods mount the claim, and the StatefulSet of which a pod has it for its own. */
  workloadsWith(namespace: string, claim: string): readonly Owner[] {
    const numbered = numberedClaim(claim);
    const own = numbered === undefined ? undefined : this.#workloads.get(ownKey(namespace, numbered.prefix));
    return [...(this.#workloads.get(keyOf(namespace, claim)) ?? []), ...(own ?? [])];
  }

  attachedBy(driver: string, node: string): number {
    return this.#attached.get(`${driver} ${node}`) ?? 0;
  }

  /** Claims that a pod uses, that are attached, or that are going; of those nothing is stuck that nobody uses. */
  claimsInUse(): readonly ClaimRef[] {
    const keys = new Map<string, ClaimRef>();
    for (const [key, { metadata, volumeName, deletingSince }] of this.claims) {
      const isUsed = this.podsByClaim.has(key) || this.attachments.has(volumeName) || deletingSince !== undefined;
      if (isUsed) keys.set(key, { namespace: metadata.namespace, name: metadata.name });
    }
    return [...keys.values()];
  }

  #claim(claim: ClaimStatus): void {
    this.claims.set(keyOf(claim.metadata.namespace, claim.metadata.name), claim);
  }

  #volume(volume: VolumeStatus): void {
    put(this.volumes, volume);
    const disk = diskOf(volume.source);
    if (disk !== undefined) append(this.#volumesByDisk, disk, volume.name);
  }

  #attachment(attachment: VolumeAttachment): void {
    const { attacher, nodeName, volumeName } = attachment;
    append(this.attachments, volumeName, attachment);
    const place = `${attacher} ${nodeName}`;
    this.#attached.set(place, (this.#attached.get(place) ?? 0) + 1);
  }

  #pod(pod: PodStatus): void {
    for (const claim of new Set(pod.claims)) append(this.podsByClaim, keyOf(pod.namespace, claim), pod);
  }

  #owner(owner: Owner): void {
    const { uid, kind, namespace, controller, workload } = owner;
    if (workload === undefined) return;
    const mounted = claimNames(workload).map((claim) => keyOf(namespace, claim));
    const own = workload.ownClaims.prefixes.map((prefix) => ownKey(namespace, prefix));
    if (mounted.length + own.length === 0) return;
    this.owners.set(uid, known(owner));
    if (!isWorkloadKind(kind) || controller?.kind === 'Deployment') return; // a run of a CronJob is stopped by itself
    for (const key of [...mounted, ...own]) append(this.#workloads, key, owner);
  }

  #autoscaler(autoscaler: OwnedAutoscaler): void {
    append(this.autoscalers, autoscaler.namespace, autoscaler);
  }

  #budget(budget: DisruptionBudget): void {
    append(this.budgets, budget.namespace, budget);
  }
}

/** No claim's name has a star. */
function ownKey(namespace: string, prefix: string): string {
  return keyOf(namespace, `${prefix}-*`);
}

function put<T extends { readonly name: string }>(map: Map<string, T>, object: T): void {
  map.set(object.name, object);
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
