import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { cronJob, daemonSet, job, RUNS, replicaSet, running, scheduled, statefulSet } from './kinds.ts';
import { claim, controlledBy, creating, enforcing, type Scene, scene, updating } from './scene.ts';

const enforced = (): Scene => scene({ labels: enforcing });

/** The rules that refuse the object in enforce, or warn of one whose pods end. */
async function refusals(object: JsonObject, cluster = enforced()): Promise<readonly string[]> {
  const { response, warnings } = await cluster.validate(creating(object));
  const isRun = WORKLOAD_KINDS.some((kind) => kind === object.kind && RUNS.has(kind));
  const text = isRun ? warnings.join() : (response.status?.message ?? '');
  const rules = [...text.matchAll(/\[([a-z-]+)\]/g)].map(([, rule]) => rule ?? '');
  assert.deepEqual([response.allowed, isRun ? [] : warnings], [isRun || rules.length === 0, []]);
  return rules;
}

for (const kind of WORKLOAD_KINDS) {
  const judged = RUNS.has(kind) ? 'warned of' : 'denied';
  test(`a ${kind} whose pods share an exclusive claim on several nodes is ${judged} in enforce`, async () => {
    assert.deepEqual(await refusals(running[kind](3)), ['replicas-split']);
  });

  test(`a ${kind} of one pod is welcome`, async () => {
    assert.deepEqual(await refusals(running[kind](1)), []);
  });

  test(`a ${kind} is judged by the mode of its namespace`, async () => {
    for (const [mode, warned] of [
      ['warn', 1],
      ['audit', 0],
      ['off', 0],
    ] as const) {
      const cluster = scene({ labels: { 'rwo-guard.dev/mode': mode } });
      const { response, warnings } = await cluster.validate(creating(running[kind](3)));
      assert.deepEqual([response.allowed, warnings.length], [true, warned], mode);
      assert.equal(/replicas-split/.test(response.auditAnnotations?.findings ?? ''), mode !== 'off', mode);
    }
  });

  test(`a dry run of a ${kind} is told what would be denied`, async () => {
    const { response, warnings } = await enforced().validate(creating(running[kind](3), { dryRun: true }));
    assert.equal(response.allowed, true);
    const would = RUNS.has(kind) ? '' : 'would be denied: ';
    assert.match(warnings.join().replace(would, ''), /^\w+ shop\/web: .* cannot all use claim data.*\]/);
  });

  test(`a ${kind} whose claim several nodes may attach is welcome`, async () => {
    const cluster = enforced();
    cluster.add(claim('data', { accessModes: ['ReadWriteMany'] }));
    assert.deepEqual(await refusals(running[kind](3), cluster), []);
  });

  test(`a ${kind} is observed under its own kind`, async () => {
    const { observation } = await enforced().validate(creating(running[kind](3)));
    assert.deepEqual(
      [observation.kind, observation.name, observation.verdict],
      [kind, 'web', RUNS.has(kind) ? 'warn' : 'deny'],
    );
  });

  test(`a ${kind} with an exemption and a reason is welcome`, async () => {
    const annotations = { 'rwo-guard.dev/ignore': 'replicas-split: the pods are pinned by hand' };
    assert.deepEqual(await refusals(running[kind](3, { annotations })), []);
  });

  test(`a ${kind} with an owner that is made up is judged`, async () => {
    for (const apiVersion of ['apps/v1', 'batch/v1']) {
      for (const owner of ['Owner', ...WORKLOAD_KINDS]) {
        assert.deepEqual(await refusals(running[kind](3, controlledBy(apiVersion, owner))), ['replicas-split']);
      }
    }
  });

  test(`a ${kind} of an operator is judged`, async () => {
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Shop', name: 'a', uid: 'x', controller: true }];
    assert.deepEqual(await refusals(running[kind](3, { ownerReferences })), ['replicas-split']);
  });

  test(`a ${kind} that mounts a claim that is nowhere is an open question and never denied`, async () => {
    const empty = enforced();
    empty.state.tables.PersistentVolumeClaim.clear();
    const { response, warnings } = await empty.validate(creating(running[kind](3)));
    assert.equal(response.allowed, true);
    assert.match(warnings.join(), /claim shop\/data does not exist yet.*\[claim-unknown\]$/);
  });
}

for (const kind of WORKLOAD_KINDS.filter((other) => other !== 'Deployment')) {
  test(`a ${kind} is never mutated, whatever its namespace asks for`, async () => {
    for (const mutate of ['recreate', 'pod-affinity', 'auto']) {
      const cluster = scene({ labels: { 'rwo-guard.dev/mutate': mutate } });
      for (const request of [creating(running[kind](3)), updating(running[kind](1), running[kind](3))]) {
        const { response, observation } = await cluster.mutate(request);
        assert.deepEqual([response.allowed, response.patch, observation.verdict], [true, undefined, 'skip']);
      }
    }
  });
}

const ownClaims = { replicas: 3, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] };
const finished = (type: string) => ({ status: { conditions: [{ type, status: 'True' }] } });

for (const [what, object] of [
  ['a StatefulSet whose volumeClaimTemplates have the name of the claim’s volume', statefulSet(ownClaims)],
  ['a StatefulSet without replicas', statefulSet({ replicas: 0 })],
  ['a DaemonSet that one node alone may run', daemonSet({}, {}, { nodeSelector: { 'kubernetes.io/hostname': 'a' } })],
  ['a ReplicaSet without replicas', replicaSet({ replicas: 0 })],
  ['a Job that completes once, whatever its parallelism', job({ parallelism: 2, completions: 1 })],
  ['a Job with a parallelism of zero', job({ parallelism: 0 })],
  ['a Job that is suspended', job({ parallelism: 2, suspend: true })],
  ['a Job that is complete', { ...job({ parallelism: 2 }), ...finished('Complete') }],
  ['a Job that failed', { ...job({ parallelism: 2 }), ...finished('Failed') }],
  ['a Job with one pod left to complete', { ...job({ parallelism: 2, completions: 5 }), status: { succeeded: 4 } }],
  ['a CronJob that is suspended', scheduled({ suspend: true }, { parallelism: 2 })],
  ['a CronJob whose Jobs are suspended', cronJob({ parallelism: 2, suspend: true })],
  ['a CronJob whose Jobs complete once', cronJob({ parallelism: 2, completions: 1 })],
] as const) {
  test(`${what} is no hazard`, async () => {
    assert.deepEqual(await refusals(object), []);
  });
}

const onePod = { accessModes: ['ReadWriteOncePod'] };
const onNodeA = { nodeSelector: { 'kubernetes.io/hostname': 'a' } };

for (const [what, object, denied] of [
  ['two replicas of a StatefulSet', statefulSet({ replicas: 2 }, {}, onNodeA), true],
  ['two replicas of a ReplicaSet', replicaSet({ replicas: 2 }, {}, onNodeA), true],
  ['two pods of a Job', job({ parallelism: 2 }, {}, onNodeA), true],
  ['two pods of a CronJob', cronJob({ parallelism: 2 }, {}, onNodeA), true],
  ['a DaemonSet on several nodes', daemonSet(), true],
  ['a DaemonSet on one node', daemonSet({}, {}, onNodeA), false],
  ['one replica of a StatefulSet', statefulSet(), false],
  ['one pod of a Job', job(), false],
] as const) {
  test(`a ReadWriteOncePod claim is ${denied ? 'too little' : 'enough'} for ${what}`, async () => {
    const cluster = enforced();
    cluster.add(claim('data', onePod));
    assert.deepEqual(await refusals(object, cluster), denied ? ['replicas-split'] : []);
  });
}

for (const kind of ['StatefulSet', 'ReplicaSet', 'Job', 'CronJob'] as const) {
  test(`a ${kind} whose pods are on one node is welcome`, async () => {
    const single = enforced();
    for (const name of ['b', 'c']) single.state.tables.Node.delete(name);
    assert.deepEqual(await refusals(running[kind](3), single), []);
  });
}

test('the rollout of another kind is not spoken of in the words for Deployments', async () => {
  for (const object of [
    statefulSet({ replicas: 2 }),
    daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
  ]) {
    const { response } = await enforced().validate(creating(object));
    assert.doesNotMatch(response.status?.message ?? '', /rollout-|maxSurge/);
  }
});

for (const [what, object] of [
  ['a StatefulSet with replicas as text', statefulSet({ replicas: '3' })],
  ['a StatefulSet with an updateStrategy that does not exist', statefulSet({ updateStrategy: { type: 'Recreate' } })],
  ['a StatefulSet with a partition below zero', statefulSet({ updateStrategy: { rollingUpdate: { partition: -1 } } })],
  ['a StatefulSet with volumeClaimTemplates that are no list', statefulSet({ volumeClaimTemplates: {} })],
  ['a DaemonSet with a surge that is none', daemonSet({ updateStrategy: { rollingUpdate: { maxSurge: 'all' } } })],
  ['a ReplicaSet with a fraction of a replica', replicaSet({ replicas: 1.5 })],
  ['a ReplicaSet with a template that is text', replicaSet({ template: 'web' })],
  ['a Job with a parallelism below zero', job({ parallelism: -2 })],
  ['a Job with completions as text', job({ parallelism: 2, completions: 'all' })],
  ['a Job that is suspended by a text', job({ parallelism: 2, suspend: 'no' })],
  ['a Job with a status that is a list', { ...job({ parallelism: 2 }), status: [] }],
  ['a CronJob with a jobTemplate that is a list', scheduled({ jobTemplate: [] })],
  ['a CronJob with a number for its concurrencyPolicy', scheduled({ concurrencyPolicy: 5 }, { parallelism: 2 })],
  ['a CronJob whose Jobs have a parallelism out of range', cronJob({ parallelism: 2 ** 40 })],
] as const) {
  test(`${what} gets an answer, and never a denial`, async () => {
    for (const door of ['validate', 'mutate'] as const) {
      const { response, observation } = await enforced()[door](creating(object));
      assert.deepEqual([response.uid, response.allowed, observation.verdict], ['u-1', true, 'skip']);
    }
  });
}
