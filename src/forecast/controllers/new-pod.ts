import type { Cluster } from '../cluster.ts';
import { podCode, STARTING, WAITING } from '../state.ts';

/** A pod as it is made. One with a nodeName goes past the scheduler. */
export function newPod({ classes }: Cluster, podClass: number): number {
  const { template, onlyNode } = classes[podClass] ?? {};
  return template?.nodeName === undefined
    ? podCode(podClass, WAITING, -1)
    : podCode(podClass, STARTING, onlyNode ?? -1);
}
