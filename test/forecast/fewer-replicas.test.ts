import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { WorkloadKind } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { disk, HOST, REQUIRED, ZONE } from './scene.ts';

/** Whether nothing is found for so many pods, and whether that is sure. */
function safetyOf(
  kind: WorkloadKind,
  spec: JsonObject,
  { nodes, objects = [] }: Surroundings,
): 'safe' | 'open' | 'stuck' {
  const state = new ClusterState();
  for (const object of [...disk('data', 'ReadWriteMany'), ...objects]) putObject(state, object);
  for (let n = 0; n < nodes; n++) {
    const labels = { [HOST]: `n${n}`, [ZONE]: `z${n % 3}` };
    putObject(state, { apiVersion: 'v1', kind: 'Node', metadata: { name: `n${n}`, labels } });
  }
  const workload = workloadFrom(kind, { metadata: { namespace: 'shop', name: 'web' }, spec });
  const { certain, overBudget } = forecast(gatherFacts(workload, state, storageMatrix(), new Budget()).facts);
  if (certain.rollout.stuck || certain.steady.stuck) return 'stuck';
  return overBudget ? 'open' : 'safe';
}

interface Surroundings {
  readonly nodes: number;
  readonly objects?: readonly JsonObject[];
}

const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
const apart = {
  podAntiAffinity: { [REQUIRED]: [{ labelSelector: { matchLabels: { app: 'web' } }, topologyKey: HOST }] },
};
const template = { metadata: { labels: { app: 'web' } }, spec: { volumes, affinity: apart } };

const replicas = 20;
const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

for (const [nodes, answer] of [
  [4, 'stuck'],
  [10, 'open'],
  [20, 'open'],
  [21, 'safe'],
  [100, 'safe'],
] as const) {
  test(`20 pods that each take a node are ${answer} on ${nodes} nodes`, () => {
    assert.equal(safetyOf('Deployment', { replicas, strategy, template }, { nodes }), answer);
  });
}

for (const [where, zone, answer] of [
  ['where those of the others are', 'z0', 'safe'],
  ['elsewhere', 'z1', 'open'],
] as const) {
  test(`a StatefulSet of twelve is ${answer} whose last pod has its volume ${where}`, () => {
    const objects = Array.from({ length: 12 }, (_, n) => ownVolume(n, n < 11 ? 'z0' : zone)).flat();
    const volumeClaimTemplates = [{ metadata: { name: 'own' } }];
    const spec = { replicas: 12, template: { metadata: template.metadata, spec: { volumes } }, volumeClaimTemplates };
    assert.equal(safetyOf('StatefulSet', spec, { nodes: 6, objects }), answer);
  });
}

function ownVolume(ordinal: number, zone: string): readonly JsonObject[] {
  const name = `own-web-${ordinal}`;
  const matchExpressions = [{ key: ZONE, operator: 'In', values: [zone] }];
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
  return disk(name).map((object) =>
    object.kind === 'PersistentVolume' ? { ...object, spec: { ...(object.spec as object), nodeAffinity } } : object,
  );
}
