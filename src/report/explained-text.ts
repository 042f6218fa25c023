import { oneLine } from '../one-line.ts';
import type { Explained, ExplainedFinding, ExplainedObject, ExplainedReason } from './explained.ts';
import { objectName } from './report.ts';
import { COLOURS, NOT_JUDGED, type Paint, painter, type TextOptions } from './text.ts';
import { wrapped } from './wrapped.ts';

/** For people: file by file each object, and below it the stories of what was found, or what saves it. */
export function explainedText(
  { objects, unreadable }: Explained,
  options: Pick<TextOptions, 'colour' | 'width'>,
): string {
  const paint = painter(options);
  const { width } = options;
  const byFile = Map.groupBy(objects, ({ place }) => place.file);
  const files = [...byFile].map(
    ([file, some]) =>
      `${paint('underline', oneLine(file))}\n${some.map((one) => objectText(one, paint, width)).join('\n')}`,
  );
  const unread = unreadable.map(
    ({ file, line, because }) => `${oneLine(file)}:${line}: ${paint('red', 'unreadable')}  ${oneLine(because)}\n`,
  );
  return [...files, unread.join('')].filter((part) => part !== '').join('\n');
}

function objectText(object: ExplainedObject, paint: Paint, width: number): string {
  const { resource, namespaceAssumed, place, findings, savedBy, aside } = object;
  const name = objectName(namespaceAssumed ? { ...resource, namespace: undefined } : resource);
  const told = findings.map((finding) => findingText(finding, paint, width));
  const reasons = savedBy.map(reasonText);
  const saved = [
    ...reasons.slice(0, 1).map((first) => `nothing is found, because ${first}`),
    ...reasons.slice(1).map((other) => `and ${other}`),
    ...aside.map((line) => `all the same, ${line}`),
  ];
  const lines = saved.map((line) => wrapped(oneLine(line), width, '      ', '    '));
  return `  ${place.line}:${place.column}  ${paint('bold', oneLine(name))}\n${[...told, ...lines].join('')}`;
}

function findingText(finding: ExplainedFinding, paint: Paint, width: number): string {
  const { rule, severity, message, fix, ignored, story } = finding;
  const word = paint(COLOURS[severity], fix === undefined ? NOT_JUDGED : severity);
  const what = `    ${word}  ${paint('bold', rule.id)}${ignored ? ' (ignored)' : ''}\n`;
  const lines = story.map((line, index) => wrapped(oneLine(line), width, ' '.repeat(9), `      ${index + 1}. `));
  const fixed = fix === undefined ? '' : wrapped(`to fix it: ${oneLine(fix)}`, width, '      ');
  return `${what}${wrapped(oneLine(message), width, '      ')}${lines.join('')}${fixed}`;
}

function reasonText({ because, otherwise }: ExplainedReason): string {
  return otherwise === undefined ? because : `${because} (without it: ${otherwise.reason}, ${otherwise.id})`;
}
