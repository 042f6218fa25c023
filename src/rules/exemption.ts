import { PREFIX } from '../objects/metadata.ts';
import type { Finding } from './evaluate.ts';
import type { Rule } from './rule.ts';

/**
 * `<rule>[,<rule>] [until=2027-03-31]: <reason>` on an object: these rules do not count for it, for that reason, up to that
 * day and with it.
 */
export const IGNORE_ANNOTATION = `${PREFIX}ignore`;

/** Whether objects may exempt themselves at all. */
export type ExemptionPolicy = 'allow' | 'deny';

/** Rules that found something in an object and did not count, for that reason. */
export interface Exemption {
  readonly name: string;
  readonly rules: readonly string[];
  readonly reason: string;
  /** The last day on which it counts, as `2026-12-31`. */
  readonly until?: string | undefined;
}

/** What decides whether an exemption counts. */
export interface ExemptionTerms {
  readonly policy: ExemptionPolicy;
  /** As `2026-12-31`, in UTC. Left out, no day is over. */
  readonly today?: string | undefined;
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
  terms: ExemptionTerms,
): Exempted {
  const text = annotations.get(IGNORE_ANNOTATION);
  if (text === undefined) return { kept: found, ignored: [], exemptions: [], problems: [] };
  const problem = problemWith(text, rules, terms);
  if (problem !== undefined) return { kept: found, ignored: [], exemptions: [], problems: [problem] };
  const named = new Set(idsIn(text));
  const ignored = found.filter(({ rule }) => named.has(rule.id));
  const exemption = {
    name,
    rules: [...new Set(ignored.map(({ rule }) => rule.id))],
    reason: reasonIn(text),
    until: untilIn(text),
  };
  return {
    kept: found.filter(({ rule }) => !named.has(rule.id)),
    ignored,
    exemptions: ignored.length === 0 ? [] : [exemption],
    problems: [],
  };
}

function problemWith(text: string, rules: readonly Rule[], { policy, today }: ExemptionTerms): string | undefined {
  if (policy === 'deny') return `${IGNORE_ANNOTATION} does not count: exemptions are forbidden in this cluster`;
  if (reasonIn(text) === '') return `${IGNORE_ANNOTATION} does not count: write "<rule>: <reason>"`;
  const until = untilIn(text);
  if (until !== undefined && !isDay(until))
    return `${IGNORE_ANNOTATION} does not count: write until=2027-03-31, not until=${shortened(until)}`;
  const wrong = idsIn(text).find((id) => !rules.some((rule) => rule.meta.id === id));
  if (wrong !== undefined) return `${IGNORE_ANNOTATION} does not count: there is no rule "${shortened(wrong)}"`;
  return until === undefined || today === undefined || today <= until
    ? undefined
    : `${IGNORE_ANNOTATION} does not count: it ended on ${until}`;
}

/** Whether there is such a day, written as ISO 8601 has it. */
function isDay(text: string): boolean {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(day);
}

/** The longest name of a rule is half as long, and the annotation may hold 256 KB. */
function shortened(id: string): string {
  return id.length > 60 ? `${id.slice(0, 60)}…` : id;
}

function reasonIn(text: string): string {
  return /:(.*)$/s.exec(text)?.[1]?.trim() ?? '';
}

/** The part before the reason. */
function headOf(text: string): string {
  return text.split(':', 1)[0] ?? '';
}

const UNTIL = /\suntil=(\S*)\s*$/;

function untilIn(text: string): string | undefined {
  return UNTIL.exec(headOf(text))?.[1];
}

function idsIn(text: string): readonly string[] {
  return headOf(text)
    .replace(UNTIL, '')
    .split(',')
    .map((id) => id.trim());
}
