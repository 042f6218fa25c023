/** The `reason` of Events about each rule, in CamelCase as all of Kubernetes' are. */
export const EVENT_REASONS: Readonly<Record<string, string>> = {
  'rollout-deadlock': 'RolloutDeadlockRisk',
  'rollout-blocked': 'RolloutBlockedRisk',
  'rollout-transient': 'RolloutTransientWait',
  'replicas-split': 'ReplicasSplit',
  'claim-shared': 'ClaimShared',
  'access-mode-unsupported': 'AccessModeUnsupported',
  'claim-unknown': 'ClaimUnknown',
};

/** Stands behind the reason where the finding ends. */
const RESOLVED = 'Resolved';

export function eventReason(rule: string): string {
  return EVENT_REASONS[rule] ?? 'VolumeRisk';
}

export function resolvedReason(reason: string): string {
  return `${reason}${RESOLVED}`;
}

/** The reason of the beginning, where this one is that of an end. */
export function begunReason(reason: string): string | undefined {
  return reason.endsWith(RESOLVED) ? reason.slice(0, -RESOLVED.length) : undefined;
}
