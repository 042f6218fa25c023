import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { everyFixture, findingsIn, fixture } from '../fixtures.ts';

/** What people read, as `messages/said.ts` writes it, without the breaks of its lines. */
const read = readFileSync(new URL('../messages/said.txt', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

for (const { rule, verdict, name } of everyFixture()) {
  if (verdict === 'pass') continue;
  test(`what is found in ${rule} ${name} is said in words that somebody has read`, () => {
    const given = fixture(rule, verdict, name);
    const found = findingsIn(given);
    for (const { detail, fix } of found)
      for (const words of [detail, fix.short]) assert.ok(read.includes(words), words);
    // Lint has room for more, of which it tells once what two findings share, and is not asked about updates.
    const whole = given.previous === undefined ? found.filter(({ judges }) => judges !== 'open') : [];
    for (const { fix, or = '' } of whole) for (const words of [fix.written, or]) assert.ok(read.includes(words), words);
    if (whole.length > 0) assert.ok(whole.some(({ why }) => read.includes(why)));
  });
}
