import type { PageFinding } from '../report/html/page-data.ts';

/** What somebody wants to see; an empty text is no wish. */
export interface Wanted {
  readonly text: string;
  readonly severity: string;
  readonly now: string;
  readonly namespace: string;
  readonly rule: string;
}

export const EVERYTHING: Wanted = { text: '', severity: '', now: '', namespace: '', rule: '' };

/** A finding, and all that typing may find it by. */
export interface Searchable {
  readonly finding: PageFinding;
  readonly text: string;
}

export function searchable(finding: PageFinding): Searchable {
  const { rule, also, kind, namespace, name, claims, message, fix, severity, now, at, template, fingerprint } = finding;
  const words = [
    severity,
    now?.state,
    rule,
    ...also,
    `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
  ];
  const texts = [...words, ...claims, message, now?.because, fix, at, template, fingerprint];
  return { finding, text: texts.join('\n').toLowerCase() };
}

/** Those that have every word somewhere, whatever its case, and are as it is wanted otherwise. */
export function matching(all: readonly Searchable[], wanted: Wanted): readonly PageFinding[] {
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  const isAs = (wish: string, value: string | undefined): boolean => wish === '' || wish === (value ?? NONE);
  return all
    .filter(({ finding, text }) => {
      const { severity, now, namespace, rule, also } = finding;
      const isOfRule = wanted.rule === '' || wanted.rule === rule || also.includes(wanted.rule);
      const isOfKind =
        isAs(wanted.severity, severity) && isAs(wanted.now, now?.state) && isAs(wanted.namespace, namespace);
      return isOfRule && isOfKind && words.every((word) => text.includes(word));
    })
    .map(({ finding }) => finding);
}

/** What stands for an absent value, which no name can be. */
export const NONE = '(none)';

/** The values to choose from with how often each is there, by name. */
export function choices(values: readonly (string | undefined)[]): readonly (readonly [value: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value ?? NONE, (counts.get(value ?? NONE) ?? 0) + 1);
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
