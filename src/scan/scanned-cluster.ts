import type { ListName } from '../objects/kinds.ts';
import type { ReportedUnreadable } from '../report/report.ts';
import type { Unseen } from '../report/scan-report.ts';
import type { ClusterState } from '../snapshot/cluster-state.ts';
import type { RunningPods } from './running-pods.ts';

/** A cluster as it was read for a scan: live, or from what was written down of it. */
export interface ScannedObjects {
  readonly state: ClusterState;
  /** Absent where they could not be read. */
  readonly pods: RunningPods | undefined;
  readonly unseen: readonly Unseen[];
  /** What could not be read of files. */
  readonly unreadable: readonly ReportedUnreadable[];
}

/** What is read of a cluster once: what is watched for admission too, and what tells where volumes are now. */
export type ScannedList = ListName | 'pods' | 'volumeattachments';

/** What nobody can tell without a list, by its name. */
export const LEFT_OPEN: Readonly<Record<ScannedList, string>> = {
  nodes: 'where pods may run, and with it nearly everything',
  pods: 'what has struck, and where pods are now',
  volumeattachments: 'volumes that are still attached to nodes without pods',
  persistentvolumeclaims: 'what claims ask for, and with it nearly everything',
  persistentvolumes: 'what bound claims really are: modes, drivers, zones',
  storageclasses: 'what unbound claims will be',
  csidrivers: 'whether volumes of CSI drivers are attached',
  runtimeclasses: 'where pods with a runtime class may run',
  namespaces: 'modes of namespaces, and affinity that selects by their labels',
  horizontalpodautoscalers: 'up to how many replicas workloads may be scaled',
  deployments: 'Deployments, and the claims that they share with others',
  statefulsets: 'StatefulSets, and the claims that they share with others',
  daemonsets: 'DaemonSets, and the claims that they share with others',
  replicasets: 'ReplicaSets, and whose pods are whose',
  jobs: 'Jobs, and the claims that they share with others',
  cronjobs: 'CronJobs, and the claims that they share with others',
};
