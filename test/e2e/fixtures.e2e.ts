import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type JsonObject, objectAt, stringAt } from '../../src/facts/json.ts';
import { metadataFrom } from '../../src/facts/metadata.ts';
import { parseManifests } from '../../src/offline/read-manifests.ts';
import { rules } from '../../src/rules/index.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { FIXTURES, fixtureNames, type Verdict } from '../fixtures.ts';

/** Where the API server takes objects of each kind that fixtures hold. */
const PATHS: Readonly<Record<string, (namespace: string) => string>> = {
  Node: () => '/api/v1/nodes',
  Namespace: () => '/api/v1/namespaces',
  PersistentVolume: () => '/api/v1/persistentvolumes',
  PersistentVolumeClaim: (namespace) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
  StorageClass: () => '/apis/storage.k8s.io/v1/storageclasses',
  CSIDriver: () => '/apis/storage.k8s.io/v1/csidrivers',
  Deployment: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  StatefulSet: (namespace) => `/apis/apps/v1/namespaces/${namespace}/statefulsets`,
  DaemonSet: (namespace) => `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
  ReplicaSet: (namespace) => `/apis/apps/v1/namespaces/${namespace}/replicasets`,
  Job: (namespace) => `/apis/batch/v1/namespaces/${namespace}/jobs`,
  CronJob: (namespace) => `/apis/batch/v1/namespaces/${namespace}/cronjobs`,
  HorizontalPodAutoscaler: (namespace) => `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
};

const VERDICTS: readonly Verdict[] = ['pass', 'fail', 'inconclusive'];

describe('the fixtures', () => {
  let controlPlane: ControlPlane;

  before(async () => {
    controlPlane = await startControlPlane();
    for (const name of ['shop', 'stage', 'lab']) await controlPlane.api.create(namespace(name));
  });
  after(() => controlPlane?.stop());

  /** Why the API server would refuse the object, field by field; a namespace is there already. */
  async function refusalOf(object: JsonObject): Promise<string | undefined> {
    const kind = stringAt(object, 'kind') ?? '';
    const path = PATHS[kind]?.(metadataFrom(object).namespace);
    assert.ok(path, kind);
    const url = `${path}?dryRun=All&fieldValidation=Strict`;
    const { status, body } = await controlPlane.api.request<JsonObject>('POST', url, object);
    const isThere = status === 409 && kind === 'Namespace';
    return status === 201 || isThere ? undefined : `${kind}: ${status} ${stringAt(body, 'message')}`;
  }

  for (const { meta } of rules) {
    test(`of ${meta.id} are objects that a real API server accepts`, async () => {
      for (const verdict of VERDICTS) {
        for (const name of fixtureNames(meta.id, verdict)) {
          const file = `${meta.id}/${verdict}/${name}.yaml`;
          const { manifests } = parseManifests(readFileSync(new URL(file, FIXTURES), 'utf8'), file);
          for (const { object } of manifests) assert.equal(await refusalOf(object), undefined, file);
          assert.ok(objectAt(manifests.at(-1)?.object, 'spec'), file);
        }
      }
    });
  }
});

function namespace(name: string) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
