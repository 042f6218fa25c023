import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesIn, listed, shown } from '../../src/decision/shown.ts';
import { oneLine } from '../../src/one-line.ts';

test('one line is left of several, with a space for each break', () => {
  assert.equal(oneLine('a\r\nb\tc\u0000d\u2028e\u2029f\u0085g'), 'a b c d e f g');
});

for (const [what, character] of [
  ['a bell', '\u0007'],
  ['an override of the direction', '\u202e'],
  ['an isolate', '\u2066'],
  ['a space without width', '\u200b'],
  ['a joiner', '\u200d'],
  ['a mark of the byte order', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a tag', '\u{e0041}'],
  ['a filler', '\u3164'],
  ['half a pair', '\ud800'],
  ['a selector of variations', '\ufe0f'],
  ['what is no character', '\uffff'],
]) {
  test(`${what} is not shown`, () => assert.equal(oneLine(`we${character}b`), 'we b'));
}

test('letters of every language are shown as they are', () => {
  for (const text of ['größer', 'данные', 'データ', 'ข้อมูล', '数据', 'e\u0301', '💾']) assert.equal(oneLine(text), text);
});

const TEXT = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());

test('whatever is shown is one line of what can be seen, and no longer than it may be', () => {
  fc.assert(
    fc.property(TEXT, fc.integer({ min: 3, max: 60 }), (text, most) => {
      const line = shown(text, most);
      assert.doesNotMatch(line, /[\p{C}\p{Zl}\p{Zp}]/u);
      assert.ok(Buffer.byteLength(line) <= most);
      assert.equal(bytesIn(line), Buffer.byteLength(line));
      if (Buffer.byteLength(text) <= most) assert.equal(line, oneLine(text));
    }),
  );
});

test('what was cut ends in an ellipsis', () => {
  assert.equal(shown('abcdefgh', 6), 'abc…');
  assert.equal(shown('abcdef', 6), 'abcdef');
  assert.equal(shown('ääää', 7), 'ää…');
  assert.equal(shown('💾💾', 7), '💾…');
});

test('a list holds what has room, and counts the rest', () => {
  const texts = Array.from({ length: 100 }, (_, n) => `text ${n}`);
  const lines = listed(texts, 100);
  assert.ok(lines.join('').length <= 100);
  assert.deepEqual(lines.slice(0, 2), ['text 0', 'text 1']);
  assert.equal(lines.at(-1), `… and ${100 - (lines.length - 1)} more`);
  assert.deepEqual(listed(['a', 'b'], 100), ['a', 'b']);
  assert.deepEqual(listed([], 100), []);
});

test('the first of a list has a place, whatever its length', () => {
  assert.deepEqual(listed(['a'.repeat(200), 'b'], 100), ['a'.repeat(200), '… and 1 more']);
});
