import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import type { WorkloadKind } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import {
  claimNames,
  concernsOthers,
  holdsVolumes,
  makerOf,
  mountsVolumes,
  ordinalOfOwner,
  runSamePods,
  runsPods,
} from '../../src/objects/workload.ts';

const CLAIM = { name: 'a', persistentVolumeClaim: { claimName: 'data' } };
const DISK = { name: 'b', awsElasticBlockStore: { volumeID: 'v' } };

const mounting = (...volumes: readonly JsonObject[]) =>
  workloadFrom('Deployment', { spec: { template: { spec: { volumes } } } });

test('a workload shares volumes where its template names a claim or a disk', () => {
  assert.equal(mountsVolumes(mounting(CLAIM)), true);
  assert.equal(mountsVolumes(mounting(DISK)), true);
  assert.equal(mountsVolumes(mounting({ name: 'c', emptyDir: {} })), false);
});

test('its claims are named once each, and disks are none', () => {
  assert.deepEqual(claimNames(mounting(CLAIM, DISK, { ...CLAIM, name: 'again' })), ['data']);
});

const deleting = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };

const running: readonly (readonly [string, WorkloadKind, JsonObject, boolean])[] = [
  ['a Deployment', 'Deployment', {}, true],
  ['a paused Deployment, whose pods stay', 'Deployment', { spec: { paused: true } }, true],
  ['a Deployment of no replicas', 'Deployment', { spec: { replicas: 0 } }, false],
  ['a Deployment that is being deleted', 'Deployment', deleting, false],
  ['a DaemonSet', 'DaemonSet', { spec: { replicas: 0 } }, true],
  ['a DaemonSet that is being deleted', 'DaemonSet', deleting, false],
  ['a suspended Job', 'Job', { spec: { suspend: true } }, false],
  ['a CronJob', 'CronJob', {}, true],
  ['a suspended CronJob', 'CronJob', { spec: { suspend: true } }, false],
  ['a CronJob of suspended Jobs', 'CronJob', { spec: { jobTemplate: { spec: { suspend: true } } } }, false],
  ['a Job with a condition', 'Job', { status: { conditions: [{ type: 'Suspended', status: 'True' }] } }, true],
  ['a Job that has not failed', 'Job', { status: { conditions: [{ type: 'Failed', status: 'False' }] } }, true],
  ['a Job that has failed', 'Job', { status: { conditions: [{ type: 'Failed', status: 'True' }] } }, false],
  ['a Job that is complete', 'Job', { status: { conditions: [{ type: 'Complete', status: 'True' }] } }, false],
];

for (const [name, kind, object, expected] of running) {
  test(`${name} ${expected ? 'runs' : 'does not run'} pods`, () => {
    assert.equal(runsPods(workloadFrom(kind, object)), expected);
  });
}

test('a Job runs no more pods than it still needs', () => {
  const replicas = (spec: JsonObject, succeeded?: number) =>
    workloadFrom('Job', { spec, status: { succeeded } }).replicas;
  assert.equal(replicas({ parallelism: 3 }), 3);
  assert.equal(replicas({ parallelism: 3, completions: 2 }), 2);
  assert.equal(replicas({ parallelism: 3, completions: 4 }, 2), 2);
  assert.equal(replicas({ parallelism: 3, completions: 2 }, 3), 0);
});

const strategies: readonly (readonly [string, WorkloadKind, JsonObject, JsonObject])[] = [
  ['Recreate', 'Deployment', { strategy: { type: 'Recreate' } }, { type: 'Recreate' }],
  [
    'pods and a percentage',
    'Deployment',
    { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '100%' } } },
    { type: 'RollingUpdate', maxSurge: { type: 'int', value: 0 }, maxUnavailable: { type: 'percent', value: 100 } },
  ],
  ['OnDelete', 'StatefulSet', { updateStrategy: { type: 'OnDelete' } }, { type: 'OnDelete' }],
  [
    'a partition',
    'StatefulSet',
    { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
    { type: 'StatefulSetRolling', partition: 2 },
  ],
  ['OnDelete', 'DaemonSet', { updateStrategy: { type: 'OnDelete' } }, { type: 'OnDelete' }],
  [
    'a surge',
    'DaemonSet',
    { updateStrategy: { rollingUpdate: { maxSurge: '10%' } } },
    { type: 'DaemonSetRolling', surges: true },
  ],
  [
    'a surge of none',
    'DaemonSet',
    { updateStrategy: { rollingUpdate: { maxSurge: '0%' } } },
    { type: 'DaemonSetRolling', surges: false },
  ],
];

for (const [name, kind, spec, expected] of strategies) {
  test(`a ${kind} with ${name} is replaced so`, () => {
    assert.deepEqual(workloadFrom(kind, { spec }).strategy, expected);
  });
}

/** Values of a field that has a few, and what a person is told who writes another. */
const refused: readonly (readonly [WorkloadKind, JsonObject, string])[] = [
  ['Deployment', { strategy: { type: 'Rolling' } }, 'type must be RollingUpdate or Recreate, not "Rolling"'],
  ['StatefulSet', { updateStrategy: { type: 'Recreate' } }, 'type must be RollingUpdate or OnDelete, not "Recreate"'],
  ['DaemonSet', { updateStrategy: { type: 'Recreate' } }, 'type must be RollingUpdate or OnDelete, not "Recreate"'],
  ['CronJob', { concurrencyPolicy: 'Deny' }, 'concurrencyPolicy must be Allow, Forbid or Replace, not "Deny"'],
  [
    'Deployment',
    { strategy: { rollingUpdate: { maxSurge: '10%%' } } },
    'maxSurge must be a whole number or a percentage, not "10%%"',
  ],
];

for (const [kind, spec, message] of refused) {
  test(`a ${kind} is refused: ${message}`, () => {
    assert.throws(() => workloadFrom(kind, { spec }), { message: `${message}: correct the manifest` });
  });
}

test('runs of a CronJob overlap unless it says otherwise', () => {
  const policy = (concurrencyPolicy?: string) =>
    workloadFrom('CronJob', { spec: { concurrencyPolicy } }).concurrencyPolicy;
  assert.deepEqual(
    [policy(), policy(''), policy('Forbid'), policy('Replace')],
    ['Allow', 'Allow', 'Forbid', 'Replace'],
  );
  assert.equal(workloadFrom('Job', {}).concurrencyPolicy, undefined);
});

test('the pods of a StatefulSet have claims of their own, numbered from its first ordinal', () => {
  const hidden = [
    { name: 'data', persistentVolumeClaim: { claimName: 'x' } },
    { ...DISK, name: 'data' },
  ];
  const spec = {
    ordinals: { start: 3 },
    volumeClaimTemplates: [{ metadata: { name: 'data' } }, {}],
    template: { spec: { volumes: [CLAIM, DISK, ...hidden] } },
  };
  const { ownClaims, template } = workloadFrom('StatefulSet', { metadata: { name: 'db' }, spec });
  assert.deepEqual(ownClaims, { prefixes: ['data-db', '-db'], firstOrdinal: 3 });
  const named = [template.volumes, template.restrictedDisks].map((each) => each.map(({ volume }) => volume));
  assert.deepEqual(named, [['a', 'b'], ['b']]);
});

test('a StatefulSet holds the claims of its pods, and no others of like names', () => {
  const spec = { replicas: 2, ordinals: { start: 3 }, volumeClaimTemplates: [{ metadata: { name: 'data' } }] };
  const db = workloadFrom('StatefulSet', { metadata: { name: 'db' }, spec });
  const ordinals = [
    'data-db-3',
    'data-db-4',
    'data-db-2',
    'data-db-5',
    'data-db-03',
    'data-db-',
    'data-db',
    'logs-db-3',
  ];
  assert.deepEqual(
    ordinals.map((name) => ordinalOfOwner(db, name)),
    [3, 4, ...ordinals.slice(2).map(() => undefined)],
  );
  assert.equal(ordinalOfOwner(workloadFrom('StatefulSet', { spec: { replicas: 99 } }), 'data-db-3'), undefined);
  const many = workloadFrom('StatefulSet', { metadata: { name: 'db' }, spec: { ...spec, replicas: 99 } });
  assert.equal(ordinalOfOwner(many, 'data-db-12'), 12);
});

test('a workload holds volumes of its pods, shared ones or none', () => {
  assert.equal(holdsVolumes(workloadFrom('StatefulSet', { spec: { volumeClaimTemplates: [{}] } })), true);
  assert.equal(holdsVolumes(mounting(CLAIM)), true);
  assert.equal(holdsVolumes(mounting()), false);
});

test('a workload concerns others by its volumes or by its pods', () => {
  const idle = { spec: { replicas: 0 } };
  assert.equal(concernsOthers(workloadFrom('Deployment', {})), true);
  assert.equal(concernsOthers(workloadFrom('Deployment', idle)), false);
  assert.equal(concernsOthers({ ...mounting(CLAIM), replicas: 0 }), true);
});

function controlledBy(apiVersion: string, kind: string, controller = true) {
  return { metadata: { name: 'made', ownerReferences: [{ apiVersion, kind, name: 'web', uid: '1', controller }] } };
}

test('only a ReplicaSet may be made by a Deployment, and a Job by a CronJob', () => {
  const made = (kind: WorkloadKind, ...by: Parameters<typeof controlledBy>) =>
    makerOf(workloadFrom(kind, controlledBy(...by))) !== undefined;
  assert.equal(made('ReplicaSet', 'apps/v1', 'Deployment'), true);
  assert.equal(made('Job', 'batch/v1', 'CronJob'), true);
  assert.equal(made('ReplicaSet', 'apps/v1', 'Deployment', false), false);
  assert.equal(made('ReplicaSet', 'example.com/v1', 'Deployment'), false);
  assert.equal(made('ReplicaSet', 'apps/v1', 'StatefulSet'), false);
  assert.equal(made('Deployment', 'apps/v1', 'Deployment'), false);
  assert.equal(made('ReplicaSet', 'batch/v1', 'CronJob'), false);
  assert.equal(makerOf(workloadFrom('Job', {})), undefined);
});

test('the maker of a workload has the uid that it names, and is in its namespace', () => {
  const made = workloadFrom('ReplicaSet', controlledBy('apps/v1', 'Deployment'));
  const other = (metadata: object) => workloadFrom('Deployment', { metadata: { name: 'web', uid: '1', ...metadata } });
  assert.equal(runSamePods(made, other({})), true);
  assert.equal(runSamePods(other({}), made), true);
  for (const metadata of [{ uid: '2' }, { name: 'other' }, { namespace: 'shop' }]) {
    assert.equal(runSamePods(made, other(metadata)), false);
  }
});

test('what is said to be made by another one concerns others while it runs pods', () => {
  const made = workloadFrom('ReplicaSet', controlledBy('apps/v1', 'Deployment'));
  assert.equal(concernsOthers(made), true);
  assert.equal(concernsOthers({ ...mounting(CLAIM), ...made, replicas: 0 }), false);
});

const counted: readonly (readonly [string, WorkloadKind, JsonObject, boolean])[] = [
  ['has no status yet', 'Deployment', {}, false],
  ['has replaced all pods', 'Deployment', { replicas: 2, updatedReplicas: 2, readyReplicas: 2 }, false],
  ['has pods of an older template', 'Deployment', { replicas: 2, updatedReplicas: 1, readyReplicas: 2 }, true],
  ['has a pod that is not ready', 'StatefulSet', { replicas: 2, updatedReplicas: 2, readyReplicas: 1 }, true],
  ['never replaces any', 'ReplicaSet', { replicas: 2, readyReplicas: 1 }, false],
];

for (const [name, kind, status, expected] of counted) {
  test(`a ${kind} that ${name} ${expected ? 'may be' : 'is not'} in the middle of an update`, () => {
    assert.equal(workloadFrom(kind, { status }).isRollingOut, expected);
  });
}

test('a volume is mounted by containers of any kind, as files or as a device', () => {
  const isMounted = (spec: JsonObject) =>
    workloadFrom('Deployment', { spec: { template: { spec: { volumes: [CLAIM], ...spec } } } }).template.volumes.map(
      (volume) => volume.isMounted,
    );
  const idle = { name: 'idle' };
  assert.deepEqual(isMounted({ containers: [{ volumeMounts: [{ name: 'b' }] }, idle] }), [false]);
  assert.deepEqual(isMounted({ containers: [{ volumeDevices: [{ name: 'a' }] }] }), [true]);
  assert.deepEqual(isMounted({ containers: [idle], initContainers: [{ volumeMounts: [{ name: 'a' }] }] }), [true]);
});

test('of a part of a template nobody says what its containers mount', () => {
  assert.equal(mounting(CLAIM).template.volumes[0]?.isMounted, true);
});
