import { styleText } from 'node:util';
import type { Explained, ExplainedFinding, ExplainedObject, ExplainedReason } from './explained.ts';
import { objectName } from './report.ts';
import { COLOURS, type Paint, type TextOptions } from './text.ts';

/** For people: file by file each object, and below it the stories of what was found, or what saves it. */
export function explainedText({ objects, unreadable }: Explained, { colour }: TextOptions): string {
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const byFile = Map.groupBy(objects, ({ place }) => place.file);
  const files = [...byFile].map(
    ([file, some]) => `${paint('underline', file)}\n${some.map((one) => objectText(one, paint)).join('\n')}`,
  );
  const unread = unreadable.map(
    ({ file, line, because }) => `${file}:${line}: ${paint('red', 'unreadable')}  ${because}\n`,
  );
  return [...files, unread.join('')].filter((part) => part !== '').join('\n');
}

function objectText({ resource, namespaceAssumed, place, findings, savedBy, aside }: ExplainedObject, paint: Paint) {
  const name = objectName(namespaceAssumed ? { ...resource, namespace: undefined } : resource);
  const told = findings.map((finding) => findingText(finding, paint));
  const [first, ...others] = savedBy.map(reasonText);
  const reasons =
    first === undefined
      ? []
      : [
          `    ${paint('green', 'nothing is found')}, because ${first}\n`,
          ...others.map((other) => `    and ${other}\n`),
        ];
  const all = [...told, ...reasons, ...aside.map((line) => `    all the same, ${line}\n`)];
  return `  ${place.line}:${place.column}  ${paint('bold', name)}\n${all.join('')}`;
}

function findingText({ rule, severity, message, fix, ignored, story }: ExplainedFinding, paint: Paint): string {
  const lines = story.map((line, index) => `      ${index + 1}. ${line}\n`);
  const fixed = fix === undefined ? '' : `      To fix it: ${fix}\n`;
  const what = `${paint(COLOURS[severity], fix === undefined ? 'open' : severity)}  ${message}  ${paint('dim', rule.id)}`;
  return `    ${what}${ignored ? ' (ignored)' : ''}\n${lines.join('')}${fixed}`;
}

function reasonText({ because, otherwise }: ExplainedReason): string {
  return otherwise === undefined ? because : `${because} (without it: ${otherwise.reason}, ${otherwise.id})`;
}
