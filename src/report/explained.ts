import type { RuleMeta, Severity } from '../rules/rule.ts';
import { printedJson } from './printed-json.ts';
import type { Location, ReportedObject, ReportedUnreadable } from './report.ts';

/** One object, with the story of each of its findings, or with what saves it. */
export interface ExplainedObject {
  readonly resource: ReportedObject;
  /** Its manifest names no namespace. */
  readonly namespaceAssumed: boolean;
  readonly place: Location;
  /** The gravest first, also those that somebody exempted. */
  readonly findings: readonly ExplainedFinding[];
  /** Where nothing is found: why, the most important first. */
  readonly savedBy: readonly ExplainedReason[];
  /** What may happen all the same, which no rule is about. */
  readonly aside: readonly string[];
}

export interface ExplainedFinding {
  readonly rule: RuleMeta;
  readonly severity: Severity;
  /** What is wrong, in one line without the rule's id. */
  readonly message: string;
  /** The shortest thing that helps; nothing for what stayed open. */
  readonly fix: string | undefined;
  /** An annotation, or the configuration, says that it does not count. */
  readonly ignored: boolean;
  /** From the beginning to the end, a sentence or two each. */
  readonly story: readonly string[];
  /** Whether the story is a way that was found; else it says what is known. */
  readonly shown: boolean;
}

export interface ExplainedReason {
  readonly because: string;
  /** What would be found without it; nothing where nothing is at stake at all. */
  readonly otherwise: RuleMeta | undefined;
}

export interface Explained {
  /** In the order of the input. */
  readonly objects: readonly ExplainedObject[];
  readonly unreadable: readonly ReportedUnreadable[];
}

/** One JSON document, whatever was explained. */
export function explainedJson({ objects, unreadable }: Explained): string {
  const document = {
    explained: objects.map(({ resource, place, findings, savedBy, aside }) => ({
      resource,
      ...place,
      findings: findings.map(({ rule, fix = null, ...finding }) => ({ rule: rule.id, ...finding, fix })),
      savedBy: savedBy.map(({ because, otherwise }) => ({ because, otherwise: otherwise?.id ?? null })),
      aside,
    })),
    unreadable,
  };
  return printedJson(document);
}
