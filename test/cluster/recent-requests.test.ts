import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';

const dataClaim = claimFrom({
  metadata: { namespace: 'shop', name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'] },
});

function web(name = 'web', claimName = 'data') {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName } }];
  return workloadFrom('Deployment', {
    metadata: { namespace: 'shop', name },
    spec: { template: { spec: { volumes } } },
  });
}

function remembering() {
  let now = 0;
  const recent = new RecentRequests(() => now);
  return {
    recent,
    pass: (ms: number) => {
      now += ms;
    },
    claim: (user: string, dryRun: boolean) =>
      recent.remember({ user, dryRun, object: { kind: 'PersistentVolumeClaim', value: dataClaim } }),
    workload: (user: string, dryRun: boolean, value = web()) =>
      recent.remember({ user, dryRun, object: { kind: 'Deployment', value } }),
  };
}

const namesOf = (workloads: readonly { readonly name: string }[]) => workloads.map(({ name }) => name);

test('a claim that was dry-run is shown to the same user for a minute', () => {
  const { recent, pass, claim } = remembering();
  claim('jane', true);
  pass(59_999);
  assert.equal(recent.dryRunClaim('jane', 'shop', 'data'), dataClaim);
  pass(1);
  assert.equal(recent.dryRunClaim('jane', 'shop', 'data'), undefined);
});

test('a claim that was dry-run is shown to nobody else, and under no other name', () => {
  const { recent, claim } = remembering();
  claim('jane', true);
  assert.equal(recent.dryRunClaim('joe', 'shop', 'data'), undefined);
  assert.equal(recent.dryRunClaim('jane', 'office', 'data'), undefined);
  assert.equal(recent.dryRunClaim('jane', 'shop', 'other'), undefined);
});

test('a claim that was really made is not remembered', () => {
  const { recent, claim } = remembering();
  claim('jane', false);
  assert.equal(recent.dryRunClaim('jane', 'shop', 'data'), undefined);
});

test('a workload that was dry-run is shown to dry runs of the same user only', () => {
  const { recent, workload } = remembering();
  workload('jane', true);
  assert.deepEqual(namesOf(recent.dryRunWorkloadsMounting('jane', 'shop', 'data').map(({ metadata }) => metadata)), [
    'web',
  ]);
  assert.deepEqual(recent.dryRunWorkloadsMounting('joe', 'shop', 'data'), []);
  assert.deepEqual(recent.workloadsMounting('shop', 'data'), []);
});

test('a dry run without a user is not taken for a workload that was admitted', () => {
  const { recent, workload } = remembering();
  workload('', true);
  assert.deepEqual(recent.workloadsMounting('shop', 'data'), []);
});

test('a workload that was admitted is shown to everybody for ten seconds', () => {
  const { recent, pass, workload } = remembering();
  workload('jane', false);
  pass(9_999);
  assert.deepEqual(namesOf(recent.workloadsMounting('shop', 'data')), ['web']);
  assert.deepEqual(recent.workloadsMounting('shop', 'other'), []);
  pass(1);
  assert.deepEqual(recent.workloadsMounting('shop', 'data'), []);
});

test('a workload is remembered as it was last, with the time of then', () => {
  const { recent, pass, workload } = remembering();
  workload('jane', false);
  pass(9_000);
  workload('joe', false, web('web', 'other'));
  assert.deepEqual(recent.workloadsMounting('shop', 'data'), []);
  pass(9_000);
  assert.deepEqual(namesOf(recent.workloadsMounting('shop', 'other')), ['web']);
});

test('several workloads with one claim are all shown', () => {
  const { recent, workload } = remembering();
  workload('jane', false, web('one'));
  workload('jane', false, web('two'));
  assert.deepEqual(namesOf(recent.workloadsMounting('shop', 'data')), ['one', 'two']);
});

test('a flood of requests pushes the oldest out', () => {
  const { recent, workload } = remembering();
  for (let count = 0; count < 2_001; count++) workload('jane', false, web(`web-${count}`, `data-${count}`));
  assert.deepEqual(recent.workloadsMounting('shop', 'data-0'), []);
  assert.deepEqual(namesOf(recent.workloadsMounting('shop', 'data-1')), ['web-1']);
  assert.deepEqual(namesOf(recent.workloadsMounting('shop', 'data-2000')), ['web-2000']);
});

test('a review of a very large object is not remembered, and leaves nothing of the one before', () => {
  const { recent, workload } = remembering();
  const volumes = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `v${index}`,
      persistentVolumeClaim: { claimName: `c-${index}` },
    }));
  const large = (count: number) =>
    workloadFrom('Deployment', {
      metadata: { namespace: 'shop', name: 'web' },
      spec: { template: { spec: { volumes: volumes(count) } } },
    });
  for (const dryRun of [true, false]) {
    workload('jane', dryRun, large(100));
    workload('jane', dryRun, large(10_000));
  }
  assert.deepEqual(recent.workloadsMounting('shop', 'c-1'), []);
  assert.deepEqual(recent.dryRunWorkloadsMounting('jane', 'shop', 'c-1'), []);
});

test('many templates of some size displace each other, the oldest first', () => {
  const { recent, workload } = remembering();
  for (let n = 0; n < 1_000; n++) {
    const value = web(`web-${n}`);
    workload('jane', true, { ...value, template: { ...value.template, nodeName: 'n'.repeat(50_000) } });
  }
  const kept = recent.dryRunWorkloadsMounting('jane', 'shop', 'data').map(({ metadata }) => metadata.name);
  assert.ok(kept.length > 100 && kept.length < 350, `${kept.length}`);
  assert.equal(kept.at(-1), 'web-999');
});
