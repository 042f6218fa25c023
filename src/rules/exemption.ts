import { PREFIX } from '../objects/metadata.ts';
import type { Finding } from './evaluate.ts';
import type { Rule } from './rule.ts';

/** `<rule>[,<rule>]: <reason>` on an object: these rules do not count for it, for that reason. */
export const IGNORE_ANNOTATION = `${PREFIX}ignore`;

/** Whether objects may exempt themselves at all. */
export type ExemptionPolicy = 'allow' | 'deny';

/** Rules that found something in an object and did not count, for that reason. */
export interface Exemption {
  readonly name: string;
  readonly rules: readonly string[];
  readonly reason: string;
}

export interface Exempted {
  readonly kept: readonly Finding[];
  readonly ignored: readonly Finding[];
  /** What leaves a trace of what was ignored: one at most. */
  readonly exemptions: readonly Exemption[];
  /** Why the annotation does not count, if it does not. One line each. */
  readonly problems: readonly string[];
}

/** What is annotated, and whose name is told. */
interface Annotated {
  readonly name: string;
  readonly annotations: ReadonlyMap<string, string>;
}

/** Without a reason, or with a rule that does not exist, the annotation does not count and the problem says so. */
export function applyExemption(
  found: readonly Finding[],
  { name, annotations }: Annotated,
  rules: readonly Rule[],
  policy: ExemptionPolicy,
): Exempted {
  const text = annotations.get(IGNORE_ANNOTATION);
  if (text === undefined) return { kept: found, ignored: [], exemptions: [], problems: [] };
  const problem = problemWith(text, rules, policy);
  if (problem !== undefined) return { kept: found, ignored: [], exemptions: [], problems: [problem] };
  const named = new Set(idsIn(text));
  const ignored = found.filter(({ rule }) => named.has(rule.id));
  const exemption = { name, rules: [...new Set(ignored.map(({ rule }) => rule.id))], reason: reasonIn(text) };
  return {
    kept: found.filter(({ rule }) => !named.has(rule.id)),
    ignored,
    exemptions: ignored.length === 0 ? [] : [exemption],
    problems: [],
  };
}

function problemWith(text: string, rules: readonly Rule[], policy: ExemptionPolicy): string | undefined {
  if (policy === 'deny') return `${IGNORE_ANNOTATION} does not count: exemptions are forbidden in this cluster`;
  if (reasonIn(text) === '') return `${IGNORE_ANNOTATION} does not count: write "<rule>: <reason>"`;
  const wrong = idsIn(text).find((id) => !rules.some((rule) => rule.meta.id === id));
  return wrong === undefined
    ? undefined
    : `${IGNORE_ANNOTATION} does not count: there is no rule "${shortened(wrong)}"`;
}

/** The longest name of a rule is half as long, and the annotation may hold 256 KB. */
function shortened(id: string): string {
  return id.length > 60 ? `${id.slice(0, 60)}…` : id;
}

function reasonIn(text: string): string {
  return /:(.*)$/s.exec(text)?.[1]?.trim() ?? '';
}

function idsIn(text: string): readonly string[] {
  return (text.split(':', 1)[0] ?? '').split(',').map((id) => id.trim());
}
