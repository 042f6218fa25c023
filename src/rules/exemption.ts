import { PREFIX } from '../facts/metadata.ts';
import type { Finding } from './evaluate.ts';
import type { Rule } from './rule.ts';

/** `<rule>[,<rule>]: <reason>` on an object: these rules do not count for it, for that reason. */
export const IGNORE_ANNOTATION = `${PREFIX}ignore`;

export interface Exempted {
  readonly kept: readonly Finding[];
  readonly ignored: readonly Finding[];
  /** Why the annotation does not count, if it does not. One line each. */
  readonly problems: readonly string[];
}

/** Without a reason, or with a rule that does not exist, the annotation does not count and the problem says so. */
export function applyExemption(
  found: readonly Finding[],
  annotations: ReadonlyMap<string, string>,
  rules: readonly Rule[],
): Exempted {
  const text = annotations.get(IGNORE_ANNOTATION);
  if (text === undefined) return { kept: found, ignored: [], problems: [] };
  const problem = problemWith(text, rules);
  if (problem !== undefined) return { kept: found, ignored: [], problems: [problem] };
  const ignored = idsIn(text);
  return {
    kept: found.filter(({ rule }) => !ignored.includes(rule.id)),
    ignored: found.filter(({ rule }) => ignored.includes(rule.id)),
    problems: [],
  };
}

function problemWith(text: string, rules: readonly Rule[]): string | undefined {
  const reason = /:(.*)$/s.exec(text)?.[1]?.trim() ?? '';
  if (reason === '') return `${IGNORE_ANNOTATION} does not count: write "<rule>: <reason>"`;
  const wrong = idsIn(text).find((id) => !rules.some((rule) => rule.meta.id === id));
  return wrong === undefined ? undefined : `${IGNORE_ANNOTATION} does not count: there is no rule "${wrong}"`;
}

function idsIn(text: string): readonly string[] {
  return (text.split(':', 1)[0] ?? '').split(',').map((id) => id.trim());
}
