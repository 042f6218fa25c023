import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { mayGoWrong } from '../../src/forecast/may-go-wrong.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { disk, HOST, REQUIRED } from './scene.ts';

const means = (app: string, topologyKey = HOST) => ({ labelSelector: { matchLabels: { app } }, topologyKey });
const apartFrom = (app: string) => ({ affinity: { podAntiAffinity: { [REQUIRED]: [means(app)] } } });
const besides = (app: string) => ({ affinity: { podAffinity: { [REQUIRED]: [means(app)] } } });
const spreadAmong = (app: string) => ({
  topologySpreadConstraints: [{ ...means(app), maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
});
const revision = { ...means('batch'), matchLabelKeys: ['pod-template-hash'] };

const cases: Readonly<Record<string, readonly [pod: JsonObject, mode: string, answer: boolean]>> = {
  'that share a volume as many may': [{}, 'ReadWriteMany', false],
  'that share a volume of one node': [{}, 'ReadWriteOnce', true],
  'that share a volume of one pod': [{}, 'ReadWriteOncePod', true],
  'that keep apart': [apartFrom('web'), 'ReadWriteMany', true],
  'that keep off pods of others': [apartFrom('batch'), 'ReadWriteMany', false],
  'that come together': [besides('web'), 'ReadWriteMany', true],
  'held to pods that are not there': [besides('batch'), 'ReadWriteMany', false],
  'held to pods that are there': [besides('cache'), 'ReadWriteMany', true],
  'that spread': [spreadAmong('web'), 'ReadWriteMany', true],
  'that spread among pods of others': [spreadAmong('batch'), 'ReadWriteMany', false],
  'that ask for labels which controllers add': [
    { affinity: { podAntiAffinity: { [REQUIRED]: [revision] } } },
    'ReadWriteMany',
    true,
  ],
  'with a host port': [{ containers: [{ ports: [{ hostPort: 80, containerPort: 80 }] }] }, 'ReadWriteMany', true],
};

for (const [which, [pod, mode, answer]] of Object.entries(cases)) {
  test(`pods ${which} ${answer ? 'may' : 'cannot'} go wrong`, () => {
    const state = new ClusterState();
    for (const object of disk('data', mode)) putObject(state, object);
    const cache = { metadata: { labels: { app: 'cache' } }, spec: {} };
    putObject(state, deployment('cache', cache));
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const web = deployment('web', { metadata: { labels: { app: 'web' } }, spec: { ...pod, volumes } });
    const { facts } = gatherFacts(workloadFrom('Deployment', web), state, storageMatrix(), new Budget());
    assert.equal(mayGoWrong(facts, undefined, 'one-pod'), answer);
  });
}

function deployment(name: string, template: JsonObject): JsonObject {
  const metadata = { namespace: 'shop', name };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2, template } };
}
