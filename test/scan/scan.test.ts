import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { type Pod, podFrom } from '../../src/objects/pod.ts';
import { volumeAttachmentFrom } from '../../src/objects/volume-attachment.ts';
import { Holders } from '../../src/scan/holders.ts';
import { disk } from '../forecast/scene.ts';
import { attachment, findingOf, LONG_AGO, namespace, pod, scanned, WEB, workload } from './scene.ts';

/** What was found, as `Kind name: rule`. */
function found(objects: readonly JsonObject[], asked = {}): readonly string[] {
  return scanned(objects, asked).findings.map(({ rule, resource }) => `${resource.kind} ${resource.name}: ${rule.id}`);
}

test('a Deployment is judged once, and its ReplicaSets not beside it', () => {
  assert.deepEqual(found(WEB), ['Deployment web: rollout-deadlock']);
});

test('a ReplicaSet whose Deployment is gone is judged by itself', () => {
  const left = workload({ kind: 'ReplicaSet', name: 'web-1', of: 'Deployment/web', replicas: 2 });
  assert.deepEqual(found([left]), ['ReplicaSet web-1: replicas-split']);
});

test('what runs nothing and what shares nothing is clean', () => {
  const fine = [
    workload({ replicas: 0 }),
    workload({ kind: 'CronJob', name: 'off', spec: { suspend: true } }),
    workload({
      kind: 'StatefulSet',
      name: 'db',
      claims: [],
      spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
    }),
    workload({ kind: 'Deployment', name: 'plain', claims: [] }),
  ];
  const report = scanned(fine);
  assert.deepEqual(report.findings, []);
  assert.equal(report.summary.workloads, 4);
});

test('what an operator made says whose it is, for a remedy goes there', () => {
  const controller = { apiVersion: 'example.com/v1', kind: 'Website', name: 'shop', uid: '1', controller: true };
  const { evidence } = findingOf(
    'rollout-deadlock',
    scanned([workload({ metadata: { ownerReferences: [controller] } })]),
  );
  assert.deepEqual(evidence, [
    { label: 'claim', text: 'data, ReadWriteOnce, d' },
    { label: 'made by', text: 'Website shop' },
  ]);
});

test('what has struck comes first, and then what is gravest', () => {
  const of = { of: 'ReplicaSet/job-1', claims: ['more'] };
  const objects = [
    ...WEB,
    workload({ name: 'job', claims: ['more'], spec: { strategy: { rollingUpdate: { maxUnavailable: 1 } } } }),
    workload({ kind: 'ReplicaSet', name: 'job-1', of: 'Deployment/job' }),
    pod('job-old', of),
    pod('job-new', { ...of, node: 'b1', startingSince: LONG_AGO }),
  ];
  assert.deepEqual(found(objects), ['Deployment job: rollout-transient', 'Deployment web: rollout-deadlock']);
});

test('objects in another order make the same report', () => {
  const objects = [
    ...WEB,
    workload({ name: 'job', replicas: 3 }),
    workload({ kind: 'ReplicaSet', name: 'job-1', of: 'Deployment/job' }),
    ...['c', 'a', 'b'].map((name, n) =>
      pod(name, { of: 'ReplicaSet/job-1', node: `a${1 + (n % 2)}`, startingSince: LONG_AGO }),
    ),
    ...['a1', 'a2', 'b1'].map((node) => attachment(node)),
    namespace('zoo'),
    namespace('bar'),
  ];
  assert.deepEqual(scanned(objects.toReversed()), scanned(objects));
});

test('of one namespace only that is judged, and what others do to it counts', () => {
  const reference = { namespace: 'zoo', name: 'again' };
  const spec = { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'data' }, claimRef: reference };
  const there = [
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'again' }, spec },
    {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: reference },
      spec: { accessModes: ['ReadWriteOnce'], volumeName: 'again' },
    },
    workload({ kind: 'Job', name: 'backup', claims: ['again'], metadata: { namespace: 'zoo' } }),
  ];
  const web = workload({ spec: { strategy: { type: 'Recreate' } } });
  assert.deepEqual(found([web, ...there], { namespace: 'shop' }), ['Deployment web: claim-shared']);
});

test('what would be denied is counted by namespace, with its team and its mode', () => {
  const inZoo = { metadata: { namespace: 'zoo' } };
  const objects = [
    ...WEB,
    ...disk('data').map((object) =>
      object.kind === 'PersistentVolumeClaim'
        ? { ...object, ...inZoo, metadata: { namespace: 'zoo', name: 'data' } }
        : object,
    ),
    workload({ name: 'fine', claims: [] }),
    workload({ ...inZoo, spec: { strategy: { rollingUpdate: { maxUnavailable: 1 } } } }),
    namespace('shop', { team: 'red', 'rwo-guard.dev/mode': 'warn' }),
    namespace('zoo', { 'rwo-guard.dev/mode': 'enforce' }),
  ];
  assert.deepEqual(scanned(objects).namespaces, [
    { name: 'shop', team: 'red', mode: 'warn', workloads: 2, denied: 1, warned: 0, open: 0 },
    { name: 'zoo', team: undefined, mode: 'enforce', workloads: 1, denied: 0, warned: 1, open: 0 },
  ]);
});

test('nothing is denied or warned of where the API server never asks', () => {
  const system = { metadata: { namespace: 'kube-system' } };
  const claim = {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'kube-system', name: 'data' } },
    spec: { accessModes: ['ReadWriteOnce'], volumeName: 'data' },
  };
  const report = scanned([claim, workload(system)]);
  assert.deepEqual(report.namespaces, [
    { name: 'kube-system', mode: 'off', workloads: 1, denied: 0, warned: 0, open: 0 },
  ]);
  assert.equal(report.findings.length, 1);
});

test('what is exempt does not count, and is told with its reason and its end', () => {
  const ignore = (text: string) => [workload({ metadata: { annotations: { 'rwo-guard.dev/ignore': text } } })];
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  const { findings, exempt, summary } = scanned(ignore('rollout-deadlock until=2027-03-31: moves in spring'));
  assert.deepEqual(findings, []);
  assert.deepEqual(
    exempt.map(({ resource, rules, reason, until }) => ({ resource, rules, reason, until })),
    [{ resource, rules: ['rollout-deadlock'], reason: 'moves in spring', until: '2027-03-31' }],
  );
  assert.equal(summary.ignored, 1);
  const over = scanned(ignore('rollout-deadlock until=2026-11-21: moved'));
  assert.equal(over.findings.length, 1);
  assert.match(over.notes.join(), /^Deployment shop\/web: .*it ended on 2026-11-21$/);
  const configured = { rule: 'rollout-deadlock', namespace: 'shop', reason: 'theirs', expires: '2026-12-31' };
  assert.deepEqual(scanned(WEB, { ignores: [configured] }).exempt, [
    { resource, rules: ['rollout-deadlock'], reason: 'theirs', until: '2026-12-31' },
  ]);
});

test('what was mutated is told, and whether its namespace still asks for that', () => {
  const annotations = { 'rwo-guard.dev/mutated': 'recreate' };
  const mutated = workload({ metadata: { annotations }, spec: { strategy: { type: 'Recreate' } } });
  for (const [labels, unlisted, isAskedFor] of [
    [{ 'rwo-guard.dev/mutate': 'auto' }, [], true],
    [{}, [], false],
    [{}, ['namespaces'], undefined],
  ] as const) {
    const [one, ...more] = scanned([mutated, namespace('shop', labels)], { unlisted }).mutated;
    assert.deepEqual([one?.mutation, one?.isAskedFor, more], ['recreate', isAskedFor, []]);
  }
});

test('what hangs on a list that may not be read stays open, and says on which', () => {
  for (const unlisted of ['nodes', 'persistentvolumeclaims', 'persistentvolumes']) {
    const { findings, inconclusive, cluster } = scanned(WEB, { unlisted: [unlisted] });
    assert.deepEqual(findings, []);
    assert.equal(inconclusive.length, 1);
    assert.match(inconclusive[0]?.because ?? '', new RegExp(`${unlisted} are not listed`));
    assert.equal(cluster.nodes, unlisted === 'nodes' ? undefined : 3);
    assert.equal(cluster.claims, unlisted === 'persistentvolumeclaims' ? undefined : 2);
  }
});

test('claims are counted by driver', () => {
  const unbound = {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'shop', name: 'new' } },
    spec: { accessModes: ['ReadWriteOnce'] },
  };
  assert.deepEqual(scanned([unbound]).cluster.claimsByDriver, [
    { driver: 'd', claims: 2 },
    { driver: 'unbound', claims: 1 },
  ]);
});

test('a pod that waits for a volume is told of also where no rule finds anything', () => {
  const recreated = [
    workload({ spec: { strategy: { type: 'Recreate' } } }),
    workload({ kind: 'ReplicaSet', name: 'web-1', of: 'Deployment/web' }),
    pod('web-new', { of: 'ReplicaSet/web-1', node: 'b1', startingSince: LONG_AGO }),
    attachment('a1'),
  ];
  const { findings, waiting } = scanned(recreated);
  assert.deepEqual(findings, []);
  assert.deepEqual(waiting, [
    {
      resource: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-new' },
      because: `pod web-new waits on b1 since ${LONG_AGO} for data, which is attached on node a1 though no pod there has it`,
    },
  ]);
  assert.equal(scanned(recreated, { unlisted: ['pods'] }).waiting, undefined);
  assert.deepEqual(scanned(recreated, { namespace: 'zoo' }).waiting, []);
});

test('where it is not known how a volume is attached, a wait says so', () => {
  const objects = [...WEB, pod('web-old'), pod('web-new', { node: 'b1', startingSince: LONG_AGO })];
  const { waiting = [] } = scanned(objects, { unlisted: ['persistentvolumes'] });
  assert.deepEqual(
    waiting.map(({ because }) => because.split(', if ').at(-1)),
    ['it attaches to one node at a time: persistentvolumes are not listed'],
  );
});

test('a pod of which a finding tells is not told of again', () => {
  const objects = [
    ...WEB,
    pod('web-old', { of: 'ReplicaSet/web-1' }),
    pod('web-new', { of: 'ReplicaSet/web-1', node: 'b1', startingSince: LONG_AGO }),
  ];
  const report = scanned(objects);
  assert.equal(report.findings[0]?.now?.state, 'struck');
  assert.deepEqual(report.waiting, []);
});

test('nobody waits for a volume that many nodes may have', () => {
  const shared = [...disk('files', 'ReadWriteMany'), pod('one', { claims: ['files'] })];
  assert.deepEqual(
    scanned([...shared, pod('two', { claims: ['files'], node: 'b1', startingSince: LONG_AGO })]).waiting,
    [],
  );
});

test('of thousands of pods on one claim each is looked at a few times, however many wait', () => {
  const readsOf = (count: number): number => {
    let reads = 0;
    const pods = Array.from({ length: count }, (_, n): Pod => {
      const one = podFrom(pod(`web-${n}`, { node: `n${n}`, startingSince: LONG_AGO }));
      assert.ok(one !== undefined);
      const nodeName = (): string => {
        reads++;
        return `n${n}`;
      };
      return Object.defineProperty({ ...one }, 'nodeName', { get: nodeName });
    });
    const spec = { nodeName: 'n0', source: { persistentVolumeName: 'data' } };
    const attachment = volumeAttachmentFrom({ metadata: { name: 'one' }, spec, status: { attached: true } });
    const holders = new Holders(pods, [attachment]);
    for (let n = 1; n < count; n++) assert.equal(holders.elsewhere(`n${n}`)?.nodeName, 'n0');
    return reads;
  };
  assert.ok(readsOf(4_000) <= 4 * readsOf(1_000) + 10);
});
