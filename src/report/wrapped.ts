/** The narrowest text that is still worth wrapping. */
const NARROWEST = 40;

/**
 * The text in lines of at most so many characters, each after this indent, and the first after `first` where that is given, which
 * is as long. Words stay whole, so that a path or a command that is longer than a line can still be copied.
 */
export function wrapped(text: string, width: number, indent: string, first = indent): string {
  const most = Math.max(width, NARROWEST) - indent.length;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > most) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one, index) => `${index === 0 ? first : indent}${one}\n`).join('');
}
