import type { YAMLMap } from 'yaml';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
} from 'yaml';
import type { Member } from './value.ts';

/** A field in the tree of a text, by the mappings that lead to it. */
export interface FoundField {
  readonly member: string;
  /** The mapping that holds the field, or shall hold it. */
  readonly map: YAMLMap;
  /** The field itself, if it is there already. */
  readonly pair: Pair | undefined;
  /** The pairs that lead to `map`, the object's own fields first. */
  readonly within: readonly { readonly map: YAMLMap; readonly pair: Pair }[];
}

/** Why a text is not edited, without a full stop. */
export interface Refusal {
  readonly code: 'unreadable' | 'repeated-key' | 'alias' | 'anchor' | 'merge-key' | 'unsafe';
  readonly because: string;
}

/** Finds the field that `path` names in the object at `place`, if nothing else would change with it. */
export function fieldAt(document: Document, place: readonly Member[], path: readonly string[]): FoundField | Refusal {
  const aliases = aliasesIn(document);
  let here: unknown = document.contents;
  for (const member of place) {
    const refusal = refusalOf(here, 'the list', aliases);
    if (refusal !== undefined) return refusal;
    here = isSeq(here) ? here.items[Number(member)] : childOf(here, String(member))?.value;
  }
  const within: { map: YAMLMap; pair: Pair }[] = [];
  for (const [depth, member] of path.entries()) {
    const name = path.slice(0, depth).join('.') || 'the object';
    const refusal = refusalOf(here, name, aliases);
    if (refusal !== undefined) return refusal;
    if (!isMap(here)) return { code: 'unsafe', because: `${name} is no mapping` };
    const pair = childOf(here, member);
    const field = path.slice(0, depth + 1).join('.');
    if (depth === path.length - 1) {
      return lostAnchor(field, pair?.value, aliases) ?? { member, map: here, pair, within };
    }
    if (pair === undefined) return inherited(field);
    within.push({ map: here, pair });
    here = pair.value;
  }
  return { code: 'unsafe', because: 'the whole object would have to be replaced' };
}

function childOf(map: unknown, member: string): Pair | undefined {
  return isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === member) : undefined;
}

/** The aliases of a document, by the name of their anchor and where they stand. */
type Aliases = readonly { readonly source: string; readonly offset: number }[];

function aliasesIn(document: Document): Aliases {
  const aliases: { source: string; offset: number }[] = [];
  visit(document, {
    Alias(_, { source, range }) {
      aliases.push({ source, offset: range?.[0] ?? 0 });
    },
  });
  return aliases;
}

/** An alias is its anchor's text, and what has an anchor may be read at other places too. */
function refusalOf(node: unknown, name: string, aliases: Aliases): Refusal | undefined {
  if (isAlias(node)) {
    return { code: 'alias', because: `${name} is *${node.source}, which would change wherever it is used` };
  }
  const anchor = anchorOf(node);
  return anchor !== undefined && aliases.some(({ source }) => source === anchor) ? sharedBy(name, anchor) : undefined;
}

function sharedBy(name: string, anchor: string): Refusal {
  return { code: 'anchor', because: `${name} holds the anchor &${anchor}, which is used at other places` };
}

function inherited(name: string): Refusal {
  return { code: 'merge-key', because: `${name} comes from a merge key (<<), so that others share it` };
}

/** An anchor inside the node that is used outside of it, and would be gone with it. */
function lostAnchor(name: string, node: unknown, aliases: Aliases): Refusal | undefined {
  if (!isNode(node)) return undefined;
  const [start, , end] = node.range ?? [0, 0, 0];
  const outside = aliases.filter(({ offset }) => offset < start || offset >= end).map(({ source }) => source);
  const lost = anchorsIn(node).find((anchor) => outside.includes(anchor));
  return lost === undefined ? undefined : sharedBy(name, lost);
}

function anchorsIn(node: Node): readonly string[] {
  const anchors: string[] = [];
  visit(node, {
    Node(_, inner) {
      const anchor = anchorOf(inner);
      if (anchor !== undefined) anchors.push(anchor);
    },
  });
  return anchors;
}

function anchorOf(node: unknown): string | undefined {
  return isCollection(node) || isScalar(node) ? node.anchor : undefined;
}
