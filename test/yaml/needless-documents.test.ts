import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { notJudged } from '../../src/lint/not-judged.ts';
import { readObject } from '../../src/objects/read-object.ts';
import { NEEDLESS_KINDS, withoutNeedless } from '../../src/yaml/needless-documents.ts';
import { exactManifests, type Manifest, parseManifests } from '../../src/yaml/read-manifests.ts';

const DEFINITION = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: a\n';
const NODE = 'apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n';

test('of a document that nobody needs its identity is left, each on its line', () => {
  const text = `# of all\n${DEFINITION}spec:\n- {}\n---\n${NODE}`;
  assert.equal(
    withoutNeedless(text),
    `\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\n\n\n\n---\n${NODE}`,
  );
});

for (const text of [
  '--- # first\napiVersion: v1\nkind: Service\ndata: {}\n',
  'data:\n  kind: Deployment\n  text: |\n    kind: List\n# of all\nkind: "Service" # late\napiVersion: \'v1\'\n',
  'apiVersion: v1\r\nkind: Role\r\ndata:\r\n  a: b\r\n',
  'apiVersion: v1\nkind: Service\nspec:\n  a: "{not closed\n',
]) {
  test(`nothing is left of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(
      parseManifests(text, 'a').manifests.map(({ object }) => Object.keys(object).toSorted()),
      [['apiVersion', 'kind']],
    );
  });
}

for (const [what, text] of [
  ['a kind that somebody needs', NODE],
  ['a list', 'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n'],
  ['a kind at the beginning of a line of a string', 'apiVersion: v1\nkind: Node\nnote: "a\nkind: Service\nb"\n'],
  ['a kind that goes on', 'apiVersion: v1\nkind: Service\n  Monitor\n'],
  ['a kind that stands twice', 'apiVersion: v1\nkind: Service\nkind: Node\n'],
  ['a kind in quotes beside it', 'apiVersion: v1\nkind: Service\n"kind": Node\n'],
  ['a kind by a merge', 'apiVersion: v1\n<<: {kind: Node}\nkind: Service\n'],
  ['a kind without an API version', 'kind: Service\ndata: {}\n'],
  ['an anchor', 'apiVersion: v1\nkind: &kind Service\n'],
  ['a mapping that is indented', '  apiVersion: v1\n  kind: Node\n  note: "a\nkind: Service\napiVersion: v1"\n'],
  ['a mapping in braces', '{apiVersion: v1,\nkind: Service\n}\n'],
  ['a template', 'apiVersion: v1\nkind: Service\nmetadata:\n  {{ include "labels" . }}\n'],
  ['a hook', 'apiVersion: v1\nkind: Service\nmetadata:\n  annotations: {helm.sh/hook: test}\n'],
  ['a document after a directive', `%YAML 1.2\n---\n${DEFINITION}`],
  ['a document that ends early', `${DEFINITION}...\n${NODE}`],
  ['lines that end in a carriage return alone', `${DEFINITION}spec: |\n  a\rkind: Node\n`],
  ['a tab', 'apiVersion: v1\nkind: Service\n\tdata: {}\n'],
] as const) {
  test(`${what} is left to the parser`, () => assert.equal(withoutNeedless(text), text));
}

test('nobody reads an object of these kinds, in whichever API', () => {
  const groups = ['', 'apps', 'batch', 'autoscaling', 'storage.k8s.io', 'argoproj.io', 'keda.sh', 'extensions'];
  for (const kind of NEEDLESS_KINDS) {
    for (const apiVersion of groups.flatMap((group) => ['v1', 'v2', 'v1beta1'].map((v) => `${group}/${v}`))) {
      const object = { apiVersion: apiVersion.replace(/^\//, ''), kind, metadata: {}, spec: {} };
      assert.deepEqual([readObject(object), notJudged(object)], [undefined, undefined]);
    }
  }
});

/** What anybody looks at. */
function needed({ manifests }: { readonly manifests: readonly Manifest[] }) {
  const isNeedless = (kind: unknown): boolean => NEEDLESS_KINDS.some((needless) => needless === kind);
  return manifests.map(({ document, item, line, object: { apiVersion, kind, ...object } }) =>
    isNeedless(kind) ? { document, apiVersion, kind } : { document, item, line, apiVersion, kind, ...object },
  );
}

/** Lines that may stand anywhere, most of them where they change what is around them. */
const line = fc.oneof(
  fc.constantFrom('apiVersion: v1', 'kind: Service', 'kind: Node', 'kind: List', 'metadata:', '  name: a', 'items:'),
  fc.constantFrom('- apiVersion: v1', '  kind: Node', 'kind: "Role"', "apiVersion: 'v1' # one", 'kind: Node # Service'),
  fc.constantFrom('data: |', '  kind: Node', '   more', 'note: "a', 'b"', "text: 'c", "d'", '# kind: Node', '', ' '),
  fc.constantFrom('---', '--- # next', '--- {}', '---\r', 'kind: Service\r', 'spec: {', '}', 'kind: Service,', '...'),
  fc.constantFrom(
    '"kind": Node',
    '? kind',
    ': Node',
    '<<: *a',
    'a: &a',
    '  kind: Service',
    'kind: &b Service',
    '\tx',
    '%a',
  ),
  fc.constantFrom('list:', '- a', '- b: 1', '  - kind: Node', 'kind:', '  Service', 'kind : Node', 'a: {{ b }}'),
);

/** A document as people write it, in one of their ways. */
const written = fc
  .record({
    kind: fc.constantFrom('Service', 'Node', 'CustomResourceDefinition', 'Namespace', '"Role"', "'Node'"),
    fields: fc.shuffledSubarray([
      ...['metadata: {name: a}', 'metadata:\n  name: a', 'data: |\n  kind: Node\n\n  # no comment', '# a comment'],
      ...[
        'spec:\n- a\n- b: "c\n    d"',
        'rules: [a,\n  b]',
        'note: >-\n  apiVersion: v1\n  kind: List',
        'a: &a {}\nb: *a',
      ],
    ]),
    first: fc.boolean(),
    indent: fc.constantFrom('', '', '', '  '),
    end: fc.constantFrom('\n', '\n', '\r\n'),
  })
  .map(({ kind, fields, first, indent, end }) => {
    const identity = ['apiVersion: v1', `kind: ${kind}`];
    const all = first ? [...identity, ...fields] : [...fields, ...identity];
    return all
      .flatMap((field) => field.split('\n'))
      .map((part) => `${indent}${part}${end}`)
      .join('');
  });

test('of documents as people write them all is read that anybody needs', () => {
  fc.assert(
    fc.property(fc.array(written, { minLength: 1, maxLength: 4 }), (documents) => {
      const text = documents.join('---\n');
      const [found, exact] = [parseManifests(text, 'a'), exactManifests(text, 'a')];
      assert.deepEqual(needed(found), needed(exact));
      if (exact.unreadable.length === 0) assert.deepEqual(found.unreadable, []);
    }),
    { numRuns: 500 },
  );
});

test('of whatever lines nothing is lost that anybody needs', () => {
  const isNode = ({ kind }: { readonly kind: unknown }): boolean => kind === 'Node' || kind === 'Namespace';
  const lines = fc.array(line, { minLength: 2, maxLength: 14 });
  fc.assert(
    fc.property(lines, (some) => {
      const text = some.join('\n');
      const found = new Set(needed(parseManifests(text, 'a')).map((one) => JSON.stringify(one)));
      for (const one of needed(exactManifests(text, 'a')).filter(isNode)) {
        assert.ok(found.has(JSON.stringify(one)), JSON.stringify(one));
      }
    }),
    { numRuns: 1_500 },
  );
});
