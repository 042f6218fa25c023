import type { Kind } from '../objects/kinds.ts';
import type { Metadata, OwnerReference } from '../objects/metadata.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { Pod } from '../objects/pod.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import type { ObjectsByKind } from '../objects/read-object.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import { concernsOthers, type Workload } from '../objects/workload.ts';

/**
 * Where every object is different, a pool begins anew after this many, so that it stays small; a cluster's zones,
 * namespaces and ways to schedule are fewer.
 */
const MOST_PARTS = 10_000;

/** Equal parts of many objects, each kept once. Facts are never changed, so nobody notices. */
class InternPool<T> {
  readonly #keyOf: (part: T) => string;
  readonly #parts = new Map<string, T>();

  constructor(keyOf: (part: T) => string) {
    this.#keyOf = keyOf;
  }

  of(part: T): T {
    const key = this.#keyOf(part);
    const kept = this.#parts.get(key);
    if (kept !== undefined) return kept;
    if (this.#parts.size >= MOST_PARTS) this.#parts.clear();
    this.#parts.set(key, part);
    return part;
  }
}

/** How objects of some kinds share what they have in common. */
type Interners = { readonly [K in Kind]?: (object: ObjectsByKind[K]) => ObjectsByKind[K] | undefined };

/**
 * Lets objects of one cluster share what they have in common: the zone of a volume, the modes and the class of a claim,
 * the scheduling constraints of a workload. Of 100,000 volumes and claims this keeps a third of the memory.
 */
export class Interned {
  readonly #texts = new InternPool<string>((text) => text);
  readonly #owners = new InternPool<OwnerReference>((part) => JSON.stringify(part));
  readonly #metadata = new InternPool<Omit<Metadata, 'name'>>((part) => JSON.stringify([part, [...part.annotations]]));
  readonly #claims = new InternPool<Omit<PersistentVolumeClaim, 'metadata' | 'volumeName'>>((part) =>
    JSON.stringify(part),
  );
  readonly #volumes = new InternPool<Pick<PersistentVolume, 'accessModes' | 'nodeAffinity' | 'zones'>>((part) =>
    JSON.stringify([part, [...part.zones]]),
  );
  readonly #templates = new InternPool<Omit<PodTemplate, 'labels' | 'volumes'>>((part) => JSON.stringify(part));

  readonly #workload = (workload: Workload) => (concernsOthers(workload) ? this.workload(workload) : undefined);
  readonly #shared: Interners = {
    PersistentVolumeClaim: (claim) => this.claim(claim),
    PersistentVolume: (volume) => this.volume(volume),
    ...{ Deployment: this.#workload, StatefulSet: this.#workload, DaemonSet: this.#workload },
    ...{ ReplicaSet: this.#workload, Job: this.#workload, CronJob: this.#workload },
  };

  /** What is kept of an object: nothing of a workload that concerns nobody, of which there are many. */
  object<K extends Kind>(kind: K, object: ObjectsByKind[K]): ObjectsByKind[K] | undefined {
    const share = this.#shared[kind];
    return share === undefined ? object : share(object);
  }

  /** Field by field, here and below: an object that begins as a copy of another takes a sixth more memory. */
  claim({ metadata, volumeName, ...common }: PersistentVolumeClaim): PersistentVolumeClaim {
    const { accessModes, statusAccessModes, volumeMode, bound, storageClassName, storage, selector } =
      this.#claims.of(common);
    return {
      metadata: this.#withName(metadata),
      accessModes,
      statusAccessModes,
      volumeMode,
      bound,
      volumeName,
      storageClassName,
      storage,
      selector,
    };
  }

  volume({ name, source, claimRef, offer, ...common }: PersistentVolume): PersistentVolume {
    const { accessModes, nodeAffinity, zones } = this.#volumes.of(common);
    return {
      name,
      accessModes,
      nodeAffinity,
      zones,
      source: source.type === 'csi' ? { ...source, driver: this.#texts.of(source.driver) } : source,
      claimRef: claimRef && { namespace: this.#texts.of(claimRef.namespace), name: claimRef.name },
      offer,
    };
  }

  workload({ metadata, template, ...own }: Workload): Workload {
    const { labels, volumes, ...common } = template;
    const { controller, ...ours } = metadata; // a ReplicaSet has a Deployment of its own
    return {
      ...own,
      metadata: { ...this.#withName({ ...ours, controller: undefined }), controller },
      template: { ...this.#templates.of(common), labels, volumes },
    };
  }

  pod(pod: Pod): Pod {
    const { namespace, name, controller, nodeName, claims, disks, isStarting, deleting, since, unschedulable } = pod;
    return {
      name,
      claims,
      disks,
      isStarting,
      deleting,
      since,
      unschedulable,
      namespace: this.#texts.of(namespace),
      nodeName: nodeName && this.#texts.of(nodeName),
      controller: controller && this.#owners.of(controller),
    };
  }

  attachment({ nodeName, ...own }: VolumeAttachment): VolumeAttachment {
    return { ...own, nodeName: this.#texts.of(nodeName) };
  }

  #withName({ name, ...common }: Metadata): Metadata {
    const { namespace, annotations, deleting, controller } = this.#metadata.of(common);
    return { namespace, name, annotations, deleting, controller };
  }
}
