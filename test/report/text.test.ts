import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../../src/report/text.ts';
import { findingOf, reportOf } from './reports.ts';

for (const { count, lines } of [
  { count: 4, lines: ['0', '1', '2', '3'] },
  { count: 6, lines: ['0', '1', '2', '3', 'and 2 more'] },
]) {
  test(`of ${count} other objects that a finding is about, the text has ${lines.length} lines`, () => {
    const related = Array.from({ length: count }, (_, n) => ({ file: 'a.yaml', line: 1, column: 1, message: `${n}` }));
    const text = textOf(reportOf({ findings: [findingOf({ related })] }), { colour: false });
    const printed = [...text.matchAll(/^ {6}(?:a\.yaml:1:1 {2})?(.*)$/gm)].map(([, said]) => said);
    assert.deepEqual(printed, lines);
  });
}
