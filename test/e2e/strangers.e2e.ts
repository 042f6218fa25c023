import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '../control-plane/until.ts';
import { type GuardedCluster, startGuardedCluster } from './guarded-cluster.ts';
import { claim, cluster as clusterManifest, deployment, documents, namespace } from './webhook-manifests.ts';

const HAZARDS = 100;

describe('while strangers fill every limit of the guard', { concurrency: false }, () => {
  let guarded: GuardedCluster;
  let strangers: ChildProcess;

  before(async () => {
    const given = documents(namespace('strict', { mode: 'enforce' }), clusterManifest(), claim('strict'));
    guarded = await startGuardedCluster({ given: [given] });
    strangers = spawn(process.execPath, [join(import.meta.dirname, 'strangers.ts'), String(guarded.guard.port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(strangers.stdout ?? strangers, 'data');
    await until('connections and bodies have to go', async () => {
      const metrics = await guarded.guard.metrics();
      return cutOff(metrics, 'connection') > 0 && cutOff(metrics, 'body') > 0;
    });
  });

  after(async () => {
    strangers.kill('SIGKILL');
    await guarded.stop();
  });

  test(`${HAZARDS} of ${HAZARDS} hazards are denied through the API server`, async () => {
    const before = cutOffInAll(await guarded.guard.metrics());
    const outcomes = new Map<string, number>();
    for (let n = 0; n < HAZARDS; n++) {
      const { code, stderr } = await guarded.typed(deployment('strict', { name: `web-${n}` }), 'create', '-f', '-');
      const outcome = code === 1 && stderr.includes('[rollout-deadlock]') ? 'denied' : `${code}: ${stderr}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assert.deepEqual([...outcomes], [['denied', HAZARDS]]);
    assert.equal((await guarded.counts()).failedCalls, 0);
    assert.ok(cutOffInAll(await guarded.guard.metrics()) > before, 'the strangers have gone on');
  });
});

function cutOffInAll(metrics: string): number {
  return cutOff(metrics, 'connection') + cutOff(metrics, 'body');
}

function cutOff(metrics: string, what: string): number {
  return Number(new RegExp(`^rwo_guard_cut_off_total\\{what="${what}"\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
}
