import { SEVERITIES, type Severity } from '../rules/rule.ts';
import type { Report } from './report.ts';

/** The least grave severity that fails a run. */
export type FailOn = Severity | 'never';

/** 2 where part of the input could not be read, 1 where something as grave as `failOn` was found, and else 0. */
export function exitCode({ findings, inconclusive, unreadable }: Report, failOn: FailOn): 0 | 1 | 2 {
  if (unreadable.length > 0) return 2;
  const severities = [...findings.map(({ severity }) => severity), ...inconclusive.map(({ rule }) => rule.severity)];
  return severities.some((severity) => fails(severity, failOn)) ? 1 : 0;
}

/** Whether one finding of this severity fails a run. */
export function fails(severity: Severity, failOn: FailOn): boolean {
  return failOn !== 'never' && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(failOn);
}
