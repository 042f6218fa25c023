import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exactManifests, parseManifests, readManifests } from '../../src/yaml/read-manifests.ts';

const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

test('each document is an object with the line on which it begins', () => {
  const text = '# nodes\n---\n\napiVersion: v1\nkind: Node\n---\n---\napiVersion: v1\nkind: Namespace\n';
  const { manifests, unreadable } = parseManifests(text, 'a.yaml');
  assert.deepEqual(
    manifests.map(({ file, line, object }) => ({ file, line, object })),
    [
      { file: 'a.yaml', line: 4, object: { apiVersion: 'v1', kind: 'Node' } },
      { file: 'a.yaml', line: 8, object: { apiVersion: 'v1', kind: 'Namespace' } },
    ],
  );
  assert.deepEqual(unreadable, []);
});

test('the items of a List are objects with lines of their own', () => {
  const text =
    'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node}\n- apiVersion: v1\n  kind: Namespace\n';
  assert.deepEqual(
    parseManifests(text, 'a.yaml').manifests.map(({ line, object }) => [line, object.kind]),
    [
      [4, 'Node'],
      [5, 'Namespace'],
    ],
  );
});

test('items of a list of one kind take their kind from it', () => {
  const list = { apiVersion: 'apps/v1', kind: 'DeploymentList', items: [{ metadata: { name: 'web' } }] };
  const [manifest] = parseManifests(JSON.stringify(list), 'a.json').manifests;
  assert.deepEqual(manifest?.object, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } });
});

test('JSON is read as what it is, indented with tabs too', () => {
  const { manifests } = parseManifests(JSON.stringify(node('a'), null, '\t'), 'a.json');
  assert.deepEqual(
    manifests.map(({ line, object }) => ({ line, object })),
    [{ line: 1, object: node('a') }],
  );
});

test('the items of a JSON list have the lines on which they begin', () => {
  const items = [
    { ...node('a'), note: '"items": [{' },
    { ...node('b'), items: [{}] },
  ];
  const list = { apiVersion: 'v1', kind: 'List', metadata: { items: [{}] }, items };
  const { manifests } = parseManifests(`\n${JSON.stringify(list, null, 2)}`, 'a.json');
  assert.deepEqual(
    manifests.map(({ line, object }) => [line, object.note]),
    [
      [11, '"items": [{'],
      [19, undefined],
    ],
  );
});

test('JSON objects one after the other are read, each with its place', () => {
  const text = `\n ${JSON.stringify(node('a'))}{"apiVersion":"v1","kind":"Node",\n  "metadata":{"name":"}{"}}\n${JSON.stringify(node('c'))}\n`;
  const { manifests, unreadable } = parseManifests(text, 'a.json');
  assert.deepEqual(
    manifests.map(({ line, document, object, positions }) => [
      line,
      document,
      object.metadata,
      positions('metadata.name'),
    ]),
    [
      [2, 0, { name: 'a' }, { line: 2, column: 47 }],
      [2, 1, { name: '}{' }, { line: 3, column: 15 }],
      [4, 2, { name: 'c' }, { line: 4, column: 46 }],
    ],
  );
  assert.deepEqual(unreadable, []);
});

for (const { name, text, lines } of [
  { name: 'a comma between them', text: '{"kind":"Node"},{"kind":"Node"}', lines: [1] },
  { name: 'a text after them', text: '{"kind":"Node"}{"kind":"Node"} x', lines: [1] },
  { name: 'one of them cut off', text: '{"kind":"Node"}{"kind":"Node"', lines: [1] },
  { name: 'one that is no JSON', text: '{"apiVersion":"v1","kind":"Node"}\n{"kind":"Node",}', lines: [2] },
]) {
  test(`JSON objects with ${name} are unreadable from there on`, () => {
    const { unreadable } = parseManifests(text, 'a.json');
    assert.deepEqual(
      unreadable.map(({ line }) => line),
      lines,
    );
  });
}

for (const { name, bytes } of [
  { name: 'little-endian with a byte order mark', bytes: Buffer.from('\uFEFFapiVersion: v1\n', 'utf16le') },
  { name: 'big-endian with a byte order mark', bytes: Buffer.from('\uFEFFapiVersion: v1\n', 'utf16le').swap16() },
  { name: 'little-endian', bytes: Buffer.from('{}', 'utf16le') },
  { name: 'big-endian', bytes: Buffer.from('{}', 'utf16le').swap16() },
  { name: 'as its first character looks', bytes: Buffer.from('\0on\n---\napiVersion: v1\nkind: Node\n') },
]) {
  test(`UTF-16, ${name}, is unreadable and told as what it is`, () => {
    for (const read of [parseManifests, exactManifests]) {
      const { manifests, unreadable } = read(bytes.toString('utf8'), 'a.yaml');
      assert.deepEqual(manifests, []);
      assert.deepEqual(unreadable, [{ file: 'a.yaml', line: 1, because: 'this is UTF-16: save it as UTF-8' }]);
    }
  });
}

test('YAML that begins like JSON is read as YAML', () => {
  const { manifests, unreadable } = parseManifests('{apiVersion: v1, kind: Node}\n---\n{a: ]\n', 'a.yaml');
  assert.deepEqual([manifests.length, unreadable.length], [1, 1]);
});

test('a document that is no YAML is told with its line, and the others are used', () => {
  const text = 'apiVersion: v1\nkind: Node\n---\na: [\n---\napiVersion: v1\nkind: Namespace\n';
  const { manifests, unreadable } = parseManifests(text, 'a.yaml');
  assert.deepEqual(
    manifests.map(({ line }) => line),
    [1, 6],
  );
  assert.deepEqual(
    unreadable.map(({ file, line }) => [file, line]),
    [['a.yaml', 5]],
  );
});

test('of a key that stands twice the last one counts, with its line and all that is below it', () => {
  const text = 'apiVersion: v1\nkind: Node\nkind: Pod\nspec: { strategy: {} }\n"spec": { replicas: 1 }\n';
  const { manifests, repeatedKeys } = parseManifests(text, 'a.yaml');
  assert.deepEqual(
    repeatedKeys.map(({ key, line }) => [key, line]),
    [
      ['kind', 3],
      ['"spec"', 5],
    ],
  );
  const [pod] = manifests;
  assert.deepEqual(pod?.object, { apiVersion: 'v1', kind: 'Pod', spec: { replicas: 1 } });
  assert.deepEqual([pod.positions('spec')?.line, pod.positions('spec.strategy')], [5, undefined]);
});

for (const { name, text } of [
  { name: 'a List with an item that is no object', text: 'apiVersion: v1\nkind: List\nitems: [3]\n' },
  { name: 'a billion laughs', text: laughs() },
  { name: 'JSON that is cut off', text: '{"apiVersion":"v1","kind":"Node"' },
  { name: 'nesting that no parser survives', text: '['.repeat(100_000) },
]) {
  test(`${name} is unreadable`, () => {
    const { manifests, unreadable } = parseManifests(text, 'a.yaml');
    assert.deepEqual([manifests.length, unreadable.length], [0, 1]);
  });
}

for (const { name, text } of [
  { name: 'an object without a kind', text: 'replicas: 3\n' },
  { name: 'a text', text: 'hello\n' },
  { name: 'a list of nothing in particular', text: '- a\n' },
]) {
  test(`${name} can be read and is no Kubernetes object`, () => {
    const { manifests, unreadable, foreign } = parseManifests(text, 'a.yaml');
    assert.deepEqual([manifests.length, unreadable.length, foreign.length], [0, 0, 1]);
  });
}

test('anchors and merge keys are resolved', () => {
  const text = 'apiVersion: v1\nkind: Node\nbase: &base {a: 1}\nspec: {<<: *base, b: 2}\n';
  assert.deepEqual(parseManifests(text, 'a.yaml').manifests[0]?.object.spec, { a: 1, b: 2 });
});

for (const { name, read } of [
  { name: 'quick', read: parseManifests },
  { name: 'exact', read: exactManifests },
]) {
  test(`what YAML 1.1 takes for a boolean is one in the ${name} reading, also as a key, and in quotes it is a text`, () => {
    const text = `apiVersion: v1
kind: Node
yes: [y, Y, yes, Yes, YES, on, On, ON, true, True, TRUE]
off: {a: n, b: N, c: no, d: No, e: NO, f: off, g: Off, h: OFF, i: false}
texts: ["y", 'no', yEs, oN, yes sir]
lines: |-
  on
`;
    assert.deepEqual(read(text, 'a.yaml').manifests[0]?.object, {
      ...{ apiVersion: 'v1', kind: 'Node', true: Array(11).fill(true) },
      false: Object.fromEntries([...'abcdefghi'].map((key) => [key, false])),
      ...{ texts: ['y', 'no', 'yEs', 'oN', 'yes sir'], lines: 'on' },
    });
  });
}

test('a tag says what a word of YAML 1.1 is', () => {
  const { manifests } = parseManifests('apiVersion: v1\nkind: Node\nspec: [!!str on, !!bool off]\n', 'a.yaml');
  assert.deepEqual(manifests[0]?.object.spec, ['on', false]);
});

test('JSON has booleans of its own and no others', () => {
  const { manifests } = parseManifests(JSON.stringify({ ...node('a'), spec: 'on' }), 'a.json');
  assert.equal(manifests[0]?.object.spec, 'on');
});

test('a key named __proto__ is a key like any other', () => {
  const object = parseManifests('apiVersion: v1\nkind: Node\n__proto__: {x: 1}\n', 'a.yaml').manifests[0]?.object ?? {};
  assert.ok(Object.hasOwn(object, '__proto__'));
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
});

test('a folder is read to its last file, in the order of names, without .git and hidden files', async (t) => {
  const folder = await folderOf(t, {
    'b.yaml': JSON.stringify(node('b')),
    'a/z.json': JSON.stringify(node('z')),
    'c.yml': JSON.stringify(node('c')),
    '.git/d.yaml': JSON.stringify(node('d')),
    '.k8s/e.yaml': JSON.stringify(node('e')),
    '.f.yaml': JSON.stringify(node('f')),
    'README.md': 'hello',
  });
  const { manifests, unreadable } = await readManifests(folder);
  assert.deepEqual(
    manifests.map(({ file }) => file),
    ['.k8s/e.yaml', 'a/z.json', 'b.yaml', 'c.yml'].map((name) => join(folder, name)),
  );
  assert.deepEqual(unreadable, []);
});

test('a mounted ConfigMap is read once, through its links', async (t) => {
  const folder = await folderOf(t, { '..2026/nodes.yaml': JSON.stringify(node('a')) });
  await symlink('..2026', join(folder, '..data'));
  await symlink('..data/nodes.yaml', join(folder, 'nodes.yaml'));
  assert.equal((await readManifests(folder)).manifests.length, 1);
});

test('a link that leads nowhere is told, and the other files are used', async (t) => {
  const folder = await folderOf(t, { 'a.yaml': JSON.stringify(node('a')) });
  await symlink('gone.yaml', join(folder, 'b.yaml'));
  const { manifests, unreadable } = await readManifests(folder);
  assert.equal(manifests.length, 1);
  assert.equal(unreadable[0]?.because, 'a link that leads nowhere');
});

test('a file is read whatever its name ends in', async (t) => {
  const folder = await folderOf(t, { state: JSON.stringify(node('a')) });
  assert.equal((await readManifests(join(folder, 'state'))).manifests.length, 1);
});

test('a path that is not there is an error', async () => {
  await assert.rejects(readManifests('/nowhere'), { code: 'ENOENT' });
});

async function folderOf(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** Ten aliases of ten aliases of …: 10^8 words from a few lines. */
function laughs(): string {
  const levels = Array.from({ length: 8 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(', ')}]`);
  return `apiVersion: v1\nkind: Node\nl0: &l0 lol\n${levels.join('\n')}\n`;
}
