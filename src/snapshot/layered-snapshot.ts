import type { Fact } from '../objects/fact.ts';
import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import type { Kind, WorkloadKind } from '../objects/kinds.ts';
import { idOf } from '../objects/object-key.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { ObjectsByKind } from '../objects/read-object.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import type { Workload } from '../objects/workload.ts';
import type { NodeIndex } from './node-index.ts';
import type { ClusterSnapshot, LookedUp, UsersOfClaim } from './snapshot.ts';

/** A layer over another snapshot. It says what that one says, but for the methods that a kind of layer overrides. */
export class SnapshotLayer implements ClusterSnapshot {
  readonly #below: ClusterSnapshot;

  constructor(below: ClusterSnapshot) {
    this.#below = below;
  }

  get<K extends Kind>(kind: K, namespace: string, name: string): Fact<ObjectsByKind[K] | undefined> {
    return this.#below.get(kind, namespace, name);
  }

  defaultStorageClass(): Fact<StorageClass | undefined> {
    return this.#below.defaultStorageClass();
  }

  nodes(): Fact<NodeIndex> {
    return this.#below.nodes();
  }

  workloadsMounting(namespace: string, claim: string): UsersOfClaim {
    return this.#below.workloadsMounting(namespace, claim);
  }

  workloadsIn(namespaces: readonly string[] | 'all'): Fact<readonly Workload[]> {
    return this.#below.workloadsIn(namespaces);
  }

  workloadsAvoiding(namespace: string, labels: ReadonlyMap<string, string>): Fact<readonly Workload[]> {
    return this.#below.workloadsAvoiding(namespace, labels);
  }

  workloadsOnPort(port: number): Fact<readonly Workload[]> {
    return this.#below.workloadsOnPort(port);
  }

  workloadsWithDisk(disk: string): Fact<readonly Workload[]> {
    return this.#below.workloadsWithDisk(disk);
  }

  autoscalersOf(kind: WorkloadKind, namespace: string, name: string): Fact<readonly Autoscaler[]> {
    return this.#below.autoscalersOf(kind, namespace, name);
  }

  volumesOnDisk(disk: string): Fact<readonly PersistentVolume[]> {
    return this.#below.volumesOnDisk(disk);
  }

  volumesKeptFor(namespace: string, claim: string): Fact<readonly PersistentVolume[]> {
    return this.#below.volumesKeptFor(namespace, claim);
  }

  freeVolumes(storageClassName: string): Fact<readonly PersistentVolume[]> {
    return this.#below.freeVolumes(storageClassName);
  }
}

class LookedUpObjects extends SnapshotLayer {
  readonly #objects: ReadonlyMap<string, LookedUp>;

  constructor(below: ClusterSnapshot, objects: readonly LookedUp[]) {
    super(below);
    this.#objects = new Map(objects.map((object) => [idOf(object), object]));
  }

  override get<K extends Kind>(kind: K, namespace: string, name: string): Fact<ObjectsByKind[K] | undefined> {
    const object = this.#objects.get(idOf({ kind, namespace, name }));
    return object !== undefined && isOf(object, kind) ? object.found : super.get(kind, namespace, name);
  }
}

function isOf<K extends Kind>(
  object: LookedUp,
  kind: K,
): object is LookedUp & { readonly found: Fact<ObjectsByKind[K] | undefined> } {
  return object.kind === kind;
}

/** The snapshot with some objects known better: they were looked up by name, or are part of the request. */
export function overlaid(base: ClusterSnapshot, objects: readonly LookedUp[]): ClusterSnapshot {
  return new LookedUpObjects(base, objects);
}
