import { JSON_TOKEN } from './json-positions.ts';
import type { Position } from './positions.ts';

/** One of several objects in a text, and where it begins. */
export interface JsonText extends Position {
  readonly text: string;
}

/**
 * The objects of a text that has several and nothing else, as `kubectl get -o json` prints them in turns; `undefined` for any
 * other text. Each of them may still be no JSON.
 */
export function jsonTexts(text: string): readonly JsonText[] | undefined {
  const texts: JsonText[] = [];
  const isBlank = (from: number, to?: number): boolean => /^\s*$/.test(text.slice(from, to));
  let [depth, line, lineStart, start, end] = [0, 1, 0, 0, 0];
  let begin: Position = { line, column: 1 };
  for (const { 0: token, index } of text.matchAll(JSON_TOKEN)) {
    if (token === '\n') [line, lineStart] = [line + 1, index + 1];
    if (depth === 0 && !/^[{\n]/.test(token)) return undefined;
    if (token === '{' || token === '[') {
      if (depth++ > 0) continue;
      if (!isBlank(end, index)) return undefined;
      start = index;
      begin = { line, column: index - lineStart + 1 };
    }
    if ((token === '}' || token === ']') && --depth === 0) {
      end = index + 1;
      texts.push({ ...begin, text: text.slice(start, end) });
    }
  }
  return texts.length > 1 && depth === 0 && isBlank(end) ? texts : undefined;
}
