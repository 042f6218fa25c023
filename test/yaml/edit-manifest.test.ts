import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editManifest, type ManifestPlace } from '../../src/yaml/edit/edit.ts';

const RECREATE = { op: 'add', path: '/spec/strategy', value: { type: 'Recreate' } } as const;
const TERM = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web', on: '1.0' } } };
const AFFINITY = {
  op: 'add',
  path: '/spec/template/spec/affinity',
  value: { podAffinity: { required: [TERM] } },
} as const;
const FIRST: ManifestPlace = { document: 0 };

function edited(text: string, place = FIRST, ...patch: Parameters<typeof editManifest>[2]): string {
  const result = editManifest(text, place, patch);
  return 'text' in result ? result.text : assert.fail(result.problem.because);
}

/** What is written, and what it is with `strategy: {type: Recreate}`. */
const styles: Readonly<Record<string, readonly [string, string]>> = {
  'a new strategy stands before the template and what is said about it': [
    'spec:\n  replicas: 1 # one\n    # of them\n\n  # The pods.\n  template: {}\n',
    'spec:\n  replicas: 1 # one\n    # of them\n  strategy:\n    type: Recreate\n\n  # The pods.\n  template: {}\n',
  ],
  'a new strategy goes first where the template is': [
    'spec:\n    # The pods.\n    template: {}\n    replicas: 1\n',
    'spec:\n    # The pods.\n    strategy:\n        type: Recreate\n    template: {}\n    replicas: 1\n',
  ],
  'a comment inside the old strategy goes with it, and those around it stay': [
    'spec:\n  # Before.\n  strategy: # here\n    type: RollingUpdate # old\n\n    # inside\n  # After.\n  template: {}\n',
    'spec:\n  # Before.\n  strategy: # here\n    type: Recreate\n  # After.\n  template: {}\n',
  ],
  'a strategy in braces stays in braces': [
    'spec:\n  strategy: { "type": "RollingUpdate", "rollingUpdate": {} } # old\n',
    'spec:\n  strategy: { "type": "Recreate" } # old\n',
  ],
  'an empty strategy is filled': [
    'spec:\n  strategy: {} # none\n  template:\n',
    'spec:\n  strategy: # none\n    type: Recreate\n  template:\n',
  ],
  'a strategy without a value keeps the comments below it': [
    'spec:\n  strategy:\n    # type: Recreate\n  template:\n',
    'spec:\n  strategy:\n    type: Recreate\n    # type: Recreate\n  template:\n',
  ],
  'Windows line ends, a byte order mark and a missing last line end stay': [
    '\uFEFFspec:\r\n  replicas: 1',
    '\uFEFFspec:\r\n  replicas: 1\r\n  strategy:\r\n    type: Recreate',
  ],
  'a text that keeps its blank lines keeps them': [
    'spec:\n  a: |+\n    text\n\n  template:\n',
    'spec:\n  a: |+\n    text\n\n  strategy:\n    type: Recreate\n  template:\n',
  ],
  'JSON in one line stays in one line': [
    '{"spec":{"replicas":1,"template":{}}}',
    '{"spec":{"replicas":1,"strategy":{"type":"Recreate"},"template":{}}}',
  ],
  'JSON with tabs stays so': [
    '{\n\t"spec": {\n\t\t"replicas": 1\n\t}\n}\n',
    '{\n\t"spec": {\n\t\t"replicas": 1,\n\t\t"strategy": {\n\t\t\t"type": "Recreate"\n\t\t}\n\t}\n}\n',
  ],
  'braces of YAML need no quotes': ['spec: {template: {}}\n', 'spec: {strategy: {type: Recreate}, template: {}}\n'],
  'an alias is replaced, and what it stands for stays': [
    'a: &rolling {type: RollingUpdate}\nspec:\n  strategy: *rolling # shared\n',
    'a: &rolling {type: RollingUpdate}\nspec:\n  strategy: # shared\n    type: Recreate\n',
  ],
  'a strategy that a merge key brings is overruled': [
    'a: &a {strategy: {type: RollingUpdate}}\nspec:\n  <<: *a\n  template: {}\n',
    'a: &a {strategy: {type: RollingUpdate}}\nspec:\n  <<: *a\n  strategy:\n    type: Recreate\n  template: {}\n',
  ],
};

for (const [sentence, [before, after]] of Object.entries(styles)) {
  test(sentence, () => assert.equal(edited(before, FIRST, RECREATE), after));
}

test('an affinity stands before the containers, with dashes where the file has them', () => {
  assert.equal(
    edited('spec:\n  template:\n    spec:\n      containers:\n      - name: a\n', FIRST, AFFINITY),
    `spec:
  template:
    spec:
      affinity:
        podAffinity:
          required:
          - topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                app: web
                "on": "1.0"
      containers:
      - name: a
`,
  );
});

test('a term is added after those that are there, which stay as they are written', () => {
  const add = { op: 'add', path: '/spec/terms', value: [{ a: 1 }, { b: 2 }] } as const;
  assert.equal(
    edited('spec:\n  terms:\n    - "a": 1 # first\n  more: 1\n', FIRST, add),
    'spec:\n  terms:\n    - "a": 1 # first\n    - b: 2\n  more: 1\n',
  );
  assert.equal(edited('spec:\n  terms: [ { a: 1 } ]\n', FIRST, add), 'spec:\n  terms: [ { a: 1 }, {b: 2} ]\n');
});

test('one object of many is edited: a document, and an item of a List', () => {
  const text = '# Source: a.yaml\nspec: {a: 1}\n---\n# Source: b.yaml\nitems:\n- spec:\n    a: 1\n- spec:\n    a: 2\n';
  assert.equal(
    edited(text, { document: 1, item: 0 }, RECREATE),
    text.replace('    a: 1\n', '    a: 1\n    strategy:\n      type: Recreate\n'),
  );
  assert.equal(edited(text, { document: 0 }, RECREATE), text.replace('{a: 1}', '{a: 1, strategy: {type: Recreate}}'));
});

test('what is so already is left as it is written', () => {
  const text = 'spec:\n  strategy:  { type:   "Recreate" }\n';
  assert.equal(edited(text, FIRST, RECREATE), text);
});

/** What cannot be edited, and why. */
const refused: Readonly<Record<string, readonly [string, string, string]>> = {
  'a template that is an alias': [
    'a: &pods {spec: {}}\nspec:\n  template: *pods\n',
    'alias',
    'spec.template is *pods, which would change wherever it is used',
  ],
  'a template that others use': [
    'spec:\n  template: &pods\n    spec: {}\na: *pods\n',
    'anchor',
    'spec.template holds the anchor &pods, which is used at other places',
  ],
  'an affinity with a part that others use': [
    'spec:\n  template:\n    spec:\n      affinity: {a: &all {}}\n      b: *all\n',
    'anchor',
    'spec.template.spec.affinity holds the anchor &all, which is used at other places',
  ],
  'a template from a merge key': [
    'a: &a {template: {spec: {}}}\nspec:\n  <<: *a\n',
    'merge-key',
    'spec.template comes from a merge key (<<), so that others share it',
  ],
  'a field in braces that has not even a colon': [
    'spec: {template: {spec: {affinity}}}\n',
    'unsafe',
    'the text is written in a way that does not let spec.template.spec.affinity be changed alone',
  ],
  'a document with a key twice': ['spec: { a: 1 }\nspec: { b: 1 }\n', 'repeated-key', 'a key stands twice'],
  'JSON objects one after the other': ['{"spec": {}}\n{"spec": {}}', 'unsafe', 'its file holds several JSON objects'],
  'a JSON document with a key twice': ['{"spec": {}, "spec": {}}', 'repeated-key', 'a key stands twice'],
  'a document with a quoted text that goes on left of its key, which kubectl reads': [
    "spec:\n  a: 'two\n\n# 9\n    lines'\n  template: {}\n",
    'unsafe',
    'a value in its file goes on further to the left than YAML allows',
  ],
  'a document that cannot be read': ['spec: {', 'unreadable', 'the document cannot be read'],
};

for (const [name, [text, code, because]] of Object.entries(refused)) {
  test(`${name} is left alone, with the reason and what to do by hand`, () => {
    const result = editManifest(text, FIRST, [AFFINITY]);
    assert.ok('problem' in result);
    assert.equal(result.problem.code, code);
    assert.ok(result.problem.because.startsWith(because), result.problem.because);
    assert.equal(result.problem.byHand, `set spec.template.spec.affinity to ${JSON.stringify(AFFINITY.value)} by hand`);
  });
}
