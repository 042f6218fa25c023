import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/objects/json.ts';
import type { KubernetesApi, KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { subjectOf } from '../control-plane/role.ts';
import { until } from '../control-plane/until.ts';
import { NAMESPACE, worstCluster } from '../worst/cluster.ts';
import { type Recipe, workloadObject } from '../worst/requests.ts';
import { deployment } from './admission-requests.ts';
import type { DeployedGuard } from './deployed-guard.ts';
import { type InstalledCluster, installIn } from './installed-cluster.ts';
import { claim } from './webhook-manifests.ts';

/*
 * Somebody who may do nothing but create Deployments in one namespace keeps sending what costs the guard most. With
 * failurePolicy Ignore whatever is not answered in time is admitted, and a replica that does not answer its probe is ended.
 */

/** As far as the API server takes them: it refuses two spreads over one topology. */
const WORST: readonly Recipe['lists'][] = [
  { overlapClaims: 16 },
  { localClaims: 200 },
  { wideClaims: 200 },
  { spreadByHost: 1, spreadByZone: 1 },
  { replicas: 3, apartByTopologies: 100 },
  { replicas: 3, apartByZone: 1_000 },
  { notOnHosts: 4_999 },
  { greaterThanSerial: 2_000 },
  { replicas: 3, localClaims: 50, apartByTopologies: 8, spreadByTopologies: 8, greaterThanSerial: 300 },
];

const SENDERS = 4;
const HAZARDS = 100;

/** What a kubelet does unless it is told otherwise: it waits for one second, and ends what fails three times in a row. */
const PROBE_TIMEOUT_MS = 1_000;
const FAILURES = 3;
const BETWEEN_PROBES_MS = 100;

/** A guard that is held up would hold up the tests for minutes too. */
const PATIENCE_MS = 100_000;
const IN_TIME = { timeout: PATIENCE_MS };

let installed: InstalledCluster;
let guard: DeployedGuard | undefined;

before(async () => {
  installed = await installIn('rwo-guard', [], { shop: { mode: 'enforce' }, [NAMESPACE]: {} });
  const { api } = installed.cluster;
  const objects = [...worstCluster({ nodes: 300, claims: 0 })].filter(({ kind }) => !NOT_NEEDED.has(kind));
  await createAll(api, objects);
  await installed.typed(claim('shop'), 'apply', '-f', '-');
  guard = await installed.start();
});

after(async () => {
  await guard?.stop();
  await installed.cluster.stop();
}, IN_TIME);

/** Neighbours would be a thousand objects more, and namespaces are there. */
const NOT_NEEDED: ReadonlySet<unknown> = new Set(['Namespace', 'Deployment', 'HorizontalPodAutoscaler']);

test('while the worst requests keep coming no hazard is admitted and no replica is ended', IN_TIME, async () => {
  const attack = await startAttack();
  const probes = startProbes();
  await until('all of the worst requests', async () => attack.answered() > WORST.length * SENDERS, {
    timeoutMs: 60_000,
  });
  const before = attack.answered();
  const answers: string[] = [];
  while (answers.length < HAZARDS) {
    answers.push(await installed.cluster.api.create(deployment('shop')).then(() => 'admitted', String));
  }
  const meanwhile = attack.answered() - before;
  const refused = await attack.stop();
  const ended = await probes.stop();
  assert.deepEqual(
    answers.filter((answer) => !answer.includes('[rollout-deadlock]')),
    [],
  );
  assert.deepEqual(ended, []);
  assert.deepEqual(refused, [], 'the API server refuses no worst request by itself');
  assert.ok(meanwhile > WORST.length, `only ${meanwhile} worst requests meanwhile`);
});

async function createAll(api: KubernetesApi, objects: readonly JsonObject[]): Promise<void> {
  const left = objects.values();
  const creating = Array.from({ length: 20 }, async () => {
    for (const object of left) await api.create(object as KubernetesObject);
  });
  await Promise.all(creating);
}

/** Dry runs, and every third a real one, without a pause. */
async function startAttack() {
  const { cluster } = installed;
  await allowDeployments(cluster.api, 'mallory');
  const mallory = cluster.apiAs({ user: 'mallory' });
  const refused = new Set<string>();
  let [answered, stopped] = [0, false];
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = sender; !stopped; n++) {
      const object = workloadObject({ lists: WORST[n % WORST.length] ?? {} }, `worst-${sender}-${n}`);
      await mallory.create(object as KubernetesObject, { dryRun: n % 3 > 0 }).catch((error: unknown) => {
        if (!stopped) refused.add(String(error));
      });
      answered += 1;
    }
  });
  return {
    answered: () => answered,
    async stop() {
      stopped = true;
      await Promise.all(senders);
      await mallory.close();
      return [...refused];
    },
  };
}

async function allowDeployments(api: KubernetesApi, user: string): Promise<void> {
  const metadata = { namespace: NAMESPACE, name: user };
  const apiGroup = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['create'] }];
  const role = { apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata, rules };
  const roleRef = { apiGroup, kind: 'Role', name: user };
  const subjects = [subjectOf('User', user)];
  const binding = { apiVersion: `${apiGroup}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects };
  for (const object of [role, binding]) await api.create<KubernetesObject>(object);
}

/** Asks each replica whether it lives, as its kubelet does and far more often; gives how it failed wherever that ends it. */
function startProbes() {
  const ended: string[] = [];
  let stopped = false;
  const probing = (guard?.replicas ?? []).map(async ({ alive }) => {
    for (let failures = 0; !stopped; ) {
      const since = performance.now();
      const answer = await alive().catch(String);
      const milliseconds = performance.now() - since;
      failures = answer === true && milliseconds <= PROBE_TIMEOUT_MS ? 0 : failures + 1;
      if (failures >= FAILURES) ended.push(`${answer} after ${milliseconds.toFixed(0)} ms`);
      await sleep(BETWEEN_PROBES_MS);
    }
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(probing);
      return ended;
    },
  };
}
