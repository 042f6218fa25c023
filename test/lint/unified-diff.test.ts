import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unifiedDiff } from '../../src/lint/unified-diff.ts';

test('a difference is what patch and git apply read, with the line ends of the file', async () => {
  assert.equal(
    await unifiedDiff('shop/web.yaml', 'a: 1\r\nb: 2', 'a: 1\r\nb: 3'),
    '--- a/shop/web.yaml\n+++ b/shop/web.yaml\n@@ -1,2 +1,2 @@\n a: 1\r\n' +
      '-b: 2\n\\ No newline at end of file\n+b: 3\n\\ No newline at end of file\n',
  );
});

test('where nothing changed there is no difference', async () => {
  assert.equal(await unifiedDiff('web.yaml', 'a: 1\n', 'a: 1\n'), '');
});
