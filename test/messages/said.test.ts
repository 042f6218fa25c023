import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SAID, written } from './said.ts';

test('what people read is what somebody has read before', async () => {
  const read = readFileSync(SAID, 'utf8');
  assert.equal(await written(), read, 'read what has changed: node test/messages/said.ts');
});
