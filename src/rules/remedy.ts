import type { Workload } from '../objects/workload.ts';

/** Lets an existing Deployment ask for Recreate under server-side apply; its name follows. */
export const RECREATE_IN_PLACE = `kubectl patch --type merge -p '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}'`;

/**
 * How to let the old pod go first, in the ways that work for how people apply. `type: Recreate` alone is refused under
 * server-side apply while the defaulted rollingUpdate block is still in the object.
 */
export const OLD_POD_FIRST =
  'Set maxSurge: 0 and maxUnavailable: 1 (100% for several replicas), which works however you apply. ' +
  'type: Recreate, which also waits until the old pod has ended, as a database needs, works with client-side apply; under server-side apply (Helm 4, Flux, Argo CD) an existing Deployment first needs ' +
  `${RECREATE_IN_PLACE} deployment/NAME. ` +
  'Linters that ask for RollingUpdate are silenced by kube-score/ignore: deployment-strategy and ' +
  'ignore-check.kube-linter.io/no-rolling-update-strategy.';

/** What pods on one node do while one replaces the other. */
export const WRITE_AT_ONCE = 'old and new pod will write the same files at once during a rollout';

/** What affinity does not do, as it holds a pod to some of those that run, wherever the others are. */
export const BRING_TOGETHER = 'scale to 1 first, or Recreate once';
export const AFFINITY_OF_MANY = `Affinity does not bring together pods that run apart already: ${BRING_TOGETHER}.`;

/** What pods need that cannot get at their volume. */
export const LET_REACH = 'let pods run where it is';
export const LET_SHARE = 'let both run on one node';
export const NEED_ANOTHER = 'first move the data to another claim';

/**
 * What lets the old pods of this workload all go before the new ones need the volume. A StatefulSet has no numbers for that,
 * and replaces no pod while one waits (`pkg/controller/statefulset/stateful_set_control.go:processReplica`).
 */
export function letOldPodsGo({ kind, replicas }: Pick<Workload, 'kind' | 'replicas'>): string {
  if (kind === 'StatefulSet') return 'scale to 0 first, then back';
  return replicas > 1 ? 'set maxUnavailable: 100%' : 'set maxSurge: 0, maxUnavailable: 1';
}
