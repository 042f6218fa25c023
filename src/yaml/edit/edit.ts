import { type Document, Parser } from 'yaml';
import type { JsonPatchOperation } from '../../mutations/json-patch.ts';
import { sameJson } from '../../objects/same-json.ts';
import { jsonTexts } from '../json-texts.ts';
import { documentsIn, type Indentation } from '../parsed-document.ts';
import { composer } from '../schema.ts';
import { fieldAt, type Refusal } from './target.ts';
import { spliceFor } from './text.ts';
import { type Member, replacedAt, valueAt } from './value.ts';

/** Which object of a text: its document, counted from 0, and its place in `items` where that is a List. */
export interface ManifestPlace {
  readonly document: number;
  readonly item?: number | undefined;
}

/** Why a text was not edited, and what somebody can do about it; neither ends with a full stop. */
export interface EditProblem extends Refusal {
  readonly byHand: string;
}

export type Edited = { readonly text: string } | { readonly problem: EditProblem };

/**
 * Sets fields of one object in a YAML or JSON text. Comments, quotes, order, indentation, line ends and every other byte
 * stay as they are. What comes out was read again and holds the patched object and nothing else that is new; where that
 * cannot be had the text is left alone, and the problem says why.
 */
export function editManifest(text: string, place: ManifestPlace, patch: readonly JsonPatchOperation[]): Edited {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  let edited = text.slice(mark.length);
  for (const operation of patch) {
    const path = membersOf(operation.path);
    const next = editOnce(edited, place, path, operation.value);
    if (typeof next !== 'string') return { problem: { ...next, byHand: byHand(path, operation.value) } };
    edited = next;
  }
  return { text: mark + edited };
}

function editOnce(
  text: string,
  { document, item }: ManifestPlace,
  path: readonly string[],
  value: unknown,
): string | Refusal {
  if (jsonTexts(text) !== undefined) return SEVERAL_OBJECTS;
  const tree = treeOf(text, document);
  const before = readingsOf(text, 'sound');
  const [problem] = tree?.errors ?? [];
  const error = before[document]?.error ?? problem?.message;
  if (problem?.code === 'DUPLICATE_KEY') return REPEATED_KEY;
  if (tree === undefined || error !== undefined) return unreadable(text, document, error ?? 'it is not there');
  const place: readonly Member[] = item === undefined ? [] : ['items', item];
  const whole = before[document]?.value;
  const old = valueAt(whole, [...place, ...path]);
  if (sameJson(old, value)) return text;
  const found = fieldAt(tree, place, path);
  if ('code' in found) return found;
  const { start, end, text: inserted } = spliceFor(text, found, old, value);
  const edited = text.slice(0, start) + inserted + text.slice(end);
  const wanted = before.with(document, { value: replacedAt(whole, [...place, ...path], value) });
  return sameJson(readingsOf(edited, 'sound'), wanted) ? edited : unsafe(path);
}

function unreadable(text: string, document: number, error: string): Refusal {
  const lenient = readingsOf(text, 'as kubectl reads it')[document];
  if (lenient !== undefined && lenient.error === undefined) return TOO_FAR_LEFT;
  return { code: 'unreadable', because: `the document cannot be read: ${error}` };
}

/** The document, or one before it, can be read, but the offsets in its tree would not be those of the text. */
const TOO_FAR_LEFT: Refusal = {
  code: 'unsafe',
  because: 'a value in its file goes on further to the left than YAML allows',
};

const REPEATED_KEY: Refusal = { code: 'repeated-key', because: 'a key stands twice in one mapping of the document' };

const SEVERAL_OBJECTS: Refusal = {
  code: 'unsafe',
  because: 'its file holds several JSON objects without --- between them',
};

function unsafe(path: readonly string[]): Refusal {
  return {
    code: 'unsafe',
    because: `the text is written in a way that does not let ${path.join('.')} be changed alone`,
  };
}

function byHand(path: readonly string[], value: unknown): string {
  return `set ${path.join('.')} to ${JSON.stringify(value)} by hand`;
}

function membersOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** One document with its offsets, also of a JSON text. The parser may give up on those after it. */
function treeOf(text: string, index: number): Document.Parsed | undefined {
  let at = 0;
  for (const document of composer().compose(new Parser().parse(text))) {
    if (at++ === index) return document;
  }
  return undefined;
}

/** What each document says, or why it cannot be read. */
type DocumentReading = { readonly value?: unknown; readonly error?: string };

function readingsOf(text: string, indentation: Indentation): readonly DocumentReading[] {
  const readings: DocumentReading[] = [];
  try {
    for (const document of documentsIn(text, indentation)) readings.push(readingOf(() => document.value()));
  } catch (error) {
    readings.push({ error: String(error) });
  }
  return readings;
}

function readingOf(read: () => unknown): DocumentReading {
  try {
    return { value: read() };
  } catch (error) {
    return { error: String(error) };
  }
}
