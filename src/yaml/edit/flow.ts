import { isNode, isPair, type YAMLMap, type YAMLSeq } from 'yaml';
import { endOf, indentOf, lineBreakAt, type Splice, siblingAfter, startOf } from './extent.ts';
import { type FlowStyle, flowField, flowText } from './print.ts';

/** A mapping in braces or a list in brackets. */
export type FlowCollection = YAMLMap | YAMLSeq;

/** How the entries of a collection are written. */
interface EntryStyle extends FlowStyle {
  /** What stands between a comma and the next entry. */
  readonly gap: string;
  /** The indentation that the inside of an entry adds, where each entry has a line of its own. */
  readonly step: string | undefined;
}

/** Adds a field in braces, before the one that it belongs before, or at the end. */
export function insertIntoFlow(text: string, root: YAMLMap, map: YAMLMap, member: string, value: unknown): Splice {
  const style = entryStyleOf(text, root, map);
  const field = prettyIn(style, { [member]: value }) ?? flowField(member, value, style);
  const sibling = map.items[siblingAfter(map, member)];
  if (sibling === undefined) return appended(map, [field], style);
  const at = startOf(sibling.key);
  return { start: at, end: at, text: `${field},${style.gap}` };
}

/** Adds elements in brackets, after the last one. */
export function appendToFlow(text: string, root: YAMLMap, list: YAMLSeq, added: readonly unknown[]): Splice {
  const style = entryStyleOf(text, root, list);
  const elements = added.map((item) => prettyIn(style, [item]) ?? flowText(item, style));
  return appended(list, elements, style);
}

/** A value that is written as the entries of `like` are: the mapping in which it stands, or itself if that has no braces. */
export function replaceInFlow(text: string, root: YAMLMap, like: FlowCollection, old: unknown, value: unknown): Splice {
  const style = entryStyleOf(text, root, like);
  const { step, gap } = style;
  const pretty = like === old || step === undefined ? undefined : JSON.stringify(value, null, step);
  return { start: startOf(old), end: endOf(old), text: pretty?.replaceAll('\n', gap) ?? flowText(value, style) };
}

function appended(collection: FlowCollection, entries: readonly string[], { gap }: EntryStyle): Splice {
  const last = collection.items.at(-1);
  const at = isPair(last) ? Math.max(endOf(last.key), endOf(last.value)) : endOf(last);
  return { start: at, end: at, text: entries.map((entry) => `,${gap}${entry}`).join('') };
}

/** The one entry of a collection as JSON over several lines, without the brackets. */
function prettyIn({ step, gap }: EntryStyle, collection: object): string | undefined {
  if (step === undefined) return undefined;
  const [, ...lines] = JSON.stringify(collection, null, step).split('\n');
  return lines
    .slice(0, -1)
    .map((line) => line.slice(step.length))
    .join(gap);
}

/** A collection's text up to the first entry, and a name in quotes with what follows its colon. */
const OPENING = /^[[{\s]*(?:("(?:[^"\\]|\\.)*")\s*(?::(\s?))?)?/;

function entryStyleOf(text: string, root: YAMLMap, collection: FlowCollection): EntryStyle {
  const start = startOf(collection);
  const [, name, space] = OPENING.exec(text.slice(root.flow ? startOf(root) : start)) ?? [];
  const quoted = name !== undefined;
  const spaced = !quoted || space !== '';
  const style = { quoted, spaced, padded: /^\[*\{ /.test(text.slice(start)) };
  const first = firstOf(collection);
  if (!text.slice(start, first).includes('\n')) return { ...style, gap: spaced ? ' ' : '', step: undefined };
  const indent = indentOf(text, first);
  const step = quoted ? indent.slice(indentOf(text, start).length) : undefined;
  return { ...style, gap: lineBreakAt(text, start) + indent, step };
}

function firstOf({ items }: FlowCollection): number {
  const [first] = items;
  if (isPair(first)) return startOf(first.key);
  return isNode(first) ? startOf(first) : 0;
}
