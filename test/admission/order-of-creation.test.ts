import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { known } from '../../src/objects/fact.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import type { LookedUp, ObjectRef } from '../../src/snapshot/snapshot.ts';
import { claim, creating, deployment, enforcing, type Scene, scene, settings, silent, storing } from './scene.ts';

const dryRun = { dryRun: true };

/** An enforcing scene in which no claim exists yet. */
function withoutClaims(options: Parameters<typeof scene>[0] = {}): Scene {
  const empty = scene({ labels: enforcing, ...options });
  empty.state.tables.PersistentVolumeClaim.clear();
  return empty;
}

function answering(found: (ref: ObjectRef) => LookedUp, asked: ObjectRef[] = []) {
  return async (refs: readonly ObjectRef[]) => {
    asked.push(...refs);
    return refs.map(found);
  };
}

for (const [mode, said] of [
  ['enforce', 'warning'],
  ['warn', 'warning'],
  ['audit', 'annotation'],
] as const) {
  test(`a claim that is nowhere gives a ${said} in ${mode}, and never a denial`, async () => {
    const empty = withoutClaims({ labels: { 'rwo-guard.dev/mode': mode } });
    const { response, warnings } = await empty.validate(creating(deployment()));
    assert.equal(response.allowed, true);
    assert.equal(
      warnings.some((line) => /claim shop\/data does not exist yet.*\[claim-unknown\]$/.test(line)),
      said === 'warning',
    );
    assert.match(response.auditAnnotations?.findings ?? '', /claim-unknown/);
  });
}

test('the warning about a missing claim names rwo-guard lint, which sees whole files', async () => {
  const { warnings } = await withoutClaims().validate(creating(deployment(), dryRun));
  assert.match(warnings[0] ?? '', /rwo-guard lint/);
});

test('a claim that no answer depends on is not asked about aloud', async () => {
  const { warnings } = await withoutClaims().validate(creating(deployment({ strategy: { type: 'Recreate' } })));
  assert.deepEqual(warnings, []);
});

test('what the watched state misses is asked of the API server, each object once', async () => {
  const asked: ObjectRef[] = [];
  const lookUp = answering(
    (ref) => ({ ...ref, kind: 'PersistentVolumeClaim', found: { known: true, value: claimFrom(claim()) } }),
    asked,
  );
  const { response } = await withoutClaims({ lookUp }).validate(creating(deployment()));
  assert.equal(response.allowed, false);
  assert.deepEqual(asked, [{ kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' }]);
});

test('a claim that cannot be read in time leaves the answer open', async () => {
  const lookUp = answering((ref) => ({
    ...ref,
    found: { known: false, because: 'claim shop/data was not read in time' },
  }));
  const { response, warnings } = await withoutClaims({ lookUp }).validate(creating(deployment()));
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /was not read in time.*\[claim-unknown\]/);
});

test('a dry run sees the claim that the same user dry-ran a moment ago', async () => {
  const empty = withoutClaims();
  await empty.validate(creating(claim(), dryRun));
  const { warnings } = await empty.validate(creating(deployment(), dryRun));
  assert.match(warnings[0] ?? '', /^would be denied: .*\[rollout-deadlock\]$/);
});

test('a dry run does not see what another user dry-ran', async () => {
  const empty = withoutClaims();
  await empty.validate(creating(claim(), { ...dryRun, userInfo: { username: 'joe' } }));
  const { warnings } = await empty.validate(creating(deployment(), dryRun));
  assert.match(warnings[0] ?? '', /\[claim-unknown\]$/);
});

test('a real request never sees a dry-run object', async () => {
  const empty = withoutClaims();
  await empty.validate(creating(claim(), dryRun));
  const { warnings } = await empty.validate(creating(deployment()));
  assert.match(warnings[0] ?? '', /\[claim-unknown\]$/);
});

test('a claim whose arrival completes an error is denied in enforce with the workload’s finding', async () => {
  const late = withoutClaims();
  late.add(deployment());
  const { response } = await late.validate(creating(claim()));
  assert.equal(response.allowed, false);
  assert.match(
    response.status?.message ?? '',
    /^PersistentVolumeClaim shop\/data refused: Deployment web mounts it, .*\[rollout-deadlock\]/,
  );
});

test('a claim that comes right after its workload, before the watch brought it, is denied too', async () => {
  const late = withoutClaims({ lookUp: storing(deployment()) });
  assert.equal((await late.validate(creating(deployment()))).response.allowed, true);
  assert.equal((await late.validate(creating(claim()))).response.allowed, false);
});

test('a workload whose claim is being deleted is denied, as its pods would wait for ever', async () => {
  const going = scene({ labels: enforcing });
  going.add(claim('data', { accessModes: ['ReadWriteMany'] }, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
  const { response } = await going.validate(creating(deployment()));
  assert.match(response.status?.message ?? '', /\[rollout-blocked\][\s\S]*claim data is being deleted/);
});

test('a workload whose claims are there is not remembered', async () => {
  const asked: ObjectRef[] = [];
  const ready = scene({ lookUp: answering((ref) => ({ ...ref, kind: 'Deployment', found: known(undefined) }), asked) });
  await ready.validate(creating(deployment()));
  await ready.validate(creating(claim()));
  assert.deepEqual(asked, []);
});

for (const [what, lookUp] of [
  ['was never created', storing()],
  ['has another claim by now', storing(deployment({}, {}, { volumes: [] }))],
] as const) {
  test(`a review of a workload that ${what} refuses no claim`, async () => {
    const late = withoutClaims({ lookUp });
    await late.validate(creating(deployment()));
    const { response, warnings } = await late.validate(creating(claim()));
    assert.deepEqual([response.allowed, warnings], [true, []]);
  });
}

test('a review of a workload that cannot be looked up refuses no claim, and says that it is open', async () => {
  const late = withoutClaims({ lookUp: silent });
  await late.validate(creating(deployment()));
  const { response, warnings } = await late.validate(creating(claim()));
  assert.equal(response.allowed, true);
  assert.match(warnings.join(), /Deployment shop\/web was not read in time.*\[claim-unknown\]/);
});

test('a flood of reviews costs one claim no more than sixteen look-ups', async () => {
  const asked: ObjectRef[] = [];
  const late = withoutClaims({
    lookUp: answering((ref) => ({ ...ref, found: { known: true, value: undefined } }), asked),
  });
  for (let count = 0; count < 100; count++) await late.validate(creating(deployment({}, { name: `web-${count}` })));
  asked.length = 0;
  assert.equal((await late.validate(creating(claim()))).response.allowed, true);
  assert.deepEqual(
    asked.map(({ name }) => name),
    Array.from({ length: 16 }, (_, index) => `web-${index + 84}`),
  );
});

test('of many workloads that wait for a claim those are looked at in which something may be wrong', async () => {
  const late = withoutClaims();
  for (let count = 0; count < 40; count++) {
    late.add(deployment({ strategy: { type: 'Recreate' } }, { name: `web-${count}` }));
  }
  late.add(deployment({}, { name: 'rolling' }));
  const { response, warnings } = await late.validate(creating(claim()));
  assert.equal(response.allowed, false);
  assert.match(
    response.status?.message ?? '',
    /^PersistentVolumeClaim shop\/data refused: Deployment rolling mounts it, .*\[rollout-deadlock\]/,
  );
  assert.match(warnings.join(), /25 more workloads that mount data were not looked at/);
});

test('what is only remembered from a dry run denies none, also where dry runs are denied', async () => {
  const strict = settings({ policy: { dryRun: 'same', existing: 'warn', exemptions: 'allow', overBudget: 'warn' } });
  const first = withoutClaims({ settings: strict });
  await first.validate(creating(claim(), dryRun));
  const { response, warnings } = await first.validate(creating(deployment(), dryRun));
  assert.equal(response.allowed, true);
  assert.match(warnings.join(), /\[rollout-deadlock\].*not denied, as claim data is only remembered from a dry run/);
  const late = withoutClaims({ settings: strict });
  await late.validate(creating(deployment(), dryRun));
  assert.equal((await late.validate(creating(claim(), dryRun))).response.allowed, true);
});

test('a workload that was admitted here longer than ten seconds ago is left to the watch', async () => {
  let now = 0;
  const late = withoutClaims({ recent: new RecentRequests(() => now), lookUp: storing(deployment()) });
  await late.validate(creating(deployment()));
  now = 10_001;
  assert.equal((await late.validate(creating(claim()))).response.allowed, true);
});

test('in a dry run a late claim is warned of as well', async () => {
  const late = withoutClaims();
  await late.validate(creating(deployment(), dryRun));
  const { response, warnings } = await late.validate(creating(claim(), dryRun));
  assert.equal(response.allowed, true);
  assert.match(warnings[0] ?? '', /^would be denied: Deployment shop\/web mounts this claim: /);
});

test('a late claim that several nodes may attach is welcome', async () => {
  const late = withoutClaims();
  late.add(deployment());
  const { response, warnings } = await late.validate(creating(claim('data', { accessModes: ['ReadWriteMany'] })));
  assert.deepEqual([response.allowed, warnings], [true, []]);
});

test('the exemption of a workload holds when its claim comes late', async () => {
  const late = withoutClaims();
  late.add(
    deployment({}, { annotations: { 'rwo-guard.dev/ignore': 'rollout-deadlock: stopped before each rollout' } }),
  );
  assert.equal((await late.validate(creating(claim()))).response.allowed, true);
});

test('an exemption of the claim holds for what its arrival completes', async () => {
  const late = withoutClaims();
  late.add(deployment());
  const annotations = { 'rwo-guard.dev/ignore': 'rollout-deadlock: restored from a backup' };
  assert.equal((await late.validate(creating(claim('data', {}, { annotations })))).response.allowed, true);
});
