import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import type { KubernetesApi, KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import {
  claim,
  deployment,
  keyOf,
  merge,
  scaleTo,
  serviceAccount,
  withoutOwner,
  workload,
} from './admission-requests.ts';
import { type GuardedCluster, startGuardedCluster } from './guarded-cluster.ts';
import { OTHER_KINDS } from './kind-manifests.ts';
import { claim as claimManifest, cluster as clusterManifest, documents, namespace } from './webhook-manifests.ts';

const DENIED = /: 403 admission webhook "enforce\.rwo-guard\.dev" denied the request: /;
const MOUNTS = {
  spec: {
    containers: [{ name: 'web', image: 'web', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
};
const REPLICAS_BEFORE = 'rwo-guard.dev/replicas-before';

/** Their pods end, so that of these is warned. */
const RUNS: ReadonlySet<string> = new Set(['Job', 'CronJob']);

/** Without controllers, so that nobody collects what has no owner and each test says itself how many pods there are. */
describe('who may write workloads and claims in one namespace finds no way round', () => {
  let guarded: GuardedCluster;
  /** May edit, in all namespaces, and not configure the guard. */
  let jane: KubernetesApi;
  let operator: KubernetesApi;

  before(async () => {
    const strict = { mode: 'enforce' };
    guarded = await startGuardedCluster({
      given: [documents(clusterManifest(), namespace('strict', strict), namespace('later'), claimManifest('strict'))],
    });
    jane = guarded.cluster.apiAs({ user: 'jane', groups: ['developers'] });
    const account = serviceAccount('operators', 'db');
    await guarded.cluster.person(account);
    operator = guarded.cluster.apiAs(account);
    await until('the claim is known, and the namespace to enforce', async () => {
      const { warnings } = await dryRun(deployment('strict'));
      return warnings.some((line) => line.startsWith('would be denied'));
    });
  });

  after(async () => {
    await jane?.close();
    await operator?.close();
    await guarded?.stop();
  });

  const denied = (attempt: Promise<unknown>) => assert.rejects(attempt, DENIED);

  function dryRun({ metadata, ...object }: KubernetesObject) {
    const path = `/apis/apps/v1/namespaces/${metadata?.namespace}/deployments?dryRun=All`;
    return guarded.cluster.api.request('POST', path, { ...object, metadata });
  }

  /** A Deployment that is safe, with a uid that the API server gave it. */
  function cover(replicas = 1): Promise<KubernetesObject> {
    return jane.create(deployment('strict', { replicas, volumes: [] }));
  }

  /** Its controller would say so. */
  const withPods = (object: KubernetesObject, replicas: number) =>
    merge({ status: { replicas } }, 'status')(guarded.cluster.api, object);

  const stopped = (spec: object) => change(deployment('strict'), spec);

  for (const kind of ['Deployment', ...OTHER_KINDS.filter((other) => !RUNS.has(other))] as const) {
    test(`a ${kind} with an owner that is made up`, async () => {
      for (const owner of ['Deployment', 'StatefulSet', 'Shop', 'CronJob']) {
        const apiVersion = owner === 'CronJob' ? 'batch/v1' : 'apps/v1';
        await denied(jane.create(workload(kind, 'strict', { replicas: 3, metadata: ownedBy(apiVersion, owner) })));
      }
    });
  }

  test('a ReplicaSet of a Deployment that is there, under another uid, or with pods and claims that are its own', async () => {
    const { metadata } = await cover(3);
    for (const uid of ['6f1d9f3e-0000-4000-8000-000000000000', metadata?.uid]) {
      const owned = ownedBy('apps/v1', 'Deployment', metadata?.name, uid);
      await denied(jane.create(workload('ReplicaSet', 'strict', { replicas: 3, metadata: owned })));
    }
  });

  test('a Job by hand of a CronJob that is suspended', async () => {
    const nightly = await jane.create(change(workload('CronJob', 'strict', { replicas: 3 }), { suspend: true }));
    const { stderr } = await guarded.typed(
      '',
      ...['-n', 'strict', 'create', 'job', 'by-hand', `--from=cronjob/${nightly.metadata?.name}`],
    );
    assert.match(stderr, /^Warning: Job strict\/by-hand: .*\[replicas-split\]$/m);
  });

  test('an owner that is taken off again', async () => {
    const owner = await jane.create(deployment('later', { replicas: 3 }));
    const owned = ownedBy('apps/v1', 'Deployment', owner.metadata?.name, owner.metadata?.uid);
    const made = await jane.create(workload('ReplicaSet', 'later', { replicas: 3, metadata: owned }));
    await jane.create(claimOf('later', 'data'));
    await guarded.cluster.api.patch({ apiVersion: 'v1', kind: 'Namespace', name: 'later' }, 'merge', {
      metadata: { labels: { 'rwo-guard.dev/mode': 'enforce' } },
    });
    await until('it enforces', async () =>
      (await dryRun(deployment('later'))).warnings.some((line) => line.startsWith('would be denied')),
    );
    await denied(withoutOwner(jane, made));
    const { ownerReferences: _, ...metadata } = { ownerReferences: [], ...made.metadata };
    await denied(jane.replace({ ...made, metadata }));
  });

  test('a late claim with an owner, whether it is made up or there', async () => {
    await jane.create(mounting('late'));
    const owned = (owner: object): KubernetesObject => {
      const object = claimOf('strict', 'late');
      return { ...object, metadata: { ...object.metadata, ...owner } };
    };
    const { metadata: there } = await cover();
    for (const owner of [
      ownedBy('example.com/v1', 'Database'),
      ownedBy('apps/v1', 'StatefulSet'),
      ownedBy('apps/v1', 'Deployment', there?.name, there?.uid),
    ]) {
      await denied(jane.create(owned(owner)));
    }
    await denied(operator.create(owned({})));
    await operator.create(owned(ownedBy('example.com/v1', 'Database')));
  });

  test('replicas-before in the same request, before it, from the start, and in other notations', async () => {
    const recreated = { strategy: { type: 'Recreate' } };
    for (const text of ['Infinity', '1e9', '0x10', '+3', '3']) {
      const one = await jane.create(change(deployment('strict'), recreated));
      const annotations = { [REPLICAS_BEFORE]: text };
      await denied(merge({ metadata: { annotations }, spec: { replicas: 3 } })(jane, one));
      const more = { replicas: 3, metadata: { annotations } };
      await denied(jane.create(change(deployment('strict', more), recreated)));
      if (text === '3') await denied(merge({ metadata: { annotations } })(jane, one));
      else await merge({ metadata: { annotations } })(jane, one);
      await denied(scaleTo(3)(jane, one));
    }
  });

  test('a Deployment that is created paused and started later', async () => {
    const paused = await jane.create(stopped({ paused: true }));
    await denied(merge({ spec: { paused: false } })(jane, paused));
    await denied(merge({ spec: { paused: null, minReadySeconds: 5 } })(jane, paused));
  });

  test('a Deployment that is created without replicas and started later', async () => {
    const none = await jane.create(stopped({ replicas: 0 }));
    await denied(scaleTo(1)(jane, none));
    await denied(merge({ spec: { replicas: 1 } })(jane, none));
    await merge({ spec: { paused: true } })(jane, none);
    await denied(scaleTo(1)(jane, none));
    await denied(merge({ spec: { replicas: 1 } })(jane, none));
  });

  test('a template that changes just before it is scaled', async () => {
    const bare = await cover(0);
    await merge({ spec: { template: MOUNTS } })(jane, bare);
    await denied(scaleTo(1)(jane, bare));
  });

  test('a claim that comes while a Deployment with pods is paused or stopped', async () => {
    for (const [before, now] of [
      [{}, { paused: true }],
      [{}, { replicas: 0 }],
      [{ paused: true }, {}],
      [{ replicas: 0 }, {}],
    ]) {
      const running = await cover();
      await withPods(running, 1);
      await merge({ spec: before })(jane, running);
      await denied(merge({ spec: { ...now, template: MOUNTS } })(jane, running));
    }
  });

  test('a Job or CronJob that is created suspended and resumed', async () => {
    for (const kind of ['Job', 'CronJob'] as const) {
      const waiting = await jane.create(change(workload(kind, 'strict', { replicas: 3 }), { suspend: true }));
      const patch = [
        'patch',
        `${kind.toLowerCase()}/${waiting.metadata?.name}`,
        '--type=merge',
        '-p={"spec":{"suspend":false}}',
      ];
      const { stderr } = await guarded.typed('', '-n', 'strict', ...patch);
      assert.match(stderr, /^Warning: \w+ strict\/.*\[replicas-split\]$/m);
    }
  });

  test('a claim that is made anew while its Deployment has no pods', async () => {
    await jane.create(claimOf('strict', 'again', 'ReadWriteMany'));
    const web = await jane.create(change(mounting('again'), { replicas: 0 }));
    await jane.delete({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'strict', name: 'again' });
    await merge({ metadata: { finalizers: null } })(guarded.cluster.api, claimOf('strict', 'again'));
    await jane.create(claimOf('strict', 'again'));
    await denied(scaleTo(1)(jane, web));
  });

  test('a deletion that is only said to be under way, and a name that is generated', async () => {
    const metadata = { namespace: 'strict', name: 'going', deletionTimestamp: '2026-01-01T00:00:00Z' };
    await denied(jane.create(deployment('strict', { metadata: { ...metadata, finalizers: ['example.com/hold'] } })));
    await denied(
      jane.create({ ...deployment('strict'), ...{ metadata: { namespace: 'strict', generateName: 'web-' } } }),
    );
  });

  test('every way to write it', async () => {
    await denied(jane.apply(deployment('strict')));
    const safe = await jane.create(change(deployment('strict'), { strategy: { type: 'Recreate' } }));
    const strategy = { type: 'RollingUpdate' };
    await denied(jane.patch(keyOf(safe), 'strategic', { spec: { strategy } }));
    await denied(jane.patch(keyOf(safe), 'merge', { spec: { strategy } }));
    await denied(
      jane.patch(keyOf(safe), 'json', [{ op: 'replace', path: '/spec/strategy/type', value: strategy.type }]),
    );
    await denied(jane.replace(change(safe, { strategy })));
    await denied(jane.patch(keyOf(safe), 'json', [{ op: 'replace', path: '/spec/replicas', value: 3 }]));
  });

  test('an object as large as there may be, of characters that JSON writes six times as long', async () => {
    const env = [{ name: 'PADDING', value: '<'.repeat(1_450_000) }];
    await denied(jane.create(deployment('strict', { env })));
    const safe = await jane.create(change(deployment('strict', { env }), { strategy: { type: 'Recreate' } }));
    await denied(merge({ spec: { strategy: { type: 'RollingUpdate' } } })(jane, safe));
  });

  test('a surge in more digits than anybody needs', async () => {
    for (const maxSurge of [`${'0'.repeat(40)}25%`, `${'9'.repeat(40)}%`]) {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable: 0 } };
      await denied(jane.create(change(deployment('strict'), { strategy })));
    }
  });

  test('a review that somebody forged refuses nobody, and a late claim of what is there is denied', async () => {
    const ghost = mounting('ghost');
    await forge(ghost);
    await jane.create(claimOf('strict', 'ghost'));
    await jane.create(mounting('real'));
    await denied(jane.create(claimOf('strict', 'real')));
  });

  test('no match condition failed, and no call to the webhook failed', async () => {
    const { failedCalls, failedMatchConditions, judgedTwice } = await guarded.counts();
    assert.deepEqual([failedCalls, failedMatchConditions, judgedTwice], [0, 0, 0]);
  });

  /** What the API server would send, from somebody who reaches the port. */
  async function forge(object: KubernetesObject): Promise<void> {
    const group = { group: 'apps', version: 'v1' };
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'forged',
        kind: { ...group, kind: 'Deployment' },
        resource: { ...group, resource: 'deployments' },
        namespace: 'strict',
        name: object.metadata?.name,
        operation: 'CREATE',
        userInfo: { username: 'jane' },
        object,
      },
    };
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    const url = `https://127.0.0.1:${guarded.guard.port}/validate?timeout=3s`;
    const headers = { 'content-type': 'application/json' };
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(review),
      dispatcher,
    });
    assert.equal(statusCode, 200);
    await body.dump();
    await dispatcher.close();
  }
});

function ownedBy(apiVersion: string, kind: string, name = 'owner', uid = '6f1d9f3e-0000-4000-8000-000000000000') {
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
}

/** The object with more in its spec. */
function change<T extends KubernetesObject>(object: T, more: object): T {
  return { ...object, spec: { ...('spec' in object && object.spec instanceof Object ? object.spec : {}), ...more } };
}

function mounting(claimName: string): KubernetesObject {
  return deployment('strict', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });
}

function claimOf(inNamespace: string, name: string, mode = 'ReadWriteOnce'): KubernetesObject {
  return change(claim(inNamespace, { name }), { storageClassName: 'disk', accessModes: [mode] });
}
