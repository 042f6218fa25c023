import assert from 'node:assert/strict';
import { test } from 'node:test';
import { githubOf } from '../../src/report/github.ts';
import { findingOf, openOf, reportOf } from './reports.ts';

test('nothing found is no annotation', () => {
  assert.equal(githubOf(reportOf({ notes: ['values.yaml is no manifest'] })), '');
});

test('a finding is an annotation on the field to change, with what is wrong and what helps', () => {
  assert.equal(
    githubOf(reportOf({ findings: [findingOf({})] })),
    '::error file=web.yaml,line=12,col=3,title=rollout-deadlock::' +
      'Deployment shop/web: its next rollout can hang for ever; to fix it: spec.strategy: {type: Recreate}\n',
  );
});

for (const { severity, command } of [
  { severity: 'error', command: 'error' },
  { severity: 'warning', command: 'warning' },
  { severity: 'info', command: 'notice' },
] as const) {
  test(`a finding of severity ${severity} is the command ${command}`, () => {
    assert.match(githubOf(reportOf({ findings: [findingOf({ severity })] })), new RegExp(`^::${command} `));
  });
}

test('what stayed open is a notice', () => {
  assert.equal(
    githubOf(reportOf({ inconclusive: [openOf({})] })),
    '::notice file=web.yaml,line=1,col=1,title=claim-unknown::Deployment shop/web: claim shop/data is not in the input\n',
  );
});

test('what a chart was rendered to is told with the template, also where its file is a pipe', () => {
  const place = { file: '<stdin>', line: 12, column: 3, template: 'x/templates/d.yaml' };
  const printed = githubOf(reportOf({ findings: [findingOf({ place })], inconclusive: [openOf({ place })] }));
  assert.equal(printed.match(/; made of x\/templates\/d\.yaml$/gm)?.length, 2);
});

test('what could not be read is an error, without a column', () => {
  assert.equal(
    githubOf(reportOf({ unreadable: [{ file: 'x.yaml', line: 3, because: 'bad indentation' }] })),
    '::error file=x.yaml,line=3,title=unreadable::bad indentation\n',
  );
});

test('a finding in a live cluster stands in no file', () => {
  assert.match(
    githubOf(reportOf({ findings: [findingOf({ place: undefined })] })),
    /^::error title=rollout-deadlock::/,
  );
});

test('no text can end a command or begin another', () => {
  const place = { file: './100%, of:it.yaml', line: 1, column: 1 };
  const message = '50%\r\n::error::planted: a, b';
  const [line, ...more] = githubOf(reportOf({ findings: [findingOf({ place, message })] })).split('\n');
  assert.match(line ?? '', /^::error file=100%25%2C of%3Ait\.yaml,line=1,/);
  assert.match(line ?? '', /: 50%25 %0A::error::planted: a, b; /);
  assert.deepEqual(more, ['']);
});
