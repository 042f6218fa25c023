/** Whether a name is the one that a setting gives: exact, or what stands before a `*` at the end. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
