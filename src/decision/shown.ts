import { oneLine, PLAIN } from '../one-line.ts';

/** The sign that stands where something was left out. */
const MORE = '…';

/** The text on one line, cut to so many bytes of UTF-8. The only way for a text of somebody else into an answer or the log. */
export function shown(text: string, most: number): string {
  if (text.length <= most && PLAIN.test(text)) return text;
  const line = oneLine(text.slice(0, most)); // no character takes less than a byte
  if (text.length <= most && bytesIn(line) <= most) return line;
  return `${beginningOf(line, most - bytesIn(MORE))}${MORE}`;
}

/**
 * The first texts that have room in so many bytes with a separator after each, and how many others there are. The first
 * always has a place, for it is what matters most.
 */
export function listed(texts: readonly string[], most: number, separator = 0): readonly string[] {
  const kept: string[] = [];
  let left = most - ROOM_FOR_OTHERS;
  for (const text of texts) {
    left -= bytesIn(text) + separator;
    if (left < 0 && kept.length > 0) break;
    kept.push(text);
  }
  const others = texts.length - kept.length;
  return others === 0 ? kept : [...kept, `${MORE} and ${others} more`];
}

/** `… and 4294967295 more`, the longest that a list in JavaScript can make necessary, and a separator. */
const ROOM_FOR_OTHERS = 24;

/** Bytes of UTF-8. */
export function bytesIn(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let bytes = 0;
  for (const character of text) bytes += bytesOf(character);
  return bytes;
}

function bytesOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

function beginningOf(text: string, most: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += bytesOf(character);
    if (bytes > most) break;
    end += character.length;
  }
  return text.slice(0, end);
}
