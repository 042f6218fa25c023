import type { Report } from '../report/report.ts';
import type { Finding } from '../rules/evaluate.ts';
import { reportedStanding } from '../scan/report.ts';

/** What was found in one object, in the words of a report. */
export type Reported = Pick<Report, 'findings' | 'inconclusive'>;

/** The findings of one object as a scan reports them, of which nobody says where its pods are. */
export function reportedOf(found: readonly Finding[]): Reported {
  const { findings, open } = reportedStanding(found.map((finding) => ({ finding })));
  return { findings, inconclusive: open };
}
