import type { ConcurrencyPolicy } from '../../objects/workload.ts';
import { type Cluster, podsFrom } from '../cluster.ts';
import { classOf, phaseOf } from '../state.ts';
import { type Controller, deleted, isActive } from './controller.ts';

/** The pods of the last run, and what becomes of them when it is time for the next. */
export interface LastRun {
  readonly pods: readonly number[];
  readonly concurrencyPolicy: ConcurrencyPolicy | undefined;
}

/**
 * The next run, as its Job makes it, comes beside the last one; with `Replace` as the pods of that are told to go
 * (`pkg/controller/cronjob/cronjob_controllerv2.go:syncCronJob`).
 */
export function cronJob(cluster: Cluster, { pods, concurrencyPolicy }: LastRun, next: Controller): Controller {
  if (concurrencyPolicy !== 'Replace') return next;
  const first = podsFrom(cluster);
  return {
    create: next.create,
    end(state) {
      let going = state;
      for (const pod of state.slice(first)) {
        if (pods.includes(classOf(pod)) && isActive(phaseOf(pod))) going = deleted(going, first, pod);
      }
      return going === state ? [] : [going];
    },
  };
}
