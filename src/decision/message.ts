import type { Finding } from '../rules/evaluate.ts';
import type { Exemption } from '../rules/exemption.ts';
import { bytesIn, listed, shown } from './shown.ts';

/** Bytes of an object's name. Most are far shorter; one that is cut still differs from the others of a manifest. */
export const MOST_OF_NAME = 80;

/** Bytes of a detail: room for two names of claims as long as they may be; more of them are counted only. */
const MOST_OF_DETAIL = 600;

/**
 * One line for a warning: `web: reason (detail); fix [rule-id]`. The API server asks for 120 characters where possible
 * (`k8s.io/api/admission/v1/types.go`), which these keep while names are not long.
 */
export function warningLine(finding: Finding): string {
  return `${whatIsWrong(finding)}; ${finding.fix} [${finding.rule.id}]`;
}

/** What a refused request may have to read, in bytes. */
export const MOST_OF_DENIAL = 2_048;

/** What is wrong, of a denial: the longest remedy of any rule has its place after it. */
const MOST_OF_REASONS = 1_100;

/** What a refused request gets to read: every reason with its remedy, one after the other on one line. */
export function denialLine(denied: readonly [Finding, ...Finding[]]): string {
  const reasons = denied.map((finding) => `${whatIsWrong(finding)} [${finding.rule.id}]`);
  const said = `${listed(reasons, MOST_OF_REASONS, 2).join('; ')}.`;
  const byRemedy = new Map(denied.map(({ rule }) => [rule.remedy, rule.id]));
  let line = said;
  const elsewhere: string[] = [];
  for (const [remedy, id] of byRemedy) {
    if (bytesIn(line) + bytesIn(remedy) <= MOST_OF_DENIAL - ROOM_FOR_RULES) line += ` ${remedy}`;
    else elsewhere.push(id);
  }
  return elsewhere.length === 0 ? line : `${line} More: rwo-guard rules ${elsewhere.join(', ')}`;
}

/** ` More: rwo-guard rules ` and the ids of all rules that may deny. */
const ROOM_FOR_RULES = 150;

/** What one audit annotation may say, in bytes; several of them, escaped, leave an answer far below its 64 KB. */
export const MOST_OF_ANNOTATION = 4_096;

/** Every finding, for the audit log. */
export function annotationText(found: readonly Finding[]): string {
  return listed(
    found.map(({ rule, detail }) => `${rule.id}: ${shown(detail, MOST_OF_DETAIL)}`),
    MOST_OF_ANNOTATION,
    2,
  ).join('; ');
}

/** What exempted itself from which rules, and why, for the audit log. */
export function exemptionText(exemptions: readonly Exemption[]): string {
  return listed(
    exemptions.map(
      ({ name, rules, reason }) =>
        `${shown(name, MOST_OF_NAME)}: ${rules.join(', ')}: ${shown(reason, MOST_OF_DETAIL)}`,
    ),
    MOST_OF_ANNOTATION,
    2,
  ).join('; ');
}

function whatIsWrong({ name, rule, detail }: Finding): string {
  return `${shown(name, MOST_OF_NAME)}: ${rule.reason} (${shown(detail, MOST_OF_DETAIL)})`;
}
