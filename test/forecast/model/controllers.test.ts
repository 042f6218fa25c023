import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../../src/budget.ts';
import { gatherFacts } from '../../../src/facts/gather.ts';
import { storageMatrix } from '../../../src/facts/storage-backend.ts';
import { forecast } from '../../../src/forecast/model/forecast.ts';
import { putObject } from '../../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../../src/objects/json.ts';
import { workloadFrom } from '../../../src/objects/read-workload.ts';
import { ClusterState } from '../../../src/snapshot/cluster-state.ts';
import { manifest } from '../foretold.ts';
import { disk, HOST, TOGETHER } from '../scene.ts';

/** What becomes of a StatefulSet whose two pods share a volume and are apart, when an update holds them together. */
function broughtTogether(spec: JsonObject): boolean {
  const state = new ClusterState();
  for (const name of ['a', 'b']) {
    putObject(state, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [HOST]: name } } });
  }
  for (const object of disk('data')) putObject(state, object);
  const factsOf = (pod: JsonObject) => {
    const object = manifest({ kind: 'StatefulSet', spec: { replicas: 2, ...spec }, pod });
    return gatherFacts(workloadFrom('StatefulSet', object), state, storageMatrix(), new Budget(), { nearby: true })
      .facts;
  };
  const running = { before: factsOf({}), places: new Set(['a', 'b']) };
  return !forecast(factsOf(TOGETHER), running).certain.rollout.stuck;
}

test('a StatefulSet replaces no pod while one of them waits', () => {
  assert.equal(broughtTogether({}), false);
});

test('a StatefulSet that does all in parallel replaces the pod that waits', () => {
  assert.equal(broughtTogether({ podManagementPolicy: 'Parallel' }), true);
});
