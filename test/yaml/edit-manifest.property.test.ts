import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Document, isCollection, parseAllDocuments } from 'yaml';
import { podAffinityPatch } from '../../src/mutations/pod-affinity.ts';
import { recreatePatch } from '../../src/mutations/recreate.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { editManifest, type ManifestPlace } from '../../src/yaml/edit/edit.ts';
import { parseManifests } from '../../src/yaml/read-manifests.ts';
import { applied } from '../mutations/applied.ts';

const RUNS = 300;

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** In the order in which the fields are drawn, and without those that are left out. */
const shuffled = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>, always: readonly string[]) =>
  fc
    .shuffledSubarray(Object.keys(fields), { minLength: always.length })
    .map((keys) => [...keys, ...always.filter((key) => !keys.includes(key))])
    .chain((keys) =>
      fc
        .tuple(...keys.map((key) => fields[key] ?? fc.constant(null)).map((value) => value))
        .map((values) => Object.fromEntries(keys.map((key, index) => [key, values[index]]))),
    );

const anyText = fc.constantFrom(
  'web',
  '1.0',
  'yes',
  '',
  '# no comment',
  'a: b',
  "it's",
  'two\nlines\n',
  'kept\n\n',
  ' x ',
);
const anyLabels = fc.dictionary(fc.constantFrom('app', 'app.kubernetes.io/name', 'on'), anyText, {
  minKeys: 1,
  noNullPrototype: true,
});
const anyTerm = fc.record({ labelSelector: fc.record({ matchLabels: anyLabels }), topologyKey: anyText });
const anyAffinity = shuffled(
  {
    nodeAffinity: fc.constantFrom({}, null),
    podAffinity: fc.oneof(
      fc.constantFrom({}, null),
      fc.record({ [REQUIRED]: fc.oneof(fc.constant(null), fc.array(anyTerm)) }),
    ),
  },
  [],
);
const anyPodSpec = shuffled(
  {
    affinity: fc.oneof(fc.constant(null), anyAffinity),
    containers: fc.constant([{ name: 'a', args: ['x\ny\n', '-v'] }]),
    volumes: fc.constant([]),
  },
  [],
);
const anyStrategy = fc.constantFrom(
  null,
  {},
  { type: 'RollingUpdate' },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
  { rollingUpdate: null, type: 'Recreate' },
);
const anySpec = shuffled(
  {
    replicas: fc.nat(3),
    paused: fc.constant(null),
    selector: fc.record({ matchLabels: anyLabels }),
    strategy: anyStrategy,
    template: fc.record({ metadata: fc.record({ labels: anyLabels }), spec: anyPodSpec }),
  },
  ['selector', 'template'],
);
const anyDeployment: fc.Arbitrary<JsonObject> = anySpec.map((spec) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec,
}));

const PATHS = [
  '',
  'spec',
  'spec.strategy',
  'spec.template.spec',
  'spec.template.spec.affinity',
  'spec.template.spec.containers',
];

interface Style {
  readonly json: number | undefined;
  readonly indent: number;
  readonly indentSeq: boolean;
  readonly quotes: 'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE';
  readonly flow: readonly string[];
  readonly padded: boolean;
  readonly remarks: readonly number[];
}

const anyStyle: fc.Arbitrary<Style> = fc.record({
  json: fc.option(fc.constantFrom(0, 2, 4), { nil: undefined, freq: 4 }),
  indent: fc.constantFrom(2, 4, 3),
  indentSeq: fc.boolean(),
  quotes: fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE'),
  flow: fc.subarray(PATHS, { maxLength: 2 }),
  padded: fc.boolean(),
  remarks: fc.array(fc.nat(6), { maxLength: 40 }),
});

function printed(object: JsonObject, { json, indent, indentSeq, quotes, flow, padded, remarks }: Style): string {
  if (json !== undefined) return `${JSON.stringify(object, null, json)}\n`;
  const document = new Document(object, { aliasDuplicateObjects: false });
  for (const path of flow) {
    const node = path === '' ? document.contents : document.getIn(path.split('.'), true);
    if (isCollection(node)) node.flow = true;
  }
  const options = { indent, indentSeq, lineWidth: 0, flowCollectionPadding: padded } as const;
  return remarked(document.toString({ ...options, defaultStringType: quotes, defaultKeyType: 'PLAIN' }), remarks);
}

/** Comments and blank lines among the lines, as people write them. Inside of texts they are text, which does no harm. */
function remarked(text: string, remarks: readonly number[]): string {
  const lines = text.split('\n').flatMap((line, index) => {
    const indent = /^ */.exec(line)?.[0];
    const remark = [
      [line],
      [line],
      [line],
      ['', line],
      [`${indent}# ${index}`, line],
      [`# ${index}`, line],
      [`${line} # ${index}`],
    ];
    return (line === '' ? undefined : remark[remarks[index] ?? 0]) ?? [line];
  });
  return lines.join('\n');
}

interface Surroundings extends ManifestPlace {
  readonly text: (object: string) => string;
}

/** What else may stand in a text. */
const SURROUNDINGS: readonly Surroundings[] = [
  { document: 0, text: (object) => object },
  { document: 0, text: (object) => object.trimEnd() },
  { document: 1, text: (object) => `# Source: a/b.yaml\na: 1\n---\n# Source: a/c.yaml\n${object}---\nb: {broken\n` },
  { document: 0, text: (object) => `---\n${object}...\n---\n# nothing\n---\nb: &x [1]\nc: *x\n` },
  { document: 0, text: (object) => `\uFEFF${object}` },
  {
    document: 0,
    item: 1,
    text: (object) => `kind: List\napiVersion: v1\nitems:\n- {kind: A, apiVersion: v1}\n${element(object)}`,
  },
];

function element(object: string): string {
  return object
    .split('\n')
    .map((line, index) => (index === 0 ? `- ${line}` : line && `  ${line}`))
    .join('\n');
}

const anyWrittenIn = (anyStyleOfIt: fc.Arbitrary<Style>) =>
  fc
    .record({
      object: anyDeployment,
      style: anyStyleOfIt,
      surroundings: fc.constantFrom(...SURROUNDINGS),
      windows: fc.boolean(),
    })
    .map(({ object, style, surroundings: { text: surrounded, ...place }, windows }) => {
      const text = surrounded(printed(object, style));
      return { text: windows ? text.replaceAll('\n', '\r\n') : text, place };
    })
    // A comment inside of a text may end it, or stand further to the left than YAML allows.
    .filter(({ text, place }) => parseAllDocuments(text)[place.document]?.errors.length === 0);

const anyWritten = anyWrittenIn(anyStyle);

/** The fields of its spec have lines of their own. */
const anyWrittenInLines = anyWrittenIn(
  anyStyle.map((style) => ({ ...style, json: undefined, flow: style.flow.filter((path) => path.includes('.')) })),
);

const PATCHES = { 'spec.strategy': recreatePatch, 'spec.template.spec.affinity': podAffinityPatch };

function objectsIn(text: string): readonly JsonObject[] {
  return parseManifests(text, '').manifests.map(({ object }) => object);
}

function deploymentIn(text: string): JsonObject {
  return objectsIn(text).find(({ kind }) => kind === 'Deployment') ?? assert.fail(text);
}

for (const [field, patchOf] of Object.entries(PATCHES)) {
  test(`however a Deployment is written, an edit of ${field} gives the patched object, once and for all`, () => {
    fc.assert(
      fc.property(anyWritten, ({ text, place }) => {
        const patch = patchOf(deploymentIn(text));
        const edited = editManifest(text, place, patch);
        assert.ok('text' in edited, JSON.stringify(edited));
        assert.deepEqual(deploymentIn(edited.text), applied(deploymentIn(text), patch));
        assert.deepEqual(editManifest(edited.text, place, patch), edited);
      }),
      { numRuns: RUNS },
    );
  });
}

test('lines that are not of the strategy stay, byte by byte', () => {
  fc.assert(
    fc.property(anyWrittenInLines, ({ text, place }) => {
      const edited = editManifest(text, place, recreatePatch(deploymentIn(text)));
      assert.ok('text' in edited);
      assert.deepEqual(linesWithoutStrategy(edited.text), linesWithoutStrategy(text));
    }),
    { numRuns: RUNS },
  );
});

/** All lines but that of the name and those that stand further to the right below it. */
function linesWithoutStrategy(text: string): readonly string[] {
  const lines = text.replace(/\r?\n$/, '').split(/(?<=\n)/);
  const first = lines.findIndex((line) => /^ +strategy:/.test(line));
  if (first === -1) return lines.map(withoutLineEnd);
  const isRight = (line: string) => indentOf(line) > indentOf(lines[first] ?? '');
  const rest = lines.slice(first + 1);
  const next = rest.findIndex((line) => !/^\s*(#.*)?\s*$/.test(line) && !isRight(line));
  const inside = rest
    .slice(0, next === -1 ? rest.length : next)
    .findLastIndex((line) => line.trim() !== '' && isRight(line));
  return lines.toSpliced(first, inside + 2).map(withoutLineEnd);
}

function withoutLineEnd(line: string, index: number, { length }: readonly string[]): string {
  return index === length - 1 ? line.trimEnd() : line;
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

test('a field that is new leaves every byte that was there', () => {
  fc.assert(
    fc.property(anyWritten, ({ text, place }) => {
      fc.pre(!text.includes('strategy'));
      const edited = editManifest(text, place, recreatePatch(deploymentIn(text)));
      assert.ok('text' in edited);
      const same = [...text].findIndex((character, index) => edited.text[index] !== character);
      const at = same === -1 ? text.length : same;
      const added = edited.text.length - text.length;
      assert.equal(edited.text.slice(0, at) + edited.text.slice(at + added), text);
    }),
    { numRuns: RUNS },
  );
});
