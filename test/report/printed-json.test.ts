import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printedJson } from '../../src/report/printed-json.ts';

const OBEYED = 'a\u001b[31m\u009b31m\u202eb\u2028\u200b\u{e0041}b\ud800c';

test('what a terminal obeys or nobody sees is escaped, and is the same to whoever parses it', () => {
  const printed = printedJson({ [OBEYED]: [OBEYED] });
  assert.match(printed, /^[ -~\n]*$/);
  assert.deepEqual(JSON.parse(printed), { [OBEYED]: [OBEYED] });
});

test('what can be seen stays as it is', () => {
  assert.equal(printedJson({ name: 'Größe 💾 "\\' }), '{\n  "name": "Größe 💾 \\"\\\\"\n}\n');
});
