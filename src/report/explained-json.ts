import type { Explained } from './explained.ts';

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
  return `${JSON.stringify(document, null, 2)}\n`;
}
