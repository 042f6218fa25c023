import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { snapshotOf } from '../../src/lint/file-snapshot.ts';
import { fixOf } from '../../src/lint/fix.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { evaluateWorkload, type Finding } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { editManifest } from '../../src/yaml/edit/edit.ts';
import { parseManifests } from '../../src/yaml/read-manifests.ts';
import { FIXTURES, fixtureNames } from '../fixtures.ts';

const RULES = ['rollout-deadlock', 'rollout-blocked', 'rollout-transient', 'replicas-split'];

/** The last object of a text, judged with the others. */
function read(text: string) {
  const { manifests } = parseManifests(text, '');
  const object = manifests.at(-1)?.object ?? assert.fail('nothing is there');
  const kind = WORKLOAD_KINDS.find((candidate) => candidate === object.kind) ?? assert.fail('no workload');
  const { facts } = gatherFacts(
    workloadFrom(kind, object),
    snapshotOf(manifests).snapshot,
    storageMatrix(),
    new Budget(),
  );
  return { kind, facts, object, last: manifests.length - 1 };
}

function judged(text: string) {
  const { kind, facts, object, last } = read(text);
  const { rollout, steady } = forecast(facts).certain;
  return {
    kind,
    fix: fixOf(facts, object, findingsOf),
    found: findingsOf(facts),
    stuck: rollout.stuck || steady.stuck,
    last,
  };
}

function findingsOf(facts: WorkloadFacts): readonly Finding[] {
  return evaluateWorkload(rules, facts.workload, forecast(facts)).filter(({ rule }) => RULES.includes(rule.id));
}

const written = RULES.flatMap((rule) =>
  fixtureNames(rule, 'fail').map((name) => {
    const text = readFileSync(new URL(`${rule}/fail/${name}.yaml`, FIXTURES), 'utf8');
    return { name: `${rule}/${name}`, rule, text, ...judged(text) };
  }),
);
const DEADLOCK = readFileSync(new URL('rollout-deadlock/fail/defaults-on-three-nodes.yaml', FIXTURES), 'utf8');
const fixed = written.flatMap((one) => (one.fix !== undefined && 'patch' in one.fix ? [{ ...one, fix: one.fix }] : []));

for (const { name, text, fix, last } of fixed) {
  test(`${name} has none of these findings any more once it is fixed by ${fix.mutation}`, () => {
    const edited = editManifest(text, { document: last }, fix.patch);
    assert.ok('text' in edited);
    const after = judged(edited.text);
    assert.deepEqual(after.found, []);
    assert.equal(after.fix, undefined);
    assert.ok(!after.stuck);
  });
}

for (const name of ['rollout-blocked/read-write-once-pod-two-replicas', 'replicas-split/anti-affinity']) {
  test(`${name} is left alone, for its replicas could not all run whatever is done`, () => {
    const found = written.find((one) => one.name === name);
    assert.ok(found !== undefined && found.found.length > 0);
    assert.ok(found.fix !== undefined && 'because' in found.fix);
  });
}

test('what somebody exempted is left alone', () => {
  const { facts, object } = read(DEADLOCK);
  const fix = fixOf(facts, object, findingsOf);
  assert.ok(fix !== undefined && 'patch' in fix);
  assert.equal(
    fixOf(facts, object, () => []),
    undefined,
  );
});

test('what an operator owns is left alone', () => {
  const owner = '  ownerReferences: [{apiVersion: a/v1, kind: A, name: a, uid: u, controller: true}]\n';
  const { fix, found } = judged(DEADLOCK.replace('  name: web\n', `${owner}  name: web\n`));
  assert.equal(found.length, 1);
  assert.deepEqual(fix, { because: 'it has an owner', byHand: 'change that one' });
});

test('only a Deployment is fixed', () => {
  assert.deepEqual([...new Set(fixed.map(({ kind }) => kind))], ['Deployment']);
});
