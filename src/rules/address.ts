/** The address of the page of all rules, which the build knows (`test/build.ts`) and the sources by themselves do not. */
declare const RULES_URL: string | undefined;

/** Where to read about a rule. */
export function addressOf(id: string): string | undefined {
  return typeof RULES_URL === 'undefined' ? undefined : `${RULES_URL}#${id}`;
}

/** Where to read about these rules, for a line that a person reads. */
export function readMore(ids: readonly string[]): string {
  return ids.map((id) => addressOf(id) ?? `rwo-guard rules ${id}`).join('; ');
}
