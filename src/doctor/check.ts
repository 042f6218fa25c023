/** One thing that was looked at, and how it stands. */
export interface Check {
  /** `not-seen` is neither good nor bad: something kept us from looking. */
  readonly status: (typeof STATUSES)[number];
  /** One sentence without a full stop. */
  readonly says: string;
  /** A command that can be run as it is printed, or what to do where none does it. */
  readonly fix?: string;
}

export const STATUSES = ['ok', 'warning', 'problem', 'not-seen'] as const;

/** What belongs together, under a title. */
export interface Group {
  readonly title: string;
  readonly checks: readonly Check[];
}

export function ok(says: string): Check {
  return { status: 'ok', says };
}

export function warning(says: string, fix: string): Check {
  return { status: 'warning', says, fix };
}

export function problem(says: string, fix: string): Check {
  return { status: 'problem', says, fix };
}

/** `because` is what kept us from looking; `fix` what lets us see, where somebody can help it. */
export function notSeen(because: string, fix?: string): Check {
  return { status: 'not-seen', says: because, ...(fix !== undefined && { fix }) };
}

/** Names that a line may have before they are only counted. */
const MOST_NAMES = 8;

/** `a, b and 3 more`. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more` : names.join(', ');
}

/** Checks of one kind that are told one by one: thousands of namespaces may have the same mistake. */
const MOST_ALIKE = 20;

/** The first of them, and how many more there are. */
export function bounded(checks: readonly Check[], what: string): readonly Check[] {
  const more = checks.length - MOST_ALIKE;
  if (more <= 0) return checks;
  const [first] = checks;
  const rest: Check = { status: first?.status ?? 'problem', says: `${more} more ${what}: run it again after these` };
  return [...checks.slice(0, MOST_ALIKE), rest];
}

/** As a shell takes it for one word. */
export function quoted(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
