import { idOf } from '../objects/object-key.ts';
import type { ClusterSnapshot, LookedUp } from './snapshot.ts';

/** The snapshot with some objects known better: looked up by name, or part of the request itself. */
export function overlaid(base: ClusterSnapshot, objects: readonly LookedUp[]): ClusterSnapshot {
  const byKind = new Map(objects.map((object) => [idOf(object), object]));
  const at = (kind: LookedUp['kind'], namespace: string, name: string): LookedUp | undefined =>
    byKind.get(idOf({ kind, namespace, name }));
  return {
    claim: (namespace, name) => {
      const object = at('PersistentVolumeClaim', namespace, name);
      return object?.kind === 'PersistentVolumeClaim' ? object.found : base.claim(namespace, name);
    },
    volume: (name) => {
      const object = at('PersistentVolume', '', name);
      return object?.kind === 'PersistentVolume' ? object.found : base.volume(name);
    },
    storageClass: (name) => {
      const object = at('StorageClass', '', name);
      return object?.kind === 'StorageClass' ? object.found : base.storageClass(name);
    },
    csiDriver: (name) => {
      const object = at('CSIDriver', '', name);
      return object?.kind === 'CSIDriver' ? object.found : base.csiDriver(name);
    },
    namespace: (name) => {
      const object = at('Namespace', '', name);
      return object?.kind === 'Namespace' ? object.found : base.namespace(name);
    },
    workload: (kind, namespace, name) => {
      const object = at(kind, namespace, name);
      return object?.kind === kind ? object.found : base.workload(kind, namespace, name);
    },
    defaultStorageClass: () => base.defaultStorageClass(),
    runtimeClass: (name) => base.runtimeClass(name),
    nodes: () => base.nodes(),
    workloadsMounting: (namespace, claim) => base.workloadsMounting(namespace, claim),
    workloadsIn: (namespaces) => base.workloadsIn(namespaces),
    workloadsAvoiding: (namespace, labels) => base.workloadsAvoiding(namespace, labels),
    workloadsOnPort: (port) => base.workloadsOnPort(port),
    workloadsWithDisk: (disk) => base.workloadsWithDisk(disk),
    autoscalersOf: (kind, namespace, name) => base.autoscalersOf(kind, namespace, name),
    volumesOnDisk: (disk) => base.volumesOnDisk(disk),
    volumesKeptFor: (namespace, claim) => base.volumesKeptFor(namespace, claim),
    freeVolumes: (storageClassName) => base.freeVolumes(storageClassName),
  };
}
