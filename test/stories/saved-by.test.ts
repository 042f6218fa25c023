import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { savedBy } from '../../src/stories/saved-by.ts';
import { claim, deployment } from '../lint/manifests.ts';
import { CLASS, DRIVER, factsOf, nodes, saved } from './told.ts';

const DISK = [CLASS, DRIVER, claim({ storageClassName: 'disks' })];
const TWO = nodes({ 'node-a': {}, 'node-b': {} });
const RECREATE = { strategy: { type: 'Recreate' } };

test('what saves a workload is what it would have a finding without', () => {
  assert.deepEqual(saved(factsOf(...DISK, ...TWO, deployment(RECREATE))), [
    'strategy Recreate ends every old pod before a new one is created: rollout-deadlock',
    'replicas is 1, so that no two pods are wanted at once: replicas-split',
  ]);
});

test('what is not needed besides is not told', () => {
  const many = claim({ storageClassName: 'disks', accessModes: ['ReadWriteMany'] });
  assert.deepEqual(saved(factsOf(CLASS, DRIVER, many, ...TWO, deployment(RECREATE))), [
    'claim data is ReadWriteMany, so that many nodes may have it at once: rollout-deadlock',
  ]);
});

for (const { maxSurge, maxUnavailable, says } of [
  { maxSurge: 0, maxUnavailable: 1, says: 'maxSurge is 0 and maxUnavailable is 1, so that an old pod goes first' },
  {
    ...{ maxSurge: 0, maxUnavailable: '50%' },
    says: 'maxSurge and maxUnavailable both come to 0, and then one pod may be missing, so that an old pod goes first',
  },
  {
    ...{ maxSurge: '0%', maxUnavailable: '100%' },
    says: 'maxSurge 0% of 1 replica is 0 and maxUnavailable 100% of 1 replica is 1, so that an old pod goes first',
  },
]) {
  test(`maxSurge ${maxSurge} and maxUnavailable ${maxUnavailable} are told as the controller takes them`, () => {
    const strategy = { rollingUpdate: { maxSurge, maxUnavailable } };
    const [first] = saved(factsOf(...DISK, ...TWO, deployment({ strategy })));
    assert.equal(first, `${says}: rollout-deadlock`);
  });
}

test('one node that takes the pods is told with what keeps them off the others', () => {
  const tainted = { spec: { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] } };
  const facts = factsOf(
    ...DISK,
    ...nodes({ 'node-a': {}, 'node-b': tainted, 'node-c': tainted }),
    deployment({ replicas: 2 }),
  );
  assert.deepEqual(saved(facts), [
    'only node-a takes its pods, and not node-b and node-c (taint dedicated=db:NoSchedule is not tolerated): rollout-deadlock',
  ]);
});

test('a node with what the pods ask for is not missed among very many', () => {
  const names = Array.from({ length: 100 }, (_, index) => `node-${index}`);
  const many = names.map((name) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    status: { allocatable: { cpu: '4', 'example.com/gpu': name === 'node-99' ? '1' : '0' } },
  }));
  const containers = [{ name: 'web', resources: { limits: { 'example.com/gpu': '1' } } }];
  const [first = ''] = saved(factsOf(...DISK, ...many, deployment({ replicas: 2 }, {}, { containers })));
  assert.doesNotMatch(first, /no node takes/);
});

test('a volume that is not attached is told by its plugin', () => {
  const share = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'share' },
    spec: { accessModes: ['ReadWriteOnce'], nfs: { server: 'files', path: '/' } },
  };
  const facts = factsOf(share, claim({ volumeName: 'share', storageClassName: '' }), ...TWO, deployment());
  assert.deepEqual(saved(facts), [
    'claim data is on NFS, which is not attached to nodes, so that no pod waits until one lets go of it: rollout-deadlock',
  ]);
});

test('where no pod is created, that is all there is to say', () => {
  assert.deepEqual(saved(factsOf(...DISK, ...TWO, deployment({ replicas: 0 }))), [
    'replicas is 0, so no pod is created: nothing',
  ]);
});

test('a pod that waits while its volume moves is told beside what saves the rollout', () => {
  const { aside } = savedBy(factsOf(...DISK, ...TWO, deployment(RECREATE)));
  assert.deepEqual(aside, [
    'in a rollout a volume may have to move: the new pod waits until it is detached, and no longer',
  ]);
});

for (const operations of [0, 1, 200]) {
  test(`with ${operations} operations to spend, nothing is said of what saves it`, () => {
    const facts = factsOf(...DISK, ...TWO, deployment(RECREATE));
    const { savings } = savedBy({ ...facts, budget: new Budget(operations) });
    assert.deepEqual(
      savings.map(({ because }) => because),
      ['to look for what saves it takes more steps than there are'],
    );
  });
}
