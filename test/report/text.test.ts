import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { explainedText } from '../../src/report/explained-text.ts';
import type { Report } from '../../src/report/report.ts';
import { type TextOptions, textOf } from '../../src/report/text.ts';
import { findingOf, openOf, reportOf } from './reports.ts';

const PIPE: TextOptions = { colour: false, marks: false, width: 80, fixes: true };

function printed(parts: Partial<Report>, options: Partial<TextOptions> = {}): string {
  return textOf(reportOf(parts), { ...PIPE, ...options });
}

test('a finding has its rule and its object in one line, and below it why, where, what was assumed and what helps', () => {
  const related = [
    { file: 'web.yaml', line: 5, column: 3, message: 'claim data, ReadWriteOnce' },
    { file: 'job.yaml', line: 1, column: 1, message: 'Job import uses it too' },
  ];
  const findings = [
    findingOf({
      message: 'its next rollout can hang for ever: the new pod may start on another node than the old one',
      related,
      assumed: ['claim data is a disk that attaches to one node (no storage class given)'],
      or: 'spec.strategy.rollingUpdate: {maxSurge: 0}',
      writable: true,
    }),
  ];
  const summary = { objects: 2, workloads: 1, error: 1, warning: 0, info: 0, ignored: 0, inconclusive: 0 };
  assert.equal(
    printed({ findings, summary }),
    `web.yaml
  12:3  error  rollout-deadlock  Deployment shop/web
        Its next rollout can hang for ever: the new pod may start on another
        node than the old one.
        claim    web.yaml:5 data, ReadWriteOnce
        see      job.yaml:1 Job import uses it too
        assumed  claim data is a disk that attaches to one node (no storage
                 class given)
        fix      spec.strategy: {type: Recreate}    (--fix writes it)
        or       spec.strategy.rollingUpdate: {maxSurge: 0}

more of a rule: rwo-guard rules ID

1 error, 0 warnings in 2 objects, 1 workload
`,
  );
});

test('the steps of a story are numbered, and their further lines stand below the words of the first', () => {
  const step = 'web-new waits, because claim data is attached to node-a, where web-old uses it';
  assert.match(
    printed({ findings: [findingOf({ story: [step, 'So the rollout waits for ever.'] })] }),
    /\n {8}1\. web-new waits[^\n]*\n {11}\S[^\n]*\n {8}2\. So the rollout waits for ever\.\n/,
  );
});

test('what --fix has written or shown already is not said to be written by it', () => {
  assert.doesNotMatch(printed({ findings: [findingOf({ writable: true })] }, { fixes: false }), /--fix/);
});

for (const { count, lines } of [
  { count: 4, lines: ['0', '1', '2', '3'] },
  { count: 6, lines: ['0', '1', '2', '3', 'and 2 more'] },
]) {
  test(`of ${count} other objects that a finding is about, the text has ${lines.length} lines`, () => {
    const related = Array.from({ length: count }, (_, n) => ({ file: 'a.yaml', line: 1, column: 1, message: `${n}` }));
    const text = printed({ findings: [findingOf({ related })] });
    const rows = [...text.matchAll(/^ {8}(?:see {6}a\.yaml:1| {8}) (.*)$/gm)].map(([, said]) => said);
    assert.deepEqual(rows, lines);
  });
}

test('what stayed open is not judged, in the last line too', () => {
  const summary = { objects: 2, workloads: 1, error: 0, warning: 0, info: 0, ignored: 0, inconclusive: 1 };
  assert.equal(
    printed({ inconclusive: [openOf({})], summary }),
    `web.yaml
  1:1  not judged  claim-unknown  Deployment shop/web
        Claim shop/data is not in the input.

0 errors, 0 warnings, 1 not judged in 2 objects, 1 workload
`,
  );
});

test('the last line says who ignored what, three times at most', () => {
  const summary = { objects: 9, workloads: 5, error: 0, warning: 0, info: 0, ignored: 5, inconclusive: 0 };
  const ignored = ['a', 'a', 'b', 'c', 'd'].map((name) => ({ name, reason: 'we drain first' }));
  assert.equal(
    printed({ summary, ignored }),
    '0 errors, 0 warnings, 5 ignored (a: "we drain first"; b: "we drain first"; c: "we drain first"; and 1 more) in 9 objects, 5 workloads\n',
  );
});

const HOSTILE = 'we\u001b[2Kb\u009b1m\n\u202e::';

test('no name, path or reason of somebody else does anything to a terminal', () => {
  const place = { file: HOSTILE, line: 1, column: 1, template: HOSTILE };
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: HOSTILE, name: HOSTILE };
  const parts = {
    findings: [
      findingOf({ resource, place, message: HOSTILE, assumed: [HOSTILE], related: [{ ...place, message: HOSTILE }] }),
    ],
    inconclusive: [openOf({ resource, place, because: HOSTILE, story: [HOSTILE] })],
    unreadable: [{ file: HOSTILE, line: 1, because: HOSTILE }],
    ignored: [{ name: HOSTILE, reason: HOSTILE }],
    summary: { objects: 1, workloads: 1, error: 1, warning: 0, info: 0, ignored: 1, inconclusive: 1 },
  };
  const explained = {
    objects: [{ resource, namespaceAssumed: false, place, findings: [], savedBy: [], aside: [HOSTILE] }],
    unreadable: parts.unreadable,
  };
  for (const text of [printed(parts), explainedText(explained, PIPE)]) {
    assert.doesNotMatch(text, /[^\P{C}\n]/u);
  }
});

test('a line is as wide as the terminal, a word stays whole, and colours take no room', () => {
  const findings = [findingOf({ message: `it hangs ${'very '.repeat(40)}long`, fix: `kubectl-${'x'.repeat(120)}` })];
  for (const width of [60, 80, 132]) {
    const plain = printed({ findings }, { width });
    const lines = plain.split('\n').filter((line) => !line.includes('xxx'));
    assert.ok(lines.every((line) => line.length <= width));
    assert.ok(lines.some((line) => line.length > width - 6));
    assert.equal(stripVTControlCharacters(printed({ findings }, { width, colour: true })), plain);
  }
});

test('marks stand on a terminal alone', () => {
  const parts = { findings: [findingOf({})], inconclusive: [openOf({})] };
  assert.match(printed(parts, { marks: true }), /12:3 {2}✖ error .*1:1 {2}ℹ not judged/s);
  assert.doesNotMatch(printed(parts), /[✖⚠ℹ]/);
});
