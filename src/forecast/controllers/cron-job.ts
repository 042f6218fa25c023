import { type Cluster, podsFrom } from '../cluster.ts';
import { classOf, phaseOf } from '../state.ts';
import { type Controller, deleted, isActive } from './controller.ts';

/** `concurrencyPolicy: Replace`: the next run comes as the pods of the last one are told to go (`pkg/controller/cronjob/cronjob_controllerv2.go:syncCronJob`). */
export function replaced(cluster: Cluster, last: readonly number[], next: Controller): Controller {
  const first = podsFrom(cluster);
  return {
    create: next.create,
    end(state) {
      let going = state;
      for (const pod of state.slice(first)) {
        if (last.includes(classOf(pod)) && isActive(phaseOf(pod))) going = deleted(going, first, pod);
      }
      return going === state ? [] : [going];
    },
    isDone: next.isDone,
  };
}
