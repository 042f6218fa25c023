import { type Document, isMap, isNode, LineCounter, Parser, type YAMLError } from 'yaml';
import { deepened } from './deepened.ts';
import { jsonPositions } from './json-positions.ts';
import { type JsonText, jsonTexts } from './json-texts.ts';
import { type Positions, positionsOf } from './positions.ts';
import { composer } from './schema.ts';

/** One document of a text, not looked at yet. What is not taken of it before the next one is asked for is gone. */
export interface ParsedDocument {
  /** The line on which it begins, or from which on it cannot be read. */
  readonly line: number;
  /** The chart's template that `helm template` made it of. */
  readonly template: string | undefined;
  /** Keys that a mapping has more than once. The last one counts, as for kubectl and Helm. */
  readonly repeatedKeys: readonly RepeatedKey[];
  /** Throws where it cannot be read. */
  value(): unknown;
  /** Where the fields of the document begin, or those of an element of its `items`. */
  positions(item?: number): Positions;
}

export interface RepeatedKey {
  readonly key: string;
  /** The line of the later key. */
  readonly line: number;
  /** A whole second object stands there, because a `---` is missing before it. */
  readonly beginsObject: boolean;
}

/** Whether lines may stand as only kubectl reads them; what is edited has to be sound. */
export type Indentation = 'as kubectl reads it' | 'sound';

/**
 * The documents of a YAML text. JSON is YAML too, but by a parser of its own it takes a fiftieth of the time, and kubectl reads
 * objects one after the other that nothing parts (`k8s.io/apimachinery/pkg/util/yaml:YAMLOrJSONDecoder`).
 */
export function documentsIn(
  written: string,
  indentation: Indentation = 'as kubectl reads it',
): Iterable<ParsedDocument> {
  const text = written.startsWith(BYTE_ORDER_MARK) ? written.slice(1) : written;
  return jsonDocuments(text) ?? yamlDocuments(text, indentation);
}

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * One after the other, for the tree of a document takes some forty times the room of its text. From the first one on that
 * cannot be read they are read again with their lines indented as YAML wants it.
 */
function* yamlDocuments(text: string, indentation: Indentation): Iterable<ParsedDocument> {
  let read = 0;
  for (const tree of treesOf(text)) {
    if (indentation !== 'sound' && errorOf(tree.document) !== undefined) return yield* deepenedFrom(read, text);
    yield yamlDocument(tree);
    read++;
  }
}

function* deepenedFrom(first: number, text: string): Iterable<ParsedDocument> {
  let index = 0;
  for (const tree of treesOf(deepened(text))) if (index++ >= first) yield yamlDocument(tree);
}

/** A document of a text, with its offsets. */
interface Tree {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  readonly text: string;
}

function* treesOf(text: string): Iterable<Tree> {
  const lines = new LineCounter();
  for (const document of composer().compose(new Parser(lines.addNewLine).parse(text))) yield { document, lines, text };
}

function errorOf({ errors }: Document.Parsed): YAMLError | undefined {
  return errors.find((problem) => !isRepeatedKey(problem));
}

function yamlDocument({ document, lines, text }: Tree): ParsedDocument {
  const error = errorOf(document);
  return {
    line: lines.linePos(error?.pos[0] ?? document.contents?.range?.[0] ?? 0).line,
    template: templateIn(`${document.commentBefore ?? ''}\n${document.contents?.commentBefore ?? ''}`),
    repeatedKeys: repeatedKeysOf({ document, lines, text }),
    value() {
      if (error !== undefined) throw error;
      return document.toJS();
    },
    positions(item) {
      const node = item === undefined ? document.contents : document.getIn(['items', item], true);
      return isNode(node) ? positionsOf(document, node, lines) : () => undefined;
    },
  };
}

/** The longest key of a label: a prefix of a domain's length, a slash and a name. */
const LONGEST_KEY = 253 + 1 + 63;

function repeatedKeysOf({ document: { errors, contents }, lines, text }: Tree): readonly RepeatedKey[] {
  const offsets = errors.filter(isRepeatedKey).map(({ pos: [offset] }) => offset);
  const fields = new Set(offsets.length > 0 && isMap(contents) ? contents.items.map(({ key }) => key.range?.[0]) : []);
  const repeated = offsets.map((offset) => ({
    key: /[^:\s]*/.exec(text.slice(offset, offset + LONGEST_KEY))?.[0] ?? '',
    line: lines.linePos(offset).line,
    isField: fields.has(offset),
  }));
  const hasObjects = ['apiVersion', 'kind'].every((wanted) =>
    repeated.some(({ key, isField }) => isField && key === wanted),
  );
  return repeated
    .filter(({ key, isField }) => !(hasObjects && isField) || key === 'apiVersion')
    .map(({ key, line, isField }) => ({ key, line, beginsObject: hasObjects && isField }));
}

function isRepeatedKey({ code }: YAMLError): boolean {
  return code === 'DUPLICATE_KEY';
}

/** The template that Helm names before each document (`helm.sh/helm/v3/pkg/action/action.go:renderResources`). */
function templateIn(comment: string): string | undefined {
  return /^ ?Source: (.+)$/m.exec(comment)?.[1]?.trim();
}

function jsonDocuments(text: string): readonly ParsedDocument[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const brace = text.indexOf('{');
    const before = text.slice(0, brace).split('\n');
    return [
      jsonDocument(
        { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, text: text.slice(brace) },
        () => value,
      ),
    ];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return jsonTexts(text)?.map((json) => jsonDocument(json, () => JSON.parse(json.text)));
  }
}

function jsonDocument({ text, line, column }: JsonText, value: () => unknown): ParsedDocument {
  let positions: ReturnType<typeof jsonPositions> | undefined;
  return {
    line,
    template: undefined,
    repeatedKeys: [], // `JSON.parse` takes the last one too, and does not tell
    value,
    positions(item) {
      return (path) => {
        positions ??= jsonPositions(text, { line, column });
        return positions(item === undefined ? '' : `items.${item}`)(path);
      };
    },
  };
}
