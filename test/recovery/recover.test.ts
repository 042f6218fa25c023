import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { wordsOf } from '../../src/recovery/action.ts';
import { diagnose } from '../../src/recovery/diagnose.ts';
import { nextStep } from '../../src/recovery/next-step.ts';
import { planFor } from '../../src/recovery/plan.ts';
import { planText } from '../../src/recovery/plan-text.ts';
import { RECOVERY } from '../../src/recovery/record.ts';
import type { Mandate } from '../../src/recovery/refusals.ts';
import {
  attachment,
  before,
  claim,
  custom,
  nameOf,
  nfs,
  node,
  pod,
  rollout,
  useIn,
  volume,
  workload,
} from './scene.ts';
import { NO_MANDATE, recovered, written } from './simulated.ts';

const web = workload('Deployment', 'web', { replicas: 3 });
const replicaSet = workload('ReplicaSet', 'web-1', { replicas: 3, of: web });
const db = workload('StatefulSet', 'db');
const report = workload('Job', 'report');
const nightly = workload('CronJob', 'nightly');

const nightRun = workload('Job', 'nightly-1', { of: nightly });

/** Everything that may use an export, of which one pod does not end. */
const stuckExport: readonly JsonObject[] = [
  ...[
    nightRun,
    claim(),
    nfs(),
    node('node-a'),
    node('node-b'),
    web,
    replicaSet,
    db,
    report,
    nightly,
    workload('Deployment', 'idle', { replicas: 0 }),
  ],
  pod('web-1-a', { on: 'node-a', of: replicaSet, overdue: 300 }),
  pod('web-1-b', { on: 'node-b', of: replicaSet }),
  pod('db-0', { on: 'node-b', of: db }),
  pod('report-x', { on: 'node-b', of: report }),
  pod('alone', { on: 'node-a', metadata: { labels: { app: 'alone' } } }),
];

const ALL = [
  'note on claim shop/data what is going to be stopped',
  'suspend CronJob shop/nightly',
  'scale Deployment shop/web from 3 to 0',
  'suspend Job shop/nightly-1',
  'suspend Job shop/report',
  'scale StatefulSet shop/db from 1 to 0',
  'delete pod shop/alone',
  'note on claim shop/data that everything is to be started again',
  'let CronJob shop/nightly go on',
  'scale Deployment shop/web back to 3',
  'let Job shop/nightly-1 go on',
  'let Job shop/report go on',
  'scale StatefulSet shop/db back to 1',
  'make pod shop/alone again',
  'take rwo-guard.dev/replicas-before off Deployment shop/web',
  'take rwo-guard.dev/replicas-before off StatefulSet shop/db',
  'take the note off claim shop/data',
];

test('everything that uses a stuck export is stopped, and then is exactly what it was', () => {
  const { actions, objects, end } = recovered(stuckExport);
  assert.deepEqual(actions.map(wordsOf), ALL);
  assert.equal(end.type, 'closed');
  const specs = (all: readonly JsonObject[]) =>
    Object.fromEntries(
      all.filter(({ kind }) => kind !== 'Pod').map((one) => [nameOf(one), { suspend: false, ...(one.spec as object) }]),
    );
  assert.deepEqual(specs(objects), specs(stuckExport.map((one) => (nameOf(one) === 'report' ? one : one))));
  assert.ok(objects.some((one) => nameOf(one) === 'alone'));
});

test('whoever comes after a crash at any write goes on to the same end', () => {
  const whole = recovered(stuckExport);
  for (let crash = 0; crash < ALL.length; crash++) {
    const first = recovered(stuckExport, {}, crash);
    const second = recovered(first.objects);
    assert.deepEqual([...first.actions, ...second.actions].map(wordsOf), ALL);
    assert.deepEqual(second.objects, whole.objects);
  }
});

test('what was stopped is started at once where somebody wants it back', () => {
  const pods = stuckExport.filter(({ kind }) => kind === 'Pod').map(nameOf);
  for (let crash = 1; crash < 7; crash++) {
    const { objects, end } = recovered(recovered(stuckExport, {}, crash).objects, { rollBack: true });
    assert.equal(end.type, 'closed');
    const scaled = objects
      .map((one) => (one.spec as { replicas?: number }).replicas)
      .filter((count) => count !== undefined);
    assert.deepEqual(scaled, [3, 3, 1, 0]);
    assert.ok(pods.includes('alone') && objects.some((one) => nameOf(one) === 'alone'));
  }
  assert.deepEqual(recovered(stuckExport, { rollBack: true }).end, { type: 'done', words: 'no recovery is under way' });
});

test('a plain pod that somebody deletes already is not made again', () => {
  const deleted = stuckExport.map((one) =>
    nameOf(one) === 'alone' ? pod('alone', { on: 'node-a', overdue: 300 }) : one,
  );
  const { actions, end } = recovered(deleted);
  assert.ok(!actions.some(({ type }) => type === 'delete-pod' || type === 'make-pod'));
  assert.deepEqual(end, { type: 'wait', for: 'shop/alone to end' });
});

test('replicas that changed between the note and the stop are those that come back', () => {
  const first = recovered(stuckExport, {}, 1);
  const scaled = first.objects.map((one) =>
    nameOf(one) === 'web' ? { ...one, spec: { ...(one.spec as object), replicas: 5 } } : one,
  );
  const { actions } = recovered(scaled);
  assert.ok(actions.map(wordsOf).includes('scale Deployment shop/web back to 5'));
});

test('a rollout that hangs is stopped, and waits for its attachment to go', () => {
  const { actions, end } = recovered(rollout({ replicas: 2 }));
  assert.deepEqual(actions.map(wordsOf).slice(1, 4), [
    'scale Deployment shop/web from 2 to 0',
    'note on claim shop/data that everything is to be started again',
    'scale Deployment shop/web back to 2',
  ]);
  assert.equal(end.type, 'closed');
  const stopped = recovered(rollout(), {}, 2).objects;
  assert.deepEqual(nextStep(useIn([...stopped, attachment('node-a')]), NO_MANDATE), {
    type: 'wait',
    for: 'the volume to come off node-a',
  });
});

const two: readonly JsonObject[] = [
  ...[claim(), volume(), node('node-a'), node('node-b'), attachment('node-a'), db, web, replicaSet],
  pod('db-0', { on: 'node-a', of: db }),
  pod('web-1-a', { on: 'node-b', of: replicaSet, starting: true }),
];

test('of two owners the one that is not kept stays stopped, and may go back', () => {
  assert.deepEqual(nextStep(useIn(two), NO_MANDATE), {
    type: 'refuse',
    because: ['say which owner keeps the claim: --keep KIND/NAME'],
  });
  const { actions, objects } = recovered(two, { keep: 'deployment/web' });
  assert.deepEqual(actions.map(wordsOf), [ALL[0], 'scale StatefulSet shop/db from 1 to 0', ALL.at(-1)]);
  const { metadata } = objects.find((one) => nameOf(one) === 'db') as { metadata: { annotations: object } };
  assert.deepEqual(metadata.annotations, { 'rwo-guard.dev/replicas-before': '1' });
  for (const crash of [1, 2]) {
    const rest = recovered(recovered(two, { keep: 'deployments/web' }, crash).objects);
    assert.deepEqual(rest.objects, objects);
  }
});

const down = [
  ...[claim(), volume(), attachment('node-a'), node('node-b'), db],
  node('node-a', { ready: 'Unknown', since: 600 }),
  pod('db-0', { on: 'node-a', of: db, overdue: 270 }),
];

test('nothing is taken from a silent node before somebody says that it is off', () => {
  assert.deepEqual(recovered(down).end, {
    type: 'refuse',
    because: ['is the machine of node-a off, and does it stay off? If so: --node-is-off node-a'],
  });
  assert.equal(recovered(down, { nodeIsOff: ['node-b'] }).end.type, 'refuse');
  const { actions, end } = recovered(down, { nodeIsOff: ['node-a'] });
  assert.deepEqual(actions, [{ type: 'out-of-service', node: 'node-a', bootId: 'boot-of-node-a' }]);
  assert.deepEqual(end, { type: 'wait', for: 'shop/db-0 to go' });
});

test('the attachment to a deleted node is waited for, and deleted only for a machine that is off', () => {
  const stale = [
    claim(),
    volume(),
    attachment('node-a'),
    node('node-b'),
    db,
    pod('db-0', { on: 'node-b', of: db, starting: true }),
  ];
  assert.deepEqual(recovered(stale).end, { type: 'wait', for: 'the volume to come off node-a' });
  assert.deepEqual(recovered(stale, { nodeIsOff: ['node-a'] }).actions.map(wordsOf), [
    'delete attachment csi-data-node-a to node-a',
  ]);
});

test('while a note is there, a pod on a node that went down meanwhile is let go by the same word', () => {
  const noted = recovered(stuckExport, {}, 1).objects.map((one) =>
    nameOf(one) === 'node-a' ? node('node-a', { ready: 'Unknown' }) : one,
  );
  const next = nextStep(useIn(noted), { ...NO_MANDATE, nodeIsOff: ['node-a'] });
  assert.deepEqual(next.type === 'do' ? next.action.type : next, 'out-of-service');
});

const GITOPS = {
  labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop', 'kustomize.toolkit.fluxcd.io/namespace': 'flux' },
};
const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 'shop', name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } } },
  status: { disruptionsAllowed: 0 },
};

for (const { name, objects, says, may } of [
  {
    name: 'Flux, which would scale it back',
    objects: rollout(GITOPS),
    says: /applied by Flux Kustomization flux\/shop, which would scale it back: flux suspend kustomization shop -n flux, then --gitops-suspended/,
    may: { gitOpsSuspended: true },
  },
  {
    name: 'a budget that lets no pod go',
    objects: [...rollout(), BUDGET],
    says: /PodDisruptionBudget shop\/web lets 0 of its pods go.*web-old-1/,
    may: { despiteBudgets: true },
  },
  {
    name: 'an operator',
    objects: rollout({ of: custom('Database', 'main') }),
    says: /nobody may be stopped while something is not seen|its operator decides/,
  },
  {
    name: 'a static pod',
    objects: [
      ...stuckExport,
      pod('static', { on: 'node-a', metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
    ],
    says: /static pod/,
  },
  {
    name: 'a DaemonSet',
    objects: [...stuckExport, workload('DaemonSet', 'agent')],
    says: /DaemonSet shop\/agent cannot be scaled/,
  },
  {
    name: 'a StatefulSet whose claims would go with its pods',
    objects: [
      ...rollout(),
      workload('StatefulSet', 'db', {
        spec: {
          volumeClaimTemplates: [{ metadata: { name: 'cache' } }],
          persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
        },
      }),
    ],
    says: /StatefulSet shop\/db deletes its claims, and their data/,
  },
  {
    name: 'a claim that goes with its pod',
    objects: [
      ...rollout().filter(({ kind }) => kind !== 'PersistentVolumeClaim'),
      claim('data', { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x', controller: true }] }),
    ],
    says: /the claim is its pod's own/,
  },
] as readonly { name: string; objects: readonly JsonObject[]; says: RegExp; may?: Partial<Mandate> }[]) {
  test(`nothing is stopped because of ${name}`, () => {
    const { actions, end } = recovered(objects);
    assert.deepEqual(actions, []);
    assert.match(end.type === 'refuse' ? end.because.join('\n') : end.type, says);
    if (may !== undefined) assert.equal(recovered(objects, may).end.type, 'closed');
  });
}

test('a pod that has only just come is waited for', () => {
  const young = (seconds: number) => {
    const conditions = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: before(seconds) }];
    return [
      claim(),
      volume(),
      node('node-b'),
      attachment('node-b'),
      pod('new', { on: 'node-b', starting: true, status: { conditions } }),
    ];
  };
  assert.deepEqual(recovered(young(10)).end, { type: 'wait', for: 'shop/new to come up' });
  assert.equal(recovered(young(300)).end.type, 'refuse');
});

test('a note that nobody can read is left to a person', () => {
  const noted = rollout().map((one) =>
    one.kind === 'PersistentVolumeClaim' ? claim('data', { annotations: { [RECOVERY]: '{' } }) : one,
  );
  assert.equal(recovered(noted).end.type, 'refuse');
});

test('the plan has its steps in order, and what tools would undo is told first', () => {
  const use = useIn(rollout(GITOPS));
  assert.equal(
    planText(planFor(use, diagnose(use), NO_MANDATE)),
    `1.  Deployment shop/web is applied by Flux Kustomization flux/shop: have it wait
      flux suspend kustomization shop -n flux
2.  * note on claim shop/data what is going to be stopped
3.  * scale Deployment shop/web from 1 to 0
      kubectl -n shop patch deployment web --type merge -p '{"metadata":{"annotations":{"rwo-guard.dev/replicas-before":"1"}},"spec":{"replicas":0}}'
4.  * wait until no pod uses the claim and it is attached nowhere
      rwo-guard who-uses shop/data
5.  * scale Deployment shop/web back to 1
      kubectl -n shop scale deployment web --replicas=1
6.  * take rwo-guard.dev/replicas-before off Deployment shop/web
      kubectl -n shop annotate deployment web rwo-guard.dev/replicas-before-
7.  so that the next rollout does not hang: give the Deployment strategy Recreate
      rwo-guard rules rollout-deadlock

* is done by --apply
not yet: Deployment shop/web is applied by Flux Kustomization flux/shop, which would scale it back: flux suspend kustomization shop -n flux, then --gitops-suspended
`,
  );
});

test('for a silent node the plan asks to power it off before anything is taken from it', () => {
  const use = useIn(down);
  const plan = planText(planFor(use, diagnose(use), NO_MANDATE));
  assert.match(plan, /^2\. {2}power the machine of node-a off.*\n3\. {2}\* declare node node-a out of service/m);
  assert.match(plan, /only once node-a has started anew, and its boot id is not boot-of-node-a any more/);
  assert.doesNotMatch(plan, /--force|delete volumeattachment/);
});

test('a claim that goes with its data: the data is kept first', () => {
  const use = useIn([claim('data', { deletionTimestamp: before(60) }), volume(), pod('a', { on: 'node-a' })]);
  assert.match(
    planText(planFor(use, diagnose(use), NO_MANDATE)),
    /^1\. {2}keep the data.*\n {6}kubectl patch pv pv-data .*Retain/,
  );
});

test('a recovery that is under way is what the plan tells of', () => {
  const [action] = recovered(rollout()).actions;
  const use = useIn(action === undefined ? [] : written(rollout(), action));
  assert.match(planText(planFor(use, diagnose(use), NO_MANDATE)), /a recovery of this claim is under way/);
});
