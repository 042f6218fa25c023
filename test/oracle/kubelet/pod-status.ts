import type { V1Pod } from '@kubernetes/client-node';

/** The status of a pod whose containers all run. */
export function runningStatus({ spec }: V1Pod): object {
  const now = new Date().toISOString();
  const statusOf = ({ name, image }: { name: string; image?: string }) => ({
    name,
    image: image ?? '',
    imageID: '',
    ready: true,
    restartCount: 0,
    started: true,
    state: { running: { startedAt: now } },
  });
  const inits = (spec?.initContainers ?? []).map((container) => ({
    ...statusOf(container),
    ...(container.restartPolicy === 'Always' ? {} : { state: { terminated: { exitCode: 0, reason: 'Completed' } } }),
  }));
  return {
    phase: 'Running',
    startTime: now,
    conditions: ['Initialized', 'ContainersReady', 'Ready', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: now,
    })),
    initContainerStatuses: inits,
    containerStatuses: (spec?.containers ?? []).map(statusOf),
  };
}

/** The containers have ended because the pod was deleted; its volumes may still be mounted. */
export function endedStatus({ spec }: V1Pod): object {
  const now = new Date().toISOString();
  return {
    phase: 'Succeeded',
    conditions: ['ContainersReady', 'Ready'].map((type) => ({
      type,
      status: 'False',
      reason: 'PodCompleted',
      lastTransitionTime: now,
    })),
    containerStatuses: (spec?.containers ?? []).map(({ name, image }) => ({
      name,
      image: image ?? '',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: now } },
    })),
  };
}

export function rejectedStatus(reason: string): object {
  return { phase: 'Failed', reason, message: `Pod was rejected: Predicate ${reason} failed` };
}
