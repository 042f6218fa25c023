import type { Finding } from '../rules/evaluate.ts';

/**
 * One line for a warning: `web: reason (detail); fix [rule-id]`. The API server asks for 120 characters where possible
 * (`k8s.io/api/admission/v1/types.go`), which these keep while names are not long.
 */
export function warningLine({ name, rule, detail, fix }: Finding): string {
  return oneLine(`${name}: ${rule.reason} (${detail}); ${fix} [${rule.id}]`);
}

/** What a refused request gets to read: every reason with its remedy, one after the other on one line. */
export function denialLine(denied: readonly [Finding, ...Finding[]]): string {
  const reasons = denied.map(({ name, rule, detail }) => `${name}: ${rule.reason} (${detail}) [${rule.id}]`);
  const remedies = [...new Set(denied.map(({ rule }) => rule.remedy))];
  return oneLine(`${reasons.join('; ')}. ${remedies.join(' ')}`);
}

/** Kubernetes drops a warning that holds any control character (`apimachinery/pkg/util/net/http.go:NewWarningHeader`). */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
