import type { Fact } from '../objects/fact.ts';
import { isWorkloadKind } from '../objects/kinds.ts';
import { keyOf } from '../objects/object-key.ts';
import type { DisruptionBudget } from '../objects/pod-disruption-budget.ts';
import type { RunningPod } from '../objects/running-pod.ts';
import { idOfWorkload, makerOf, type Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';

/** A cluster as it runs at one moment. */
export interface ClusterNow {
  readonly snapshot: ClusterSnapshot;
  readonly pods: PodsNow;
  /** The names of the nodes that are Ready; only those of nodes that are there. */
  readonly ready: ReadonlySet<string>;
  readonly budgets: Fact<readonly DisruptionBudget[]>;
  /** Jobs, as `namespace/name`, that make a pod anew only once the one before has ended. */
  readonly late: ReadonlySet<string>;
}

/** Who keeps a pod running. */
export type Keeper =
  | { readonly type: 'workload'; readonly workload: Workload }
  /** The kubelet, from a file on its node. */
  | { readonly type: 'kubelet' }
  | { readonly type: 'nobody' }
  /** A controller of which nothing is known. */
  | { readonly type: 'other'; readonly kind: string; readonly name: string };

const NOBODY: Keeper = { type: 'nobody' };
const KUBELET: Keeper = { type: 'kubelet' };

/** All pods that run, by node and by who keeps them running. */
export class PodsNow {
  readonly #snapshot: Pick<ClusterSnapshot, 'get'>;
  readonly #byNode = new Map<string, RunningPod[]>();
  readonly #pods: RunningPod[] = [];
  readonly #keepers = new Map<string, Keeper>();
  #byWorkload: ReadonlyMap<string, readonly RunningPod[]> | undefined;

  constructor(snapshot: Pick<ClusterSnapshot, 'get'>) {
    this.#snapshot = snapshot;
  }

  add(pod: RunningPod): void {
    this.#pods.push(pod);
    if (pod.nodeName === undefined) return;
    const there = this.#byNode.get(pod.nodeName);
    if (there === undefined) this.#byNode.set(pod.nodeName, [pod]);
    else there.push(pod);
  }

  on(node: string): readonly RunningPod[] {
    return this.#byNode.get(node) ?? [];
  }

  of(workload: Workload): readonly RunningPod[] {
    this.#byWorkload ??= Map.groupBy(this.#pods, (pod) => {
      const keeper = this.keeperOf(pod);
      return keeper.type === 'workload' ? idOfWorkload(keeper.workload) : '';
    });
    return this.#byWorkload.get(idOfWorkload(workload)) ?? [];
  }

  /** Once everything has been read. The Deployment of a ReplicaSet; the Job itself of a CronJob's run. */
  keeperOf({ namespace, controller, isMirror }: RunningPod): Keeper {
    if (isMirror) return KUBELET;
    if (controller === undefined) return NOBODY;
    const key = `${controller.kind} ${keyOf(namespace, controller.name)}`;
    const known = this.#keepers.get(key);
    if (known !== undefined) return known;
    const found = this.#workloadOf(namespace, controller.kind, controller.name);
    const keeper: Keeper =
      found === undefined ? { type: 'other', ...controller } : { type: 'workload', workload: found };
    this.#keepers.set(key, keeper);
    return keeper;
  }

  #workloadOf(namespace: string, kind: string, name: string): Workload | undefined {
    if (!isWorkloadKind(kind)) return undefined;
    const found = this.#snapshot.get(kind, namespace, name);
    if (!found.known || found.value === undefined) return undefined;
    const maker = kind === 'ReplicaSet' ? makerOf(found.value) : undefined;
    const made = maker && this.#snapshot.get(maker.kind, namespace, maker.name);
    return made?.known && made.value !== undefined ? made.value : found.value;
  }
}
