import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deepened } from '../../src/yaml/deepened.ts';
import { exactManifests, parseManifests } from '../../src/yaml/read-manifests.ts';

/** What kubectl's decoder (sigs.k8s.io/yaml 1.6.0 below k8s.io/apimachinery 0.36.3) made of each text, below `spec`. */
const READ_BY_KUBECTL: readonly (readonly [name: string, spec: string, value: unknown])[] = [
  ['a single-quoted text at its key', "  a: 'one\n  two\n\n  three'\n", { a: 'one two\nthree' }],
  ['a single-quoted text left of its key', "  a: 'it''s\n one\n'\n", { a: "it's one " }],
  ['a double-quoted text at its key', '  a: "one\n  \\"two\\"\n  thr\\\n  ee"\n', { a: 'one "two" three' }],
  ['a quoted text below its key', "  a:\n    'one\n  two'\n", { a: 'one two' }],
  ['a list in brackets at its key', '  a: [one,\n  two,\n  three\n  ]\n', { a: ['one', 'two', 'three'] }],
  ['braces left of their key', '  a: {b: 1,\n c: {d: [2,\n3]}}\n', { a: { b: 1, c: { d: [2, 3] } } }],
  ['a quoted text in braces', '  a: {b: "one\n  two", c: it\'s}\n', { a: { b: 'one two', c: "it's" } }],
  ['JSON in braces', '  a: {"b":"x",\n  "c":[\n  ]}\n', { a: { b: 'x', c: [] } }],
  ['a comment in braces', '  a: {b: 1, # it\'s "\n  c: 2}\n', { a: { b: 1, c: 2 } }],
  ['an element at its dash', "  - 'one\n  two'\n  - x: [1,\n  2]\n", ['one two', { x: [1, 2] }]],
  ['a quoted key', '  "a": "one\n  two"\n  "b c": d\n', { a: 'one two', 'b c': 'd' }],
  ['an anchor before it', "  a: &x 'one\n  two'\n  b: *x\n", { a: 'one two', b: 'one two' }],
  [
    'quotes that are none',
    "  a: it's\n    'one\n    two\n  b: 'c\n  d'\n  e: |\n    'f\n  g: >-\n    \"h\n  i: x # 'y\n",
    { a: "it's 'one two", b: 'c d', e: "'f\n", g: '"h', i: 'x' },
  ],
];

for (const [name, written, spec] of READ_BY_KUBECTL) {
  test(`${name} is read as kubectl reads it, quickly and exactly, with Windows line ends too`, () => {
    const unix = `apiVersion: v1\nkind: Web\nspec:\n${written}last: 1\n---\napiVersion: v1\nkind: Node\n`;
    for (const text of [unix, unix.replaceAll('\n', '\r\n')]) {
      for (const read of [parseManifests, exactManifests]) {
        const { manifests, unreadable } = read(text, 'a.yaml');
        assert.deepEqual(
          manifests.map(({ object }) => object),
          [
            { apiVersion: 'v1', kind: 'Web', spec, last: 1 },
            { apiVersion: 'v1', kind: 'Node' },
          ],
        );
        assert.deepEqual(unreadable, []);
        assert.equal(manifests[1]?.line, unix.split('\n').indexOf('---') + 2);
      }
    }
  });
}

test('what no parser reads stays unreadable where it is, and what stands before and after it is read', () => {
  const texts = ["a: 'one\nb: it's\n---\n", 'a: [one\n---\n', 'a: b: c\n---\n'];
  for (const text of texts) {
    const { manifests, unreadable } = parseManifests(
      `apiVersion: v1\nkind: Node\n---\n${text}apiVersion: v1\nkind: Pod\n`,
      'a.yaml',
    );
    assert.deepEqual(
      manifests.map(({ object }) => object.kind),
      ['Node', 'Pod'],
    );
    assert.equal(unreadable.length, 1);
  }
});

test('no line is lost or added, and nothing but spaces at the beginning of lines', () => {
  const piece = fc.constantFrom(
    ...['\n', '\n  ', '\n- ', ' ', '\t', '\r\n', 'a', 'a: ', '- ', '? ', "'", '"', '\\', '[', ']', '{', '}', ',', ':'],
    ...['#', ' #', '|', '>-', '&a ', '*a', '!x', '%', '---', '...', "''", 'é'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      const text = pieces.join('');
      const before = text.split('\n');
      for (const [nth, line] of deepened(text).split('\n').entries()) {
        const was = before[nth] ?? assert.fail('a line was added');
        assert.ok(line.endsWith(was) && line.slice(0, line.length - was.length).trim() === '');
      }
      assert.equal(deepened(text).split('\n').length, before.length);
    }),
    { numRuns: 2_000 },
  );
});
