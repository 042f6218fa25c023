import assert from 'node:assert/strict';
import { test } from 'node:test';
import { known } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { cronJob, job, type OtherKind, RUNS, replicaSet, running, scheduled, statefulSet } from './kinds.ts';
import {
  claim,
  container,
  controlledBy,
  creating,
  deployment,
  enforcing,
  type Scene,
  scaling,
  scene,
  settings,
  storing,
  updating,
} from './scene.ts';

const enforced = (): Scene => scene({ labels: enforcing });

/** What an update comes to in enforce. */
async function updated(before: JsonObject, after: JsonObject): Promise<'denied' | 'warned' | 'allowed'> {
  const { response, warnings } = await enforced().validate(updating(before, after));
  if (!response.allowed) {
    assert.match(response.status?.message ?? '', /^\w+ shop\/web: .*\[replicas-split\]/);
    return 'denied';
  }
  return warnings.length > 0 ? 'warned' : 'allowed';
}

const annotated = { annotations: { 'rwo-guard.dev/replicas-before': '1' } };

for (const kind of WORKLOAD_KINDS) {
  const becomes = RUNS.has(kind) ? 'warned' : 'denied';
  test(`an update that gives a ${kind} more pods than its claim can serve is ${becomes}`, async () => {
    assert.equal(await updated(running[kind](1), running[kind](3)), becomes);
  });

  test(`an update of a ${kind} that had the problem before is warned of and goes through`, async () => {
    assert.equal(await updated(running[kind](3), running[kind](3, annotated)), 'warned');
  });

  test(`an update that ends the problem of a ${kind} goes through`, async () => {
    assert.equal(await updated(running[kind](3), running[kind](1)), 'allowed');
  });

  if (!RUNS.has(kind)) {
    test(`existing: deny refuses the problem that a ${kind} had before`, async () => {
      const policy = { dryRun: 'warn', existing: 'deny', exemptions: 'allow', overBudget: 'warn' } as const;
      const strict = scene({ labels: enforcing, settings: settings({ policy }) });
      const { response } = await strict.validate(updating(running[kind](3), running[kind](3, annotated)));
      assert.equal(response.allowed, false);
    });
  }

  test(`a ${kind} whose status alone changes passes at once`, async () => {
    const { observation } = await enforced().validate(
      updating(running[kind](3), { ...running[kind](3), status: { active: 3 } }),
    );
    assert.equal(observation.verdict, 'skip');
  });

  test(`a ${kind} that is being deleted passes at once`, async () => {
    const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const { observation } = await enforced().validate(updating(running[kind](1, going), running[kind](3, going)));
    assert.equal(observation.verdict, 'skip');
  });

  test(`a claim that comes after the ${kind} that waits for it is ${becomes} with its finding`, async () => {
    for (const isWatched of [true, false]) {
      const late = scene({ labels: enforcing, lookUp: storing(running[kind](3)) });
      late.state.tables.PersistentVolumeClaim.clear();
      if (isWatched) late.add(running[kind](3));
      else assert.equal((await late.validate(creating(running[kind](3)))).response.allowed, true);
      const { response, warnings } = await late.validate(creating(claim()));
      assert.equal(response.allowed, RUNS.has(kind));
      const told = RUNS.has(kind)
        ? /^\w+ shop\/web mounts this claim: .*\[replicas-split\]/
        : /^PersistentVolumeClaim shop\/data refused: \w+ web mounts it, .*\[replicas-split\]/;
      assert.match(response.status?.message ?? warnings.join(), told);
    }
  });

  test(`a dry run of a claim sees the ${kind} that the same user dry-ran, and a real request does not`, async () => {
    const late = enforced();
    late.state.tables.PersistentVolumeClaim.clear();
    await late.validate(creating(running[kind](3), { dryRun: true }));
    assert.match(
      (await late.validate(creating(claim(), { dryRun: true }))).warnings.join(),
      RUNS.has(kind) ? /^\w+ shop\/web mounts this claim: / : /^would be denied: \w+ shop\/web mounts this claim: /,
    );
    assert.deepEqual((await late.validate(creating(claim()))).warnings, []);
  });
}

const suspended = { suspend: true };
const finished = { conditions: [{ type: 'Complete', status: 'True' }] };

for (const [what, before, after, becomes] of [
  ['more parallelism of a suspended Job', job(suspended), job({ ...suspended, parallelism: 3 }), 'allowed'],
  ['resuming a Job', job({ ...suspended, parallelism: 3 }), job({ parallelism: 3 }), 'warned'],
  ['resuming a Job of one pod', job(suspended), job(), 'allowed'],
  ['suspending a Job', job({ parallelism: 3 }), job({ ...suspended, parallelism: 3 }), 'allowed'],
  ['more parallelism of a CronJob', cronJob(), cronJob({ parallelism: 2 }), 'warned'],
  [
    'more parallelism of a suspended CronJob',
    scheduled(suspended),
    scheduled(suspended, { parallelism: 2 }),
    'allowed',
  ],
  ['resuming a CronJob', scheduled(suspended, { parallelism: 2 }), cronJob({ parallelism: 2 }), 'warned'],
  [
    'a later schedule of a CronJob with the problem',
    cronJob({ parallelism: 2 }),
    scheduled({ schedule: '0 4 * * *' }, { parallelism: 2 }),
    'warned',
  ],
  [
    'a finished Job that is to be kept for less long',
    { ...job({ parallelism: 3 }), status: finished },
    { ...job({ parallelism: 3, ttlSecondsAfterFinished: 60 }), status: finished },
    'allowed',
  ],
  [
    'more parallelism of a Job with one pod left to complete',
    { ...job({ completions: 5 }), status: { succeeded: 4 } },
    { ...job({ completions: 5, parallelism: 3 }), status: { succeeded: 4 } },
    'allowed',
  ],
  [
    'a partition that holds a StatefulSet’s rollout',
    statefulSet({ replicas: 3 }),
    statefulSet({ replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 3 } } }),
    'warned',
  ],
  [
    'a new image for a StatefulSet of one replica',
    statefulSet(),
    statefulSet({}, {}, { containers: [container('web:2')] }),
    'allowed',
  ],
  [
    'a StatefulSet’s move to another node',
    statefulSet({}, {}, { nodeSelector: { 'kubernetes.io/hostname': 'a' } }),
    statefulSet({}, {}, { nodeSelector: { 'kubernetes.io/hostname': 'b' } }),
    'allowed',
  ],
] as const) {
  test(`${what} is ${becomes}`, async () => {
    assert.equal(await updated(before, after), becomes);
  });
}

for (const [kind, built] of [
  ['StatefulSet', statefulSet],
  ['ReplicaSet', replicaSet],
] as const) {
  test(`scaling a ${kind} up is denied, and by an autoscaler warned of`, async () => {
    const scaled = enforced();
    scaled.add(built());
    const { response } = await scaled.validate(scaling(1, 3, {}, built()));
    assert.match(
      response.status?.message ?? '',
      /^\w+ shop\/web: .*\[replicas-split\]\n {2}why: {2}3 replicas .*claim data/,
    );
    const username = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';
    const asked = await scaled.validate(scaling(1, 3, { userInfo: { username } }, built()));
    assert.equal(asked.response.allowed, true);
    assert.match(asked.warnings.join(), /\[replicas-split\]$/);
  });

  test(`scaling a ${kind} from none to one, down, or to as many as before a stop is welcome`, async () => {
    const scaled = enforced();
    scaled.add(built({ replicas: 0 }, { annotations: { 'rwo-guard.dev/replicas-before': '3' } }));
    for (const [from, to] of [
      [0, 1],
      [3, 2],
      [0, 3],
    ] as const) {
      assert.equal((await scaled.validate(scaling(from, to, {}, built()))).response.allowed, true);
    }
    assert.equal((await scaled.validate(scaling(0, 4, {}, built()))).response.allowed, false);
  });

  test(`scaling a ${kind} that was split already is warned of and goes through`, async () => {
    const scaled = enforced();
    scaled.add(built({ replicas: 2 }));
    const { response, warnings } = await scaled.validate(scaling(2, 3, {}, built()));
    assert.equal(response.allowed, true);
    assert.match(warnings.join(), /\[replicas-split\]$/);
  });

  test(`scaling a ${kind} whose exemption gives a reason is welcome`, async () => {
    const scaled = enforced();
    scaled.add(built({}, { annotations: { 'rwo-guard.dev/ignore': 'replicas-split: tested' } }));
    assert.deepEqual((await scaled.validate(scaling(1, 3, {}, built()))).warnings, []);
  });
}

test('scaling a StatefulSet whose pods have claims of their own is welcome', async () => {
  const own = statefulSet({ volumeClaimTemplates: [{ metadata: { name: 'data' } }] });
  const scaled = finding('StatefulSet', own);
  const { response, warnings } = await scaled.validate(scaling(1, 3, {}, own));
  assert.deepEqual([response.allowed, warnings], [true, []]);
});

for (const [what, owner, allowed] of [
  ['as many pods', { replicas: 3, uid: '1' }, true],
  ['fewer pods', { replicas: 1, uid: '1' }, false],
  ['as many pods, and has another uid,', { replicas: 3, uid: '2' }, false],
] as const) {
  test(`scaling the ReplicaSet of a Deployment that wants ${what} is ${allowed ? 'no business of ours' : 'denied'}`, async () => {
    const { replicas, uid } = owner;
    const owned = replicaSet({}, { resourceVersion: '7', ...controlledBy('apps/v1', 'Deployment', '1', 'web') });
    const stored = [owned, deployment({ replicas, strategy: { type: 'Recreate' } }, { uid })];
    const { response, warnings } = await scene({ labels: enforcing, lookUp: storing(...stored) }).validate(
      scaling(1, 3, {}, owned),
    );
    assert.deepEqual([response.allowed, warnings], [allowed, []]);
  });
}

test('kinds without a scale subresource have none that is judged', async () => {
  for (const kind of ['DaemonSet', 'Job', 'CronJob'] as const) {
    const { response } = await enforced().validate(scaling(1, 3, {}, running[kind](1)));
    assert.match(response.auditAnnotations?.skipped ?? '', /^resource \w+\/scale is not judged$/);
  }
});

/** A scene whose watch passes over the object, so that it is read by name. */
function finding(kind: OtherKind, object: JsonObject): Scene {
  const found = known(workloadFrom(kind, object));
  return scene({ labels: enforcing, lookUp: async (refs) => refs.map((ref) => ({ ...ref, kind, found })) });
}
