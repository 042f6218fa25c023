import type { Workload } from '../../objects/workload.ts';
import { fencepostsOf } from '../rolling-update.ts';
import { SELECTED } from '../scheduler/node-filters.ts';
import { taintToleration } from '../scheduler/taint-toleration.ts';
import type { World } from '../world.ts';
import type { Controller } from './controller.ts';
import { cronJob } from './cron-job.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment } from './deployment.ts';
import { replicaSet } from './replica-set.ts';
import { statefulSet } from './stateful-set.ts';

/** The templates between which a workload goes; the same twice for one whose pods are only created. */
export interface Revisions {
  readonly from: number;
  readonly to: number;
  /** Where the update before may hang, the template that it was to replace. */
  readonly older?: number | undefined;
}

type Controlled = Pick<Workload, 'kind' | 'strategy' | 'replicas' | 'parallel' | 'concurrencyPolicy'>;

/** The controller of the workload's kind. */
export function controllerOf(
  world: World,
  { from, to, older }: Revisions,
  { kind, strategy, replicas, parallel, concurrencyPolicy }: Controlled,
): Controller {
  const { cluster, own } = world;
  const [old, made, left] = [own[from] ?? [], own[to] ?? [], own[older ?? -1] ?? []];
  const [newPod = 0] = made;
  const isCreated = from === to;
  switch (kind) {
    case 'Deployment':
      if (isCreated) return replicaSet(cluster, new Map([[newPod, replicas]]));
      return deployment(cluster, {
        from: [...old, ...left],
        to: newPod,
        replicas,
        fenceposts: strategy.type === 'RollingUpdate' ? fencepostsOf({ strategy, replicas }) : undefined,
      });
    case 'StatefulSet': {
      const partition = strategy.type === 'StatefulSetRolling' ? strategy.partition : 0;
      return statefulSet(cluster, {
        from: old.slice(0, replicas),
        to: made.slice(0, replicas),
        older: left.slice(0, replicas),
        ...{ partition, parallel },
      });
    }
    case 'DaemonSet':
      return daemonSet(cluster, {
        from: old,
        to: made,
        ...daemonNodes(world, made),
        surges: strategy.type === 'DaemonSetRolling' && strategy.surges,
      });
    case 'ReplicaSet':
    case 'Job':
    case 'CronJob': {
      const pods = isCreated ? [] : [...old, ...left];
      return cronJob(cluster, { pods, concurrencyPolicy }, replicaSet(cluster, eachOf(made, replicas)));
    }
    default:
      return kind satisfies never;
  }
}

/** By class how many: one of each where they have numbers. */
function eachOf(classes: readonly number[], replicas: number): ReadonlyMap<number, number> {
  const [only = 0] = classes;
  return new Map(classes.length > 1 ? classes.map((pod) => [pod, 1]) : [[only, replicas]]);
}

const ANY_NO_SCHEDULE = { key: '', operator: 'Exists', value: '', effect: 'NoSchedule' };

function daemonNodes({ cluster, scheduler }: World, classes: readonly number[]) {
  return {
    runs: classes.map((podClass, node) => scheduler.fitsNode(podClass, node)),
    keeps: classes.map((podClass, index) => {
      const [pod, node] = [cluster.classes[podClass], cluster.nodes[index]];
      if (pod === undefined || node === undefined) return false;
      if (((cluster.passed[podClass]?.[index] ?? 0) & SELECTED) === 0) return false;
      const tolerations = [...pod.template.tolerations, ANY_NO_SCHEDULE];
      const staying = { ...pod, template: { ...pod.template, tolerations } };
      return cluster.search === undefined || (taintToleration(staying, cluster.search)?.(node) ?? true);
    }),
  };
}
