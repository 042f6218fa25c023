import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openReportsOf, reportName } from '../../src/report/openreports.ts';
import { findingOf, openOf, reportOf } from './reports.ts';

const AT = { foundAt: 1_800_000_000 };

test('what one object has wrong is one Report in its namespace, counted by result', () => {
  const db = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'shop', name: 'db' };
  const reports = openReportsOf(
    reportOf({
      findings: [findingOf({}), findingOf({ resource: db, severity: 'warning' }), findingOf({ severity: 'info' })],
      inconclusive: [openOf({})],
    }),
    AT,
  );
  assert.deepEqual(
    reports.map(({ metadata, scope, summary }) => [metadata.namespace, metadata.name, scope.kind, summary]),
    [
      ['shop', 'rwo-guard-deployment-web', 'Deployment', { pass: 0, fail: 1, warn: 1, error: 1, skip: 0 }],
      ['shop', 'rwo-guard-statefulset-db', 'StatefulSet', { pass: 0, fail: 0, warn: 1, error: 0, skip: 0 }],
    ],
  );
});

test('a result tells what is wrong, what it rests on and what helps', () => {
  const finding = findingOf({ assumed: ['claim data is a disk'], or: 'another way' });
  const [report] = openReportsOf(reportOf({ findings: [finding] }), AT);
  assert.deepEqual(report?.results, [
    {
      policy: 'rollout-deadlock',
      category: 'Storage',
      severity: 'high',
      result: 'fail',
      scored: true,
      message: 'its next rollout can hang for ever; assumed: claim data is a disk',
      timestamp: { seconds: 1_800_000_000, nanos: 0 },
      properties: {
        fingerprint: '5f1d',
        fix: 'spec.strategy: {type: Recreate}',
        or: 'another way',
        claims: 'data',
      },
    },
  ]);
});

test('a question that stayed open is a policy that could not be evaluated', () => {
  const [report] = openReportsOf(reportOf({ inconclusive: [openOf({})] }), AT);
  assert.deepEqual(
    report?.results.map(({ policy, result, message }) => [policy, result, message]),
    [['claim-unknown', 'error', 'claim shop/data is not in the input']],
  );
});

test('a Report belongs to its object where that one’s uid is known', () => {
  const [report] = openReportsOf(reportOf({ findings: [findingOf({})] }), { ...AT, uidOf: () => 'u-1' });
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u-1' };
  assert.deepEqual(report?.metadata.ownerReferences, [owner]);
  assert.deepEqual(report?.scope, { ...owner, namespace: 'shop' });
});

test('long names that differ at their end give Reports of different names, which are no longer than allowed', () => {
  const names = ['a', 'b'].map((end) => reportName({ kind: 'Deployment', name: `${'x'.repeat(250)}${end}` }));
  assert.equal(new Set(names).size, 2);
  assert.deepEqual(
    names.map(({ length }) => length),
    [253, 253],
  );
});
