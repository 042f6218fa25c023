import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denialOf, MOST_OF_DENIAL, type Refusal } from '../../src/decision/denial.ts';
import { bytesIn } from '../../src/decision/shown.ts';
import type { Finding } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { readAsOne } from '../../src/rules/one-cause.ts';
import { COME_TOGETHER } from '../../src/rules/remedy.ts';
import { findingOf, metaOf } from './findings.ts';

const PLAIN: Refusal = { exemptions: true, overwrites: false };

function denied(first: Finding, others: readonly Finding[] = [], refusal: Partial<Refusal> = {}): readonly string[] {
  return denialOf([first, ...others], { ...PLAIN, ...refusal });
}

test('a denial says what is wrong, why, what helps, how to pass all the same, and where to read on', () => {
  assert.deepEqual(denied(findingOf({ or: 'spec.strategy.rollingUpdate: {maxSurge: 0}' })), [
    'Deployment shop/web: its next rollout can hang for ever [rollout-deadlock]',
    '  why:  the new pod may start on another node',
    '  fix:  spec.strategy: {type: Recreate}',
    '  or:   spec.strategy.rollingUpdate: {maxSurge: 0}',
    '  skip: annotation rwo-guard.dev/ignore: "rollout-deadlock: <reason>"',
    '  more: rwo-guard rules rollout-deadlock',
  ]);
});

test('a denial leads to the page of its rule where the build knows its address', (t) => {
  t.after(() => Reflect.deleteProperty(globalThis, 'RULES_URL'));
  Object.assign(globalThis, { RULES_URL: 'https://example.com/rules.md' });
  assert.equal(denied(findingOf()).at(-1), '  more: https://example.com/rules.md#rollout-deadlock');
});

test('how to pass is not told where exemptions are forbidden', () => {
  assert.doesNotMatch(denied(findingOf(), [], { exemptions: false }).join('\n'), /skip/);
});

const PATCH = /^ +kubectl patch --type merge -p '.*"rollingUpdate":null.*' -n shop deployment\/web$/m;

test('an object that server-side apply sends once more gets the command that has to come first, and no other does', () => {
  assert.match(denied(findingOf(), [], { overwrites: true }).join('\n'), PATCH);
  assert.doesNotMatch(denied(findingOf()).join('\n'), /kubectl/);
  assert.doesNotMatch(denied(findingOf({ fix: COME_TOGETHER }), [], { overwrites: true }).join('\n'), /kubectl/);
});

test('a name that is none of Kubernetes stands in no command', () => {
  for (const name of ["web'; rm -rf ~", '-o', 'w'.repeat(254), '']) {
    const object = { kind: 'Deployment', namespace: 'shop', name };
    assert.doesNotMatch(denied(findingOf({ object }), [], { overwrites: true }).join('\n'), /kubectl/);
  }
});

test('a claim that is refused is named first', () => {
  const arrived = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };
  assert.equal(
    denied(findingOf({ arrived }))[0],
    'PersistentVolumeClaim shop/data refused: Deployment web mounts it, and its next rollout can hang for ever [rollout-deadlock]',
  );
});

const SPLIT = findingOf({
  rule: metaOf('replicas-split'),
  judges: 'steady',
  reason: 'its pods cannot all run at once',
});

test('replicas that cannot all run and a rollout that hangs are one finding where the cause is one', () => {
  const [first, ...others] = readAsOne([findingOf(), SPLIT]);
  assert.ok(first);
  assert.deepEqual(others, []);
  const lines = denied(first);
  assert.equal(lines[0], 'Deployment shop/web: its pods cannot all run at once [replicas-split, rollout-deadlock]');
  assert.ok(lines.includes('  skip: annotation rwo-guard.dev/ignore: "replicas-split, rollout-deadlock: <reason>"'));
});

for (const [what, other] of [
  ['cause', { cause: 'one-pod' }],
  ['claim', { claims: ['logs'] }],
  ['object', { object: { kind: 'Deployment', namespace: 'shop', name: 'other' } }],
  ['severity', { severity: 'warning' }],
] as const) {
  test(`two findings of another ${what} stay two`, () => {
    const both = [findingOf(), { ...SPLIT, ...other }];
    assert.deepEqual(readAsOne(both), both);
  });
}

test('a denial for everything that there is, with names as long as they may be, has at most 2 KB and what is wrong first', () => {
  const [namespace, name] = ['n'.repeat(63), 'n'.repeat(253)];
  const object = { kind: 'Deployment', namespace, name };
  const errors = rules.filter(({ meta }) => meta.severity === 'error');
  for (const most of errors) {
    const all = [most, ...errors, ...errors, ...errors].map(({ meta, judges }) =>
      findingOf({ rule: meta, judges, object, why: 'd'.repeat(5_000), or: 'o'.repeat(80) }),
    );
    const [first, ...others] = all;
    assert.ok(first);
    for (const overwrites of [true, false]) {
      const lines = denied(first, others, { overwrites });
      assert.ok(bytesIn(lines.join('\n')) <= MOST_OF_DENIAL, `${bytesIn(lines.join('\n'))}`);
      assert.ok(lines[0]?.endsWith(`[${most.meta.id}]`));
      assert.match(lines.join('\n'), /^ {2}and \d+ more of them$/m);
      assert.match(lines.at(-1) ?? '', /^ {2}more: rwo-guard rules /);
    }
  }
});
