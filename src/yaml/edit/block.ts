import { isCollection, isMap, isNode, isSeq, type Pair, visit, type YAMLMap, type YAMLSeq } from 'yaml';
import {
  afterColon,
  columnOf,
  endOf,
  extentEnd,
  lineBreakAt,
  lineEnd,
  type Splice,
  siblingAfter,
  startOf,
} from './extent.ts';
import { type BlockStyle, blockLines, fieldLines, isNested, itemLines, offsetOf } from './print.ts';

/** Adds a field before the one that it belongs before, or at the end. */
export function insertIntoBlock(text: string, map: YAMLMap, member: string, value: unknown, style: BlockStyle): Splice {
  const column = columnOf(text, startOf(map));
  const lines = fieldLines(member, value, style);
  const next = siblingAfter(map, member);
  const previous = map.items[next - 1];
  if (previous !== undefined) return below(text, extentEnd(text, previous, column), column, lines);
  const at = startOf(map);
  const lineBreak = lineBreakAt(text, at) + ' '.repeat(column);
  return { start: at, end: at, text: lines.map((line) => line + lineBreak).join('') };
}

/** Adds elements after the last one. */
export function appendToBlock(text: string, list: YAMLSeq, added: readonly unknown[], style: BlockStyle): Splice {
  const column = columnOf(text, startOf(list));
  const lines = added.flatMap((item) => itemLines(item, style));
  return below(text, extentEnd(text, list.items.at(-1), column), column, lines);
}

/**
 * A field's value with the comments inside it. A comment on the line of the field's name, and any below a name without a
 * value, is about what stays, and stays too.
 */
export function replaceInBlock(text: string, map: YAMLMap, pair: Pair, value: unknown, style: BlockStyle): Splice {
  const column = columnOf(text, startOf(map));
  const start = afterColon(text, pair);
  const { value: old } = pair;
  const ownLines = isCollection(old) && !old.flow;
  const isEmpty = isNode(old) && endOf(old) === startOf(old);
  const lineOfComment = ownLines || isEmpty ? start : endOf(old);
  const end = isEmpty ? lineEnd(text, start) : extentEnd(text, pair, column);
  const comment = /[ \t]+#.*$/.exec(text.slice(lineOfComment, lineEnd(text, lineOfComment)))?.[0] ?? '';
  const lines = blockLines(value, style);
  if (!isNested(value)) return { start, end, text: ` ${lines.join('')}${comment}` };
  return { start, end, text: comment + below(text, start, column + offsetOf(value, style), lines).text };
}

/** Adds lines of their own after the end of another one. */
function below(text: string, at: number, column: number, lines: readonly string[]): Splice {
  const lineBreak = lineBreakAt(text, at) + ' '.repeat(column);
  return { start: at, end: at, text: lines.map((line) => lineBreak + line).join('') };
}

/** The indentation of most people, and of kubectl. */
const USUAL: BlockStyle = { step: 2, dash: 2 };

/** The style of the text around a mapping: how far it stands to the right of the one it is in, and its lists. */
export function blockStyleOf(text: string, map: YAMLMap, outer: YAMLMap | undefined, root: YAMLMap): BlockStyle {
  const step = outer === undefined ? 0 : columnOf(text, startOf(map)) - columnOf(text, startOf(outer));
  return {
    step: step > 0 && outer?.flow !== true ? step : USUAL.step,
    dash: dashOffset(text, map) ?? dashOffset(text, root) ?? USUAL.dash,
  };
}

/** How far the dashes of the first list in a mapping stand to the right of its field's name. */
function dashOffset(text: string, map: YAMLMap): number | undefined {
  let offset: number | undefined;
  visit(map, {
    Pair(_, { key, value }) {
      if (!isSeq(value) || value.flow || value.items.length === 0) return undefined;
      offset = columnOf(text, startOf(value)) - columnOf(text, startOf(key));
      return visit.BREAK;
    },
    Map: (_, inner) => (isMap(inner) && inner.flow ? visit.SKIP : undefined),
  });
  return offset;
}
