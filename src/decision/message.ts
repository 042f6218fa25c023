import { keyOf } from '../objects/object-key.ts';
import type { Finding, FoundObject } from '../rules/evaluate.ts';
import type { Exemption } from '../rules/exemption.ts';
import { ruleIdsOf } from '../rules/one-cause.ts';
import { listed, shown } from './shown.ts';

/** Bytes of an object's name. Most are far shorter; one that is cut still differs from the others of a manifest. */
export const MOST_OF_NAME = 80;

/** Bytes of a detail: room for two names of claims as long as they may be; more of them are counted only. */
const MOST_OF_DETAIL = 600;

/**
 * One line for a warning: `Deployment shop/web: what is wrong; what helps [rule-id]`. The API server asks for 120 characters
 * where possible (`k8s.io/api/admission/v1/types.go`), which these keep while names are not long.
 */
export function warningLine(finding: Finding): string {
  const { object, arrived, judges, detail, fix } = finding;
  const about = arrived === undefined ? inWords(object) : `${inWords(object)} mounts this claim`;
  const open = judges === 'open' ? `${finding.reason}: ` : '';
  return `${about}: ${open}${shown(detail, MOST_OF_DETAIL)}; ${fix.short} [${ruleIdsOf(finding).join(', ')}]`;
}

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

/** `Deployment shop/web`, of names as long as they may be shown. */
export function inWords({ kind, namespace, name }: FoundObject): string {
  const [space, own] = [shown(namespace, MOST_OF_NAME), shown(name, MOST_OF_NAME)];
  return own === '' ? `${kind} in ${space}` : `${kind} ${keyOf(space, own)}`;
}
