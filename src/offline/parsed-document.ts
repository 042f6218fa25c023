import { type Document, isNode, LineCounter, Parser, type YAMLError } from 'yaml';
import { jsonSpots } from './json-spots.ts';
import { type Spots, spotsOf } from './spots.ts';
import { composer } from './yaml-schema.ts';

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
  spots(item?: number): Spots;
}

export interface RepeatedKey {
  readonly key: string;
  /** Of the later one. */
  readonly line: number;
}

/** The documents of a YAML text. JSON is YAML too, but by a parser of its own it takes a fiftieth of the time. */
export function documentsIn(written: string): Iterable<ParsedDocument> {
  const text = written.startsWith(BYTE_ORDER_MARK) ? written.slice(1) : written;
  const json = jsonDocument(text);
  return json === undefined ? yamlDocuments(text) : [json];
}

const BYTE_ORDER_MARK = '\uFEFF';

/** One after the other, for the tree of a document takes some forty times the room of its text. */
function* yamlDocuments(text: string): Iterable<ParsedDocument> {
  const lines = new LineCounter();
  for (const document of composer().compose(new Parser(lines.addNewLine).parse(text))) {
    yield yamlDocument(document, text, lines);
  }
}

function yamlDocument(document: Document.Parsed, text: string, lines: LineCounter): ParsedDocument {
  const error = document.errors.find((problem) => !isRepeatedKey(problem));
  return {
    line: lines.linePos(error?.pos[0] ?? document.contents?.range?.[0] ?? 0).line,
    template: templateIn(`${document.commentBefore ?? ''}\n${document.contents?.commentBefore ?? ''}`),
    repeatedKeys: document.errors.filter(isRepeatedKey).map(({ pos: [offset] }) => ({
      key: /[^:\s]*/.exec(text.slice(offset, offset + LONGEST_KEY))?.[0] ?? '',
      line: lines.linePos(offset).line,
    })),
    value() {
      if (error !== undefined) throw error;
      return document.toJS();
    },
    spots(item) {
      const node = item === undefined ? document.contents : document.getIn(['items', item], true);
      return isNode(node) ? spotsOf(document, node, lines) : () => undefined;
    },
  };
}

/** Of a label: a prefix of a domain's length, a slash and a name. */
const LONGEST_KEY = 253 + 1 + 63;

function isRepeatedKey({ code }: YAMLError): boolean {
  return code === 'DUPLICATE_KEY';
}

/** Helm writes it before each document (`helm.sh/helm/v3/pkg/action/action.go:renderResources`). */
function templateIn(comment: string): string | undefined {
  return /^ ?Source: (.+)$/m.exec(comment)?.[1]?.trim();
}

function jsonDocument(text: string): ParsedDocument | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    let spots: ReturnType<typeof jsonSpots> | undefined;
    return {
      line: text.slice(0, text.indexOf('{')).split('\n').length,
      template: undefined,
      repeatedKeys: [], // `JSON.parse` takes the last one too, and does not tell
      value: () => value,
      spots(item) {
        return (path) => {
          spots ??= jsonSpots(text);
          return spots(item === undefined ? '' : `items.${item}`)(path);
        };
      },
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
