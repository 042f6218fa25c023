import { isNode, LineCounter, parseAllDocuments } from 'yaml';

/** One document of a text, not looked at yet. */
export interface ParsedDocument {
  /** The line on which it begins, or from which on it cannot be read. */
  readonly line: number;
  /** Throws where it cannot be read. */
  value(): unknown;
  /** The line on which an element of its `items` begins. */
  itemLine(index: number): number;
}

/** The documents of a YAML text. JSON is YAML too, but by a parser of its own it takes a fiftieth of the time. */
export function documentsIn(text: string): readonly ParsedDocument[] {
  const json = jsonDocument(text);
  return json === undefined ? yamlDocuments(text) : [json];
}

function yamlDocuments(text: string): readonly ParsedDocument[] {
  const lineCounter = new LineCounter();
  const lineAt = (offset = 0) => lineCounter.linePos(offset).line;
  return parseAllDocuments(text, { lineCounter, merge: true, prettyErrors: false }).map((document) => {
    const [error] = document.errors;
    return {
      line: lineAt(error?.pos[0] ?? document.contents?.range?.[0]),
      value() {
        if (error !== undefined) throw error;
        return document.toJS();
      },
      itemLine(index) {
        const item = document.getIn(['items', index], true);
        return lineAt(isNode(item) ? item.range?.[0] : 0);
      },
    };
  });
}

function jsonDocument(text: string): ParsedDocument | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const line = lineOf(text, text.indexOf('{'));
    let lines: readonly number[] | undefined;
    return {
      line,
      value: () => value,
      itemLine(index) {
        lines ??= itemLines(text);
        return lines[index] ?? line;
      },
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Texts, which may hold brackets of their own, brackets and line ends. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]\n]/g;

/** On which lines the elements of `items` begin. The text is known to be JSON, so that counting brackets will do. */
function itemLines(text: string): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let key = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '\n') line++;
    else if (token === '}' || token === ']') depth--;
    else if (token === '{' || token === '[') {
      if (depth === 2 && key === '"items"') lines.push(line);
      depth++;
    } else if (depth === 1) key = token;
  }
  return lines;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
