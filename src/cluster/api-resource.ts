import { LIST_OF_KIND, type ListName } from '../snapshot/cluster-state.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';

/** Group and version under which the API serves each list. */
const GROUP_VERSION: Readonly<Record<ListName, string>> = {
  nodes: 'api/v1',
  persistentvolumeclaims: 'api/v1',
  persistentvolumes: 'api/v1',
  storageclasses: 'apis/storage.k8s.io/v1',
  csidrivers: 'apis/storage.k8s.io/v1',
  runtimeclasses: 'apis/node.k8s.io/v1',
  namespaces: 'api/v1',
  deployments: 'apis/apps/v1',
  statefulsets: 'apis/apps/v1',
  daemonsets: 'apis/apps/v1',
  replicasets: 'apis/apps/v1',
  jobs: 'apis/batch/v1',
  cronjobs: 'apis/batch/v1',
  horizontalpodautoscalers: 'apis/autoscaling/v1',
};

const LIST_OF: Readonly<Record<ObjectRef['kind'], ListName>> = {
  PersistentVolumeClaim: 'persistentvolumeclaims',
  PersistentVolume: 'persistentvolumes',
  StorageClass: 'storageclasses',
  CSIDriver: 'csidrivers',
  Namespace: 'namespaces',
  ...LIST_OF_KIND,
};

/** All objects of a list, in all namespaces. */
export function listPath(list: ListName): string {
  return `/${GROUP_VERSION[list]}/${list}`;
}

/** Names come from users and end up in a path, so they are encoded. */
export function objectPath({ kind, namespace, name }: ObjectRef): string {
  const list = LIST_OF[kind];
  const scope = namespace === '' ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
  return `/${GROUP_VERSION[list]}/${scope}${list}/${encodeURIComponent(name)}`;
}
