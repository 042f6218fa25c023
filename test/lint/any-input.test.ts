import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { inputObjects } from '../../src/lint/input-objects.ts';
import { judged } from '../../src/lint/judge.ts';
import { reportOf } from '../../src/lint/report.ts';
import { githubOf } from '../../src/report/github.ts';
import { jsonOf } from '../../src/report/json.ts';
import type { Report } from '../../src/report/report.ts';
import { textOf } from '../../src/report/text.ts';
import { Ignores } from '../../src/rules/configured-ignores.ts';
import { exactManifests, type Manifests, parseManifests } from '../../src/yaml/read-manifests.ts';
import { FIXTURES } from '../fixtures.ts';

const matrix = storageMatrix();

function reportOn(text: string): Report {
  const { manifests, unreadable } = parseManifests(text, 'a.yaml');
  const objects = inputObjects(manifests);
  const assumptions = { attach: 'yes', accessMode: undefined, nodes: 'several' } as const;
  const ignores = new Ignores([], '2026-11-01');
  return reportOf({ objects, judged: judged(objects, { assumptions, matrix }), unreadable, notes: [], ignores });
}

/** The parser that is quick says what the exact one says, or leaves the text to it. */
function isReadAlike(text: string): void {
  const objectsOf = ({ manifests }: Manifests) => manifests.map(({ object }) => object);
  const [quick, exact] = [parseManifests(text, 'a.yaml'), exactManifests(text, 'a.yaml')];
  assert.deepEqual(objectsOf(quick), objectsOf(exact));
  assert.equal(quick.unreadable.length, exact.unreadable.length);
  for (const [nth, manifest] of quick.manifests.entries()) assert.equal(manifest.line, exact.manifests[nth]?.line);
}

/** Whatever was read, every format can print it, and every place is one that the text has. */
function isSound(text: string): void {
  const report = reportOn(text);
  const lines = text.split('\n').length;
  for (const { place } of [...report.findings, ...report.inconclusive]) {
    assert.ok(
      place !== undefined && place.line >= 1 && place.line <= lines && place.column >= 1,
      JSON.stringify(place),
    );
  }
  for (const { line } of report.unreadable) assert.ok(line >= 1 && line <= lines);
  assert.equal(JSON.parse(jsonOf(report)).findings.length, report.findings.length);
  assert.ok(textOf(report, { colour: true, marks: true, width: 80, fixes: true }).endsWith('\n'));
  assert.equal(typeof githubOf(report), 'string');
}

const FILES = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));

const fixtureText = fc.constantFrom(...FILES).map((name) => readFileSync(join(FIXTURES.pathname, name), 'utf8'));

/** What somebody may type in the middle of a manifest. */
const scrap = fc.oneof(
  fc.constantFrom(
    ...['\n', '\t', '  ', ': ', '- ', '{', '}', '[', ']', '&a ', '*a', '<<: *a', '"', "'", '|', '>', '---\n'],
  ),
  fc.constantFrom(
    ...[
      'on',
      'No',
      ' y',
      'off: ',
      'null',
      '0',
      '-1',
      '1e99',
      '{{ .Values.a }}',
      '%YAML 1.1\n',
      '# Source: a\n',
      '\r',
      '\uFEFF',
      '!!binary ',
    ],
  ),
  fc.string({ maxLength: 8, unit: 'binary' }),
);

test('any text at all is judged or unreadable', () => {
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 60 }), (scraps) => isSound(scraps.join(''))),
    { numRuns: 500 },
  );
});

test('a manifest that was damaged anywhere is judged or unreadable', () => {
  const damage = fc.record({ at: fc.nat(), gone: fc.nat(40), scrap });
  fc.assert(
    fc.property(fixtureText, fc.array(damage, { minLength: 1, maxLength: 4 }), (text, damages) => {
      let damaged = text;
      for (const { at, gone, scrap: put } of damages) {
        const start = at % (damaged.length + 1);
        damaged = damaged.slice(0, start) + put + damaged.slice(start + gone);
      }
      isSound(damaged);
      isReadAlike(damaged);
    }),
    { numRuns: 300 },
  );
});

const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, '', [], {}, 0, -1, 2 ** 40, '25%', [null], [{}], { metadata: null }),
);

test('a manifest with any value in any of its fields is judged or unreadable', () => {
  fc.assert(
    fc.property(fixtureText, fc.nat(), anyValue, (text, at, value) => {
      const objects = parseManifests(text, 'a.yaml').manifests.map(({ object }) => structuredClone(object));
      const places = objects.flatMap((object) => [...fieldsOf(object)]);
      const place = places[at % places.length];
      if (place !== undefined) Object.assign(place.holder, { [place.key]: value });
      const changed = objects.map((object) => stringify(object)).join('---\n');
      isSound(changed);
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      isSound(list);
    }),
    { numRuns: 300 },
  );
});

interface Field {
  readonly holder: object;
  readonly key: string;
}

function* fieldsOf(holder: object): Iterable<Field> {
  for (const [key, value] of Object.entries(holder)) {
    yield { holder, key };
    if (typeof value === 'object' && value !== null) yield* fieldsOf(value);
  }
}
