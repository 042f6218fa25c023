import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { snapshotOf } from '../../src/lint/file-snapshot.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';
import { ALL_KINDS, KINDS } from '../../src/objects/kinds.ts';
import { metadataFrom } from '../../src/objects/metadata.ts';
import { rules } from '../../src/rules/index.ts';
import { parseManifests } from '../../src/yaml/read-manifests.ts';
import type { Answer, KubernetesApi } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { everyFixture, FIXTURES, type Fixture, type FixtureName, fixture } from '../fixtures.ts';
import { type GuardedCluster, startGuardedCluster } from './guarded-cluster.ts';

/** Where the API server takes objects of each kind that fixtures hold. */
const PATHS: Readonly<Record<string, (namespace: string) => string>> = {
  Node: () => '/api/v1/nodes',
  Namespace: () => '/api/v1/namespaces',
  PersistentVolume: () => '/api/v1/persistentvolumes',
  PersistentVolumeClaim: (namespace) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
  StorageClass: () => '/apis/storage.k8s.io/v1/storageclasses',
  CSIDriver: () => '/apis/storage.k8s.io/v1/csidrivers',
  RuntimeClass: () => '/apis/node.k8s.io/v1/runtimeclasses',
  Deployment: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  StatefulSet: (namespace) => `/apis/apps/v1/namespaces/${namespace}/statefulsets`,
  DaemonSet: (namespace) => `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
  ReplicaSet: (namespace) => `/apis/apps/v1/namespaces/${namespace}/replicasets`,
  Job: (namespace) => `/apis/batch/v1/namespaces/${namespace}/jobs`,
  CronJob: (namespace) => `/apis/batch/v1/namespaces/${namespace}/cronjobs`,
  HorizontalPodAutoscaler: (namespace) => `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
};

describe('the fixtures, in a real cluster with the webhook in force', () => {
  let guarded: GuardedCluster;

  before(async () => {
    // Without controllers nobody takes the finalizers away, and nobody finds the nodes ready.
    const plugins = '--disable-admission-plugins=StorageObjectInUseProtection,TaintNodesByCondition';
    guarded = await startGuardedCluster({ given: [], auditLog: false, flags: { 'kube-apiserver': [plugins] } });
    for (const namespace of namespaces()) await sent('POST', namespace);
    // The server is a process of ours, and the fixtures' workloads are to be the only ones.
    await guarded.cluster.api.delete({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'rwo-guard',
      name: 'rwo-guard',
    });
  });
  after(() => guarded?.stop());

  for (const { rule, verdict, name, file } of claimsLast(everyFixture())) {
    test(`${file} is judged as its folder says`, async () => {
      const given = fixture(rule, verdict, name);
      const others = objectsIn(file).slice(0, -1);
      const all = [...others, ...(isUnderWay(given.subject) ? [withOnePod(given.subject)] : []), LAST_CLAIM];
      try {
        for (const object of ownersFirst(all)) await put(object);
        await seen(all);
        const ids = await judgement(given);
        assert.equal(ids.includes(rule), verdict === 'fail', ids.join());
        assert.ok(verdict !== 'inconclusive' || ids.includes('claim-unknown'), ids.join());
      } finally {
        await Promise.all(all.map(remove));
        await seen([]);
      }
    });
  }

  /** Where there are objects of this fixture. One that it has twice was updated before. */
  const there = new Set<string>();

  /** The uid that the API server gave an object, by the one that its fixture wrote. */
  const uids = new Map<string, string>();

  async function put(object: JsonObject): Promise<void> {
    if (object.kind === 'Namespace') return;
    const isThere = there.has(path(object, 'PUT'));
    there.add(path(object, 'PUT'));
    const { body } = await sent(isThere ? 'PUT' : 'POST', isBeingDeleted(object) ? kept(object) : object);
    const [written, given] = [object, body].map(({ metadata }) => (isObject(metadata) ? metadata.uid : undefined));
    if (typeof written === 'string') uids.set(written, String(given));
    const { metadata } = body;
    if (object.status !== undefined) await sent('PUT', { ...object, metadata }, '/status');
    if (isBeingDeleted(object)) await guarded.cluster.api.request('DELETE', path(object, 'DELETE'));
  }

  /**
   * The rules that the webhook warns of, when somebody only asks what would become of the object. A Job that is under way is
   * there already, with one pod at a time, and is to run as many as the fixture's.
   */
  async function judgement({ subject, previous }: Fixture): Promise<readonly string[]> {
    const query = '?dryRun=All&fieldValidation=Strict';
    const patch = { spec: { parallelism: objectAt(subject, 'spec')?.parallelism } };
    const { warnings } = isUnderWay(subject)
      ? await accepted('PATCH', `${path(subject, 'PATCH')}${query}`, patch, 'application/merge-patch+json')
      : await sent(previous === undefined ? 'POST' : 'PUT', subject, '', query);
    return warnings.flatMap((warning) => /\[([a-z, -]+)\]$/.exec(warning)?.[1]?.split(', ') ?? []);
  }

  function sent(method: 'POST' | 'PUT', object: JsonObject, part = '', query = '?fieldValidation=Strict') {
    return accepted(method, `${path(object, method)}${part}${query}`, withUids(object));
  }

  function withUids(object: JsonObject): object {
    return JSON.parse(JSON.stringify(object), (key, value) => (key === 'uid' ? (uids.get(value) ?? value) : value));
  }

  async function accepted(...request: Parameters<KubernetesApi['request']>): Promise<Answer<JsonObject>> {
    const answer = await guarded.cluster.api.request<JsonObject>(...request);
    assert.ok(
      answer.status < 300,
      `${request.slice(0, 2).join(' ')}: ${answer.status} ${stringAt(answer.body, 'message')}`,
    );
    return answer;
  }

  async function remove(object: JsonObject): Promise<void> {
    if (object.kind === 'Namespace') return;
    there.delete(path(object, 'PUT'));
    if (isBeingDeleted(object)) await letGo(object);
    const url = `${path(object, 'DELETE')}?propagationPolicy=Background`;
    const { status } = await guarded.cluster.api.request('DELETE', url);
    assert.ok(status < 300 || status === 404, `${String(object.kind)}: ${status}`);
  }

  function letGo(object: JsonObject) {
    const patch = { metadata: { finalizers: null } };
    return guarded.cluster.api.request('PATCH', path(object, 'PATCH'), patch, 'application/merge-patch+json');
  }

  /** Waits until the webhook keeps as many objects of each kind as these are. */
  async function seen(objects: readonly JsonObject[]): Promise<void> {
    const { snapshot } = snapshotOf(objects.map((object) => ({ file: '', line: 1, object })));
    const expected = ALL_KINDS.filter((kind) => kind !== 'Namespace').map(
      (kind) => `rwo_guard_watch_objects{list="${KINDS[kind].list}"} ${[...snapshot.tables[kind].keys()].length}\n`,
    );
    const asItIs = async () => {
      const metrics = await guarded.guard.metrics();
      assert.deepEqual(
        expected.filter((line) => !metrics.includes(line)),
        [],
      );
      return true;
    };
    await until('the webhook to see the cluster as it is', asItIs, { everyMs: 5 });
  }
});

/** Comes after all that was written of other claims, so that whoever has seen it has seen that. */
const LAST_CLAIM: JsonObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'last', namespace: 'shop' },
  spec: {
    accessModes: ['ReadWriteMany'],
    storageClassName: 'none',
    resources: { requests: { storage: '1Gi' } },
  },
};

function ownersFirst(objects: readonly JsonObject[]): readonly JsonObject[] {
  const isOwned = ({ metadata }: JsonObject): number => Number(isObject(metadata) && 'ownerReferences' in metadata);
  return objects.toSorted((one, other) => isOwned(one) - isOwned(other));
}

/** What a user has dry-run of a claim counts for a minute in what else that user dry-runs. */
function claimsLast(names: readonly FixtureName[]): readonly FixtureName[] {
  const ofClaims = new Set(rules.filter(({ judges }) => judges === 'claim').map(({ meta }) => meta.id));
  return names.toSorted((one, other) => Number(ofClaims.has(one.rule)) - Number(ofClaims.has(other.rule)));
}

function isBeingDeleted({ metadata }: JsonObject): boolean {
  return isObject(metadata) && metadata.deletionTimestamp !== undefined;
}

/** Deleted, it stays for as long as this has not been taken off. */
function kept(object: JsonObject): JsonObject {
  const { deletionTimestamp: _, ...metadata } = objectAt(object, 'metadata') ?? {};
  return { ...object, metadata: { ...metadata, finalizers: ['example.com/kept'] } };
}

/** Whether its controller has written of it. */
function isUnderWay({ kind, status }: JsonObject): boolean {
  return kind === 'Job' && status !== undefined;
}

/** The Job as it was before somebody asked for more pods. */
function withOnePod(job: JsonObject): JsonObject {
  return { ...job, spec: { ...objectAt(job, 'spec'), parallelism: 1 } };
}

function path(object: JsonObject, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'): string {
  const { namespace, name } = metadataFrom(object);
  const collection = PATHS[stringAt(object, 'kind') ?? '']?.(namespace);
  assert.ok(collection, String(object.kind));
  return method === 'POST' ? collection : `${collection}/${name}`;
}

function objectsIn(file: string): readonly JsonObject[] {
  return parseManifests(readFileSync(new URL(file, FIXTURES), 'utf8'), file).manifests.map(({ object }) => object);
}

/** Every namespace of the fixtures once, with the labels that it has in any of them. */
function namespaces(): readonly JsonObject[] {
  const labelsOf = new Map<string, JsonObject>();
  for (const { file } of everyFixture()) {
    for (const object of objectsIn(file).filter(({ kind }) => kind === 'Namespace')) {
      const { name } = metadataFrom(object);
      labelsOf.set(name, { ...labelsOf.get(name), ...objectAt(objectAt(object, 'metadata'), 'labels') });
    }
  }
  return [...labelsOf].map(([name, labels]) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }));
}
