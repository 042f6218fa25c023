import { isMap, isSeq, type Pair, type YAMLMap } from 'yaml';
import { sameJson } from '../../objects/same-json.ts';
import { appendToBlock, blockStyleOf, insertIntoBlock, replaceInBlock } from './block.ts';
import type { Splice } from './extent.ts';
import { appendToFlow, insertIntoFlow, replaceInFlow } from './flow.ts';
import type { FoundField } from './target.ts';

/** Sets the field that was found from `old` to `value`, in the style in which the text around it is written. */
export function spliceFor(text: string, found: FoundField, old: unknown, value: unknown): Splice {
  const { member, map, pair, within } = found;
  const holder = within.at(-1);
  const root = within[0]?.map ?? map;
  if (pair !== undefined) return replaced(text, { root, outer: holder?.map, map, pair }, old, value);
  if (map.items.length === 0 && holder !== undefined) {
    // Nothing is lost with empty braces, and what they stand in tells how to write.
    const place = { root, outer: within.at(-2)?.map, map: holder.map, pair: holder.pair };
    return replaced(text, place, {}, { [member]: value });
  }
  if (map.flow) return insertIntoFlow(text, root, map, member, value);
  return insertIntoBlock(text, map, member, value, blockStyleOf(text, map, holder?.map, root));
}

interface HeldField {
  readonly root: YAMLMap;
  /** The mapping that holds `map`. */
  readonly outer: YAMLMap | undefined;
  readonly map: YAMLMap;
  readonly pair: Pair;
}

function replaced(text: string, { root, outer, map, pair }: HeldField, old: unknown, value: unknown): Splice {
  const node = pair.value;
  const style = () => blockStyleOf(text, map, outer, root);
  const added = addedTo(old, value);
  if (isSeq(node) && added !== undefined) {
    return node.flow ? appendToFlow(text, root, node, added) : appendToBlock(text, node, added, style());
  }
  if (map.flow) return replaceInFlow(text, root, map, node, value);
  const written = isMap(node) || isSeq(node) ? node : undefined;
  return written?.flow && written.items.length > 0
    ? replaceInFlow(text, root, written, node, value)
    : replaceInBlock(text, map, pair, value, style());
}

/** The elements that come after those that are there, where all of these stay. */
function addedTo(old: unknown, value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(old) || !Array.isArray(value) || old.length === 0) return undefined;
  return sameJson(old, value.slice(0, old.length)) ? value.slice(old.length) : undefined;
}
