import type { Finding } from '../rules/evaluate.ts';
import type { Judged } from './decide.ts';

/**
 * The judgement where nothing has been heard of the cluster for so many seconds: no finding is graver than a warning,
 * so that none denies, and each says how old the state is. It stays the same where the cluster's state is current.
 */
export function aged(judged: Judged, staleFor: number | undefined): Judged {
  if (staleFor === undefined) return judged;
  return { ...judged, found: judged.found.map(old), existing: judged.existing.map(old) };

  function old(finding: Finding): Finding {
    const severity = finding.severity === 'error' ? 'warning' : finding.severity;
    return { ...finding, severity, detail: `${finding.detail}, ${ageInWords(staleFor ?? 0)}` };
  }
}

/** The age in whole minutes, so that replicas that heard of the cluster last at nearly the same time say the same. */
function ageInWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `going by a state ${minutes === 0 ? `${Math.floor(seconds)} s` : `${minutes} min`} old`;
}
