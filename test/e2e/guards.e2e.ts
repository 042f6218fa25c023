import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Node, V1Pod, V1VolumeAttachment } from '@kubernetes/client-node';
import type { KubernetesApi } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import type { DeployedGuard } from './deployed-guard.ts';
import { type InstalledCluster, installIn } from './installed-cluster.ts';
import { PlayedNodes } from './played-nodes.ts';
import { claim, cluster as clusterManifest, deployment, documents, volume } from './webhook-manifests.ts';

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
const TAINT = `${OUT_OF_SERVICE}=nodeshutdown:NoExecute`;
const PODS = { apiVersion: 'v1', kind: 'Pod' };
const ATTACHMENTS = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment' };

/** A node is lost in seconds, and not in a minute. */
const CONTROLLERS = ['--node-monitor-grace-period=8s', '--node-monitor-period=1s'];

/** Collecting pods takes 20 s, and those of a deleted node 40 s more (`pkg/controller/podgc/gc_controller.go`). */
const COLLECTED = { timeoutMs: 120_000 };

describe('guards that enforce', { concurrency: false }, () => {
  let installed: InstalledCluster;
  let guard: DeployedGuard;
  let nodes: PlayedNodes;
  let jane: string;
  let api: KubernetesApi;
  /** Before the replicas had their certificates in force. */
  let failedOpen: readonly string[];

  before(async () => {
    installed = await installIn(
      'rwo-guard',
      ['guards', 'unfenced-force-delete'],
      { shop: {}, lab: {}, doomed: {} },
      {
        controllerManager: true,
        scheduler: true,
        heartbeats: true,
        auditLog: true,
        flags: { 'kube-controller-manager': CONTROLLERS },
      },
    );
    const { cluster } = installed;
    api = cluster.api;
    jane = await cluster.person({ user: 'jane', groups: ['developers'] });
    await installed.typed(
      documents(clusterManifest(), ...['shop', 'lab', 'doomed'].map((ns) => volume(ns))),
      'apply',
      '-f',
      '-',
    );
    nodes = new PlayedNodes(cluster, ['a', 'b', 'c']);
    for (const namespace of ['shop', 'lab', 'doomed']) {
      const recreated = deployment(namespace, { strategy: ['type: Recreate'] });
      await installed.typed(documents(claim(namespace), recreated), 'apply', '-f', '-');
    }
    for (const namespace of ['shop', 'lab', 'doomed']) await webRuns(namespace);
    guard = await installed.start();
    await until('guards are in force', async () =>
      (await refusalOf('taint', 'nodes', 'a', TAINT, '--dry-run=server')).includes('would be denied'),
    );
    failedOpen = await samples('webhook_fail_open_count');
  });

  after(async () => {
    await nodes?.stop();
    await guard?.stop();
    await installed?.cluster.stop();
  });

  test('heartbeats, and whatever else kubelets write of nodes, reach no guard', async () => {
    const [before, beats] = [await reviewsOf('Node'), nodes.heartbeats];
    await until('thirty heartbeats', async () => nodes.heartbeats >= beats + 30, { timeoutMs: 60_000 });
    assert.equal(await reviewsOf('Node'), before);
  });

  test('labels, annotations and other ordinary updates of a node reach no guard', async () => {
    const before = await reviewsOf('Node');
    await types('label', 'node', 'a', 'example.com/rack=1');
    await types('annotate', 'node', 'a', 'example.com/rack=1');
    await types('cordon', 'a');
    await types('uncordon', 'a');
    // The last two change spec.unschedulable, and kube-system's node controller the taint that follows.
    assert.equal(await reviewsOf('Node'), before);
  });

  test('a node that is Ready cannot be called out of service', async () => {
    const said = await refusalOf('taint', 'nodes', 'a', TAINT);
    assert.match(said, /Forbidden.*guard\.rwo-guard\.dev.*Node a: it is Ready, .*\[out-of-service-ready-node\]/s);
    assert.deepEqual(
      (await taintsOf('a')).filter((key) => key === OUT_OF_SERVICE),
      [],
    );
  });

  test('an attachment that is in use cannot be deleted, by name or with all others', async () => {
    const { name } = await attachmentOf('shop');
    assert.match(
      await refusalOf('delete', 'volumeattachment', name),
      /its volume is still in use \[attachment-in-use\]/,
    );
    const all = await asJane('DELETE', '/apis/storage.k8s.io/v1/volumeattachments');
    assert.equal(all.status, 403);
    assert.match(JSON.stringify(all.body), /VolumeAttachment csi-[0-9a-f]+: its volume is still in use/);
    assert.equal((await attachmentOf('shop')).deleting, false);
  });

  test('the finalizer of an attachment in use cannot be taken off', async () => {
    const { name } = await attachmentOf('shop');
    const patch = ['patch', 'volumeattachment', name, '--type=merge', '-p', '{"metadata":{"finalizers":[]}}'];
    assert.match(await refusalOf(...patch), /\[attachment-in-use\]/);
  });

  test('who deletes a claim that a Deployment mounts is warned', async () => {
    const said = await types('--namespace', 'shop', 'delete', 'pvc', 'data', '--dry-run=server');
    assert.match(
      said,
      /Warning: PersistentVolumeClaim shop\/data: Deployment web mounts it; .*\[claim-deleted-in-use\]/,
    );
  });

  test('who deletes a node whose volumes are in use is warned', async () => {
    const said = await types('delete', 'node', await nodeOf('shop'), '--dry-run=server');
    assert.match(said, /Warning: Node .: \d volumes? in use there; .*\[node-deleted-in-use\]/);
  });

  test('a namespace goes, with its claim, pods and all', async () => {
    await types('delete', 'namespace', 'doomed', '--wait=false');
    await installed.typed('', 'wait', '--for=delete', 'namespace/doomed', '--timeout=90s');
    await until('its volume is detached', async () => (await attachments('doomed')).length === 0, {
      timeoutMs: 60_000,
    });
  });

  test('claims that are deleted all at once are warned of one by one', async () => {
    const { status, warnings } = await asJane('DELETE', '/api/v1/namespaces/lab/persistentvolumeclaims?dryRun=All');
    assert.equal(status, 200);
    assert.match(warnings.join('\n'), /PersistentVolumeClaim lab\/data: Deployment web mounts it/);
  });

  test('a node that does not answer is no licence to take its attachments away, nor its pods by force', async () => {
    const lost = await nodeOf('shop');
    nodes.die(lost);
    await until('the node is lost', async () => (await readyOf(lost)) === 'Unknown', { timeoutMs: 60_000 });
    const { name } = await attachmentOf('shop');
    assert.match(await refusalOf('delete', 'volumeattachment', name), /\[attachment-in-use\]/);
    const [pod] = await podsOf('shop');
    const byForce = ['--namespace', 'shop', 'delete', 'pod', pod?.metadata?.name ?? '', '--force', '--grace-period=0'];
    const said = await types(...byForce, '--dry-run=server');
    assert.match(
      said,
      /Warning: Pod shop\/web-\S+: . does not answer and may write to data; .*\[unfenced-force-delete\]/,
    );
  });

  test('once it is called out of service, its pod is collected, its volume detached by force, and another node takes over', async () => {
    const lost = await nodeOf('shop');
    const [old] = await podsOf('shop');
    await types('--namespace', 'shop', 'delete', 'pod', old?.metadata?.name ?? '', '--wait=false');
    await types('taint', 'nodes', lost, TAINT);
    assert.equal((await annotationsOf(lost))['rwo-guard.dev/out-of-service-boot-id'], 'boot-1');
    assert.notDeepEqual((await node(lost)).status?.volumesInUse ?? [], [], 'its kubelet takes nothing back');
    await until(
      'another node runs it',
      async () => (await nodeOf('shop')) !== lost && (await isRunning('shop')),
      COLLECTED,
    );
    assert.deepEqual(
      (await attachments('shop')).map(({ spec }) => spec.nodeName),
      [await nodeOf('shop')],
    );
    await comesBackTooEarly(lost);
  });

  async function comesBackTooEarly(lost: string): Promise<void> {
    nodes.comeBack(lost, { booted: false });
    await until('the node is Ready again', async () => (await readyOf(lost)) === 'True', { timeoutMs: 60_000 });
    const off = ['taint', 'nodes', lost, `${OUT_OF_SERVICE}-`];
    assert.match(
      await types(...off, '--dry-run=server'),
      /in service before its machine restarted; .*\[out-of-service-removed-early\]/,
    );
    nodes.comeBack(lost, { booted: true });
    await until('another start', async () => (await node(lost)).status?.nodeInfo?.bootID === 'boot-2');
    await until('nothing attached', async () => ((await node(lost)).status?.volumesAttached ?? []).length === 0);
    assert.doesNotMatch(await types(...off), /Warning/);
    assert.equal((await annotationsOf(lost))['rwo-guard.dev/out-of-service-boot-id'], undefined);
  }

  test('a node is deleted, and its pods are collected', async () => {
    const lost = await nodeOf('lab');
    const [old] = await podsOf('lab');
    nodes.die(lost);
    await until('the node is lost', async () => (await readyOf(lost)) === 'Unknown', { timeoutMs: 60_000 });
    await types('delete', 'node', lost, '--wait=false');
    await until(
      'another pod is there in its place',
      async () => (await podsOf('lab')).every(({ metadata }) => metadata?.uid !== old?.metadata?.uid),
      COLLECTED,
    );
  });

  test('an attachment of a node that is gone may be taken away', async () => {
    for (const { metadata, spec } of await attachments('lab')) {
      if ((await api.find({ apiVersion: 'v1', kind: 'Node', name: spec.nodeName })) !== undefined) continue;
      await types('delete', 'volumeattachment', metadata?.name ?? '');
    }
    await webRuns('lab');
  });

  test('no controller was refused anything, no match condition failed, and no call did', async () => {
    const refused = (await installed.cluster.auditEvents()).filter(
      ({ user, responseStatus }) =>
        responseStatus?.code === 403 &&
        /^system:/.test(user?.username ?? '') &&
        /rwo-guard/.test(responseStatus.message ?? ''),
    );
    assert.deepEqual(refused, []);
    assert.deepEqual(await samples('match_condition_evaluation_errors_total'), []);
    assert.deepEqual(await samples('webhook_fail_open_count'), failedOpen);
    assert.notDeepEqual(await samples('match_condition_exclusions_total'), []);
  });

  /** Those of guards that are not zero, as the API server has counted them. */
  async function samples(name: string): Promise<readonly string[]> {
    const { body } = await api.request<string>('GET', '/metrics');
    const isOfGuard = /name="(guard|boot-id|force-delete)\.rwo-guard\.dev"/;
    return body
      .split('\n')
      .filter((line) => line.startsWith(`apiserver_admission_${name}`) && isOfGuard.test(line) && !line.endsWith(' 0'));
  }

  async function types(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await installed.cluster.kubectl(jane, args);
    assert.equal(code, 0, stderr);
    return `${stderr}${stdout}`;
  }

  /** What jane is told, in warnings and refusals. */
  async function refusalOf(...args: readonly string[]): Promise<string> {
    return (await installed.cluster.kubectl(jane, args)).stderr;
  }

  async function asJane(method: 'DELETE', path: string) {
    const own = installed.cluster.apiAs({ user: 'jane', groups: ['developers', 'system:authenticated'] });
    try {
      return await own.request<object>(method, path);
    } finally {
      await own.close();
    }
  }

  /** Those that came to either replica. The API server is done with one before it answers. */
  async function reviewsOf(kind: string): Promise<number> {
    await sleep(100);
    const metrics = await Promise.all(guard.replicas.map((replica) => replica.metrics()));
    const samples = metrics
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.startsWith('rwo_guard_admission_requests_total{') && line.includes(`kind="${kind}"`));
    return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  function node(name: string): Promise<V1Node & { apiVersion: string; kind: string }> {
    return api.get({ apiVersion: 'v1', kind: 'Node', name });
  }

  async function readyOf(name: string): Promise<string | undefined> {
    return (await node(name)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  }

  async function taintsOf(name: string): Promise<readonly string[]> {
    return ((await node(name)).spec?.taints ?? []).map(({ key }) => key);
  }

  async function annotationsOf(name: string): Promise<Readonly<Record<string, string>>> {
    return (await node(name)).metadata?.annotations ?? {};
  }

  function podsOf(namespace: string): Promise<readonly V1Pod[]> {
    return api.list<V1Pod>(PODS, { namespace, labelSelector: 'app=web' });
  }

  async function isRunning(namespace: string): Promise<boolean> {
    return (await podsOf(namespace)).some(
      ({ metadata, status }) => status?.phase === 'Running' && metadata?.deletionTimestamp === undefined,
    );
  }

  async function webRuns(namespace: string): Promise<void> {
    await until(`web runs in ${namespace}`, () => isRunning(namespace), { timeoutMs: 60_000 });
  }

  /** The node of the newest pod. */
  async function nodeOf(namespace: string): Promise<string> {
    const all = await podsOf(namespace);
    const pod = all.find(({ metadata }) => metadata?.deletionTimestamp === undefined) ?? all[0];
    return pod?.spec?.nodeName ?? '';
  }

  async function attachments(namespace: string): Promise<readonly V1VolumeAttachment[]> {
    const all = await api.list<V1VolumeAttachment>(ATTACHMENTS);
    return all.filter(({ spec }) => spec.source.persistentVolumeName === `${namespace}-data`);
  }

  async function attachmentOf(namespace: string): Promise<{ readonly name: string; readonly deleting: boolean }> {
    const [first] = await attachments(namespace);
    assert.ok(first !== undefined);
    return { name: first.metadata?.name ?? '', deleting: first.metadata?.deletionTimestamp !== undefined };
  }
});
