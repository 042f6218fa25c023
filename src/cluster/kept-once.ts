import type { Metadata } from '../objects/metadata.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import type { Workload } from '../objects/workload.ts';

/**
 * Where every object is different, a pool begins anew after this many, so that it stays small; a cluster's zones,
 * namespaces and ways to schedule are fewer.
 */
const MOST_PARTS = 10_000;

/** Equal parts of many objects, each kept once. Facts are never changed, so nobody notices. */
class Pool<T> {
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

/**
 * Lets objects of one cluster share what they have in common: the zone of a volume, the modes and the class of a claim,
 * the scheduling constraints of a workload. Of 100,000 volumes and claims this keeps a third of the memory.
 */
export class KeptOnce {
  readonly #texts = new Pool<string>((text) => text);
  readonly #metadata = new Pool<Omit<Metadata, 'name'>>((part) => JSON.stringify([part, [...part.annotations]]));
  readonly #claims = new Pool<Omit<PersistentVolumeClaim, 'metadata' | 'volumeName'>>((part) => JSON.stringify(part));
  readonly #volumes = new Pool<Pick<PersistentVolume, 'accessModes' | 'nodeAffinity' | 'zones'>>((part) =>
    JSON.stringify([part, [...part.zones]]),
  );
  readonly #templates = new Pool<Omit<PodTemplate, 'labels' | 'volumes'>>((part) => JSON.stringify(part));

  claim({ metadata, volumeName, ...common }: PersistentVolumeClaim): PersistentVolumeClaim {
    return { ...this.#claims.of(common), metadata: this.#withName(metadata), volumeName };
  }

  volume({ name, source, claimRef, offer, ...common }: PersistentVolume): PersistentVolume {
    const shared = this.#volumes.of(common);
    return {
      ...shared,
      name,
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

  #withName({ name, ...common }: Metadata): Metadata {
    return { ...this.#metadata.of(common), name };
  }
}
