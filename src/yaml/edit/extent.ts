import { isCollection, isNode, isPair, isScalar, type Pair, type YAMLMap } from 'yaml';

/** The place of an offset in its line, from 0. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** The spaces or tabs with which the offset's line begins. */
export function indentOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The end of the offset's line, before its line end. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** The line end that is used where the offset is. */
export function lineBreakAt(text: string, offset: number): string {
  const next = text.indexOf('\n', offset);
  const nearest = next === -1 ? text.lastIndexOf('\n') : next;
  return text[nearest - 1] === '\r' ? '\r\n' : '\n';
}

export function startOf(node: unknown): number {
  return (isNode(node) ? node.range?.[0] : undefined) ?? 0;
}

/** The end of a node itself; of what is empty, where it would stand. */
export function endOf(node: unknown): number {
  return (isNode(node) ? node.range?.[1] : undefined) ?? 0;
}

/**
 * The end of what belongs to a field or an element in block style: after the last line of its value, with the comment
 * on that line and those below it that stand further to the right than the field itself.
 */
export function extentEnd(text: string, entry: unknown, column: number): number {
  const end = contentEnd(entry);
  const afterBreak = text[end - 1] === '\n'; // as a block scalar ends
  let extent = afterBreak ? end - (text[end - 2] === '\r' ? 2 : 1) : lineEnd(text, end);
  for (;;) {
    const comment = commentBelow(text, extent);
    if (comment === undefined || comment.column <= column) return extent;
    extent = comment.end;
  }
}

/** The parser counts comments that follow as part of a block, so the last scalar in it tells. */
function contentEnd(entry: unknown): number {
  if (isPair(entry)) return contentEnd(isNode(entry.value) ? entry.value : entry.key);
  const last = isCollection(entry) && !entry.flow ? entry.items.at(-1) : undefined;
  return last === undefined ? endOf(entry) : contentEnd(last);
}

function commentBelow(text: string, end: number): { readonly column: number; readonly end: number } | undefined {
  const comment = /(?:\r?\n[ \t]*)*\r?\n( *)#[^\r\n]*/y;
  comment.lastIndex = end;
  const found = comment.exec(text);
  return found === null ? undefined : { column: found[1]?.length ?? 0, end: comment.lastIndex };
}

/** The offset after the colon of a field. */
export function afterColon(text: string, { key }: Pair): number {
  return text.indexOf(':', endOf(key)) + 1;
}

/** A part of a text, by its offsets, and what shall stand there. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The fields before which new ones stand, in the order of names in which kubectl prints them. */
const BEFORE: ReadonlyMap<string, string> = new Map([
  ['strategy', 'template'],
  ['affinity', 'containers'],
]);

/** The place in a mapping before which a new field belongs; the number of its fields where it belongs at the end. */
export function siblingAfter({ items }: YAMLMap, member: string): number {
  const next = BEFORE.get(member);
  const at = items.findIndex(({ key }) => next !== undefined && isScalar(key) && key.value === next);
  return at === -1 ? items.length : at;
}
