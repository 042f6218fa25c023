import type {
  CoreV1Event,
  V1CSIDriver,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1VolumeAttachment,
} from '@kubernetes/client-node';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import type { Watches } from './watches.ts';

/** Workloads of every kind, and the ReplicaSets and Jobs between them and their pods. */
const WORKLOADS = [
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/statefulsets',
  '/apis/apps/v1/daemonsets',
  '/apis/batch/v1/jobs',
  '/apis/batch/v1/cronjobs',
] as const;

/** `pkg/kubelet/lifecycle/predicate.go`, as far as scenarios provoke it. */
const REJECTIONS: ReadonlySet<string> = new Set(['NodePorts', 'NodeAffinity', 'TaintToleration']);

type Listener<T> = (object: T, isGone: boolean) => void;

/** Objects of one kind as they are now, by namespace (empty where they have none) and name. */
export class Mirror<T extends KubernetesObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #listeners: Listener<T>[] = [];

  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  in(namespace: string): readonly T[] {
    return [...(this.#namespaces.get(namespace)?.values() ?? [])];
  }

  onChange(listener: Listener<T>): void {
    this.#listeners.push(listener);
  }

  readonly changed = (object: T, isGone: boolean): void => {
    const { namespace = '', name = '' } = object.metadata ?? {};
    const objects = this.#namespaces.get(namespace) ?? new Map<string, T>();
    this.#namespaces.set(namespace, objects);
    if (isGone) objects.delete(name);
    else objects.set(name, object);
    for (const listener of this.#listeners) listener(object, isGone);
  };
}

/** Everything of the cluster that somebody in the harness looks at, kept current by watches. */
export class World {
  readonly pods = new Mirror<V1Pod>();
  readonly nodes = new Mirror<V1Node>();
  readonly volumes = new Mirror<V1PersistentVolume>();
  readonly claims = new Mirror<V1PersistentVolumeClaim>();
  readonly drivers = new Mirror<V1CSIDriver>();
  readonly attachments = new Mirror<V1VolumeAttachment>();
  readonly events = new Mirror<CoreV1Event>();
  /** Of CronJobs that let a run be, or took the one before away. */
  readonly laterRuns = new Mirror<CoreV1Event>();
  /** By kind: they come with none in a watch, so each path has a mirror of its own. */
  readonly workloads: ReadonlyMap<string, Mirror<KubernetesObject>>;

  /** Reasons why kubelets refused pods, by namespace and uid; some controllers delete such a pod at once. */
  readonly rejections = new Map<string, Map<string, string>>();

  constructor(watches: Watches) {
    this.pods.onChange(({ metadata, status }) => {
      const { namespace = '', uid = '' } = metadata ?? {};
      if (!REJECTIONS.has(status?.reason ?? '')) return;
      const rejected = this.rejections.get(namespace) ?? new Map<string, string>();
      this.rejections.set(namespace, rejected.set(uid, status?.reason ?? ''));
    });
    watches.watch({ path: '/api/v1/pods', changed: this.pods.changed });
    watches.watch({ path: '/api/v1/nodes', changed: this.nodes.changed });
    watches.watch({ path: '/api/v1/persistentvolumes', changed: this.volumes.changed });
    watches.watch({ path: '/api/v1/persistentvolumeclaims', changed: this.claims.changed });
    watches.watch({ path: '/apis/storage.k8s.io/v1/csidrivers', changed: this.drivers.changed });
    watches.watch({ path: '/apis/storage.k8s.io/v1/volumeattachments', changed: this.attachments.changed });
    watches.watch({
      path: '/api/v1/events',
      fieldSelector: 'reason=FailedAttachVolume',
      changed: this.events.changed,
    });
    for (const reason of ['JobAlreadyActive', 'SuccessfulDelete']) {
      const fieldSelector = `reason=${reason},involvedObject.kind=CronJob`;
      watches.watch({ path: '/api/v1/events', fieldSelector, changed: this.laterRuns.changed });
    }
    const workloads = new Map<string, Mirror<KubernetesObject>>();
    for (const path of WORKLOADS) {
      const mirror = new Mirror<KubernetesObject>();
      workloads.set(path.slice(path.lastIndexOf('/') + 1), mirror);
      watches.watch({ path, changed: mirror.changed });
    }
    this.workloads = workloads;
  }

  /** `deployments` for a Deployment. */
  workloadsOf(kind: string): Mirror<KubernetesObject> {
    const mirror = this.workloads.get(`${kind.toLowerCase()}s`);
    if (mirror === undefined) throw new Error(`Nobody watches ${kind}`);
    return mirror;
  }
}
