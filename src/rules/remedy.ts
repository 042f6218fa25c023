import type { Workload } from '../objects/workload.ts';

/** Something that helps one object. */
export interface Fix {
  /** In a few words, for a warning of one line. */
  readonly short: string;
  /** The field as a manifest has it, or what somebody does, for whoever has room to read. */
  readonly written: string;
  /** Whether it changes the strategy of an object to Recreate, which server-side apply cannot do by itself. */
  readonly recreates?: true;
}

/** What `lint --fix` writes and a repair makes of a Deployment of one replica: the old pod ends before the new one comes. */
export const RECREATE: Fix = {
  short: 'set strategy Recreate',
  written: 'spec.strategy: {type: Recreate}',
  recreates: true,
};

/** For replicas that can never all run, of which one alone would be in its own way as well. */
export const RUN_ONE_AND_RECREATE: Fix = {
  short: 'run one, with Recreate',
  written: 'spec: {replicas: 1, strategy: {type: Recreate}}',
  recreates: true,
};

/** Lets an existing Deployment ask for Recreate under server-side apply; its name follows. */
export const RECREATE_IN_PLACE = `kubectl patch --type merge -p '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}'`;

/** Who is refused Recreate, and says so. What ends that follows. */
export const UNDER_SERVER_SIDE_APPLY =
  'under server-side apply (Helm 4, Flux, Argo CD by an option) an existing Deployment refuses Recreate until';

/**
 * How to let the old pod go first, in the ways that work for how people apply. `type: Recreate` alone is refused under
 * server-side apply while the defaulted rollingUpdate block is still in the object.
 */
export const OLD_POD_FIRST =
  'Set strategy type: Recreate, which waits until the old pod has ended, as a database needs; ' +
  `${UNDER_SERVER_SIDE_APPLY} a kubectl patch has run, which rwo-guard rules rollout-deadlock shows. ` +
  'Or set maxSurge: 0 and maxUnavailable: 1 (100% for several replicas), which works however you apply.';

/** What pods on one node do while one replaces the other. */
export const WRITE_AT_ONCE = 'old and new pod will write the same files at once during a rollout';

/** What affinity does not do, as it holds a pod to some of those that run, wherever the others are. */
export const BRING_TOGETHER = 'scale to 1 first, or Recreate once';
export const AFFINITY_OF_MANY = `Affinity does not bring together pods that run apart already: ${BRING_TOGETHER}.`;

/** What brings old pods onto one node before the next rollout, which affinity does not. */
export const COME_TOGETHER: Fix = {
  short: 'scale to 1, or Recreate once',
  written: 'scale to 1 before the next rollout, or have spec.strategy: {type: Recreate} for it',
};

/** What pods need that cannot get at their volume. */
export const LET_REACH: Fix = {
  short: 'let pods run there',
  written: 'a node selector or affinity by which the pods may run where the volume is',
};
export const LET_SHARE: Fix = {
  short: 'let both run on one node',
  written: 'anti-affinity, spread and host ports of both by which they may run on one node',
};
export const NEED_ANOTHER: Fix = {
  short: 'move its data first',
  written: 'keep the old pods until their data is on another claim, and mount that one',
};

/** What helps first, and in another way. */
export interface Fixes {
  readonly fix: Fix;
  readonly or?: string;
}

const TO_NONE_AND_BACK: Fix = {
  short: 'scale to 0 and back',
  written: 'scale to 0 before the next rollout, and back after it',
};

const NO_SURGE: Fix = {
  short: 'set maxSurge: 0',
  written: 'spec.updateStrategy.rollingUpdate: {maxSurge: 0, maxUnavailable: 1}',
};

/**
 * What lets all old pods of this workload go before the new ones need the volume. A StatefulSet has no numbers for that,
 * and replaces no pod while one waits (`pkg/controller/statefulset/stateful_set_control.go:processReplica`).
 */
export function letOldPodsGo({ kind, replicas }: Pick<Workload, 'kind' | 'replicas'>): Fixes {
  if (kind === 'StatefulSet') return { fix: TO_NONE_AND_BACK };
  if (kind === 'DaemonSet') return { fix: NO_SURGE };
  const numbers = replicas > 1 ? '{maxSurge: 0, maxUnavailable: 100%}' : '{maxSurge: 0, maxUnavailable: 1}';
  return { fix: RECREATE, or: `spec.strategy.rollingUpdate: ${numbers}` };
}
