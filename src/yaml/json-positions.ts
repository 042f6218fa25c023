import { FIELDS, type Fields, type Position, type Positions } from './positions.ts';

/** What matters to positions in JSON: texts, which may hold brackets and commas; brackets, commas and line ends. */
export const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],\n]/g;

/** An object or a list that is open, and what of it is wanted; `undefined` for nothing. */
interface Level {
  readonly isList: boolean;
  readonly wanted: Fields | undefined;
  readonly path: string;
  key: string;
  index: number;
  keyComes: boolean;
}

/**
 * The wanted fields of a text that is known to be JSON, so that counting brackets will do; the items of a list too. The text
 * begins at `from`.
 */
export function jsonPositions(text: string, from: Position): (within: string) => Positions {
  const positions = new Map<string, Position>();
  const open: Level[] = [];
  let { line } = from;
  let lineStart = 1 - from.column;
  for (const { 0: token, index } of text.matchAll(JSON_TOKEN)) {
    const level = open.at(-1);
    const position = { line, column: index - lineStart + 1 };
    switch (token) {
      case '\n':
        line++;
        lineStart = index + 1;
        break;
      case '{':
      case '[': {
        const below = belowOf(level);
        if (below?.wanted !== undefined && (level === undefined || level.isList)) positions.set(below.path, position);
        open.push({ isList: token === '[', path: '', wanted: undefined, ...below, key: '', index: 0, keyComes: true });
        break;
      }
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (level !== undefined) Object.assign(level, { index: level.index + 1, keyComes: true });
        break;
      default:
        if (level === undefined || level.isList || !level.keyComes) break;
        Object.assign(level, { key: token.slice(1, -1), keyComes: false });
        if (belowOf(level)?.wanted !== undefined) positions.set(belowOf(level)?.path ?? '', position);
    }
  }
  return (within) => (path) => positions.get([within, path].filter(Boolean).join('.'));
}

const LIST: Fields = { ...FIELDS, items: { '*': FIELDS } };

function belowOf(level: Level | undefined): Pick<Level, 'path' | 'wanted'> | undefined {
  if (level === undefined) return { path: '', wanted: LIST };
  const name = level.isList ? '*' : level.key;
  const { wanted } = level;
  if (wanted === undefined || !Object.hasOwn(wanted, name)) return undefined;
  return {
    path: [level.path, level.isList ? level.index : level.key].filter((part) => part !== '').join('.'),
    wanted: wanted[name],
  };
}
