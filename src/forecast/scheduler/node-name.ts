import type { PodClass } from '../cluster.ts';

/** `pkg/controller/daemon/util/daemonset_util.go:ReplaceDaemonSetPodNodeNameNodeAffinity`: a pod of a DaemonSet is for one node. */
export function nodeName({ onlyNode }: Partial<Pick<PodClass, 'onlyNode'>>, node: number): boolean {
  return onlyNode === undefined || onlyNode === node;
}
