import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { forecast } from '../../src/forecast/outcome.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ListName, WorkloadKind } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { type SeenForecast, seen } from './causes.ts';
import { disk, HOST, REQUIRED, SELF, ZONE } from './scene.ts';

export interface Described {
  readonly kind?: WorkloadKind;
  readonly name?: string;
  readonly spec?: JsonObject;
  readonly pod?: JsonObject;
  readonly claims?: readonly string[];
}

export interface Around {
  /** Named by zone and number: `a1` is in zone a. */
  readonly nodes?: readonly string[];
  readonly cordoned?: readonly string[];
  readonly objects?: readonly JsonObject[];
  readonly others?: readonly Described[];
  readonly unlisted?: ListName;
  readonly before?: Described;
  readonly places?: readonly string[];
}

/** A workload of the app web on the claim `data`, a disk for one node. */
export function manifest({
  kind = 'Deployment',
  name = 'web',
  spec = {},
  pod = {},
  claims = ['data'],
}: Described): JsonObject {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const template = { metadata: { labels: { app: name } }, spec: { ...pod, volumes } };
  const run = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  const apiVersion = kind === 'CronJob' || kind === 'Job' ? 'batch/v1' : 'apps/v1';
  return { apiVersion, kind, metadata: { namespace: 'shop', name }, spec: { ...run, ...spec } };
}

/** What is foretold of a workload among others on nodes with a name and a zone. */
export function foretold(described: Described, around: Around = {}): SeenForecast {
  const { nodes = ['a1', 'a2', 'b1'], cordoned = [], objects = [], others = [], unlisted, before, places } = around;
  const state = new ClusterState((list) => (list === unlisted ? unknown(`${list} are not listed`) : known(true)));
  for (const name of nodes) {
    const labels = { [HOST]: name, [ZONE]: name.charAt(0) };
    const spec = { unschedulable: cordoned.includes(name) };
    putObject(state, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec });
  }
  for (const object of [...disk('data'), ...disk('more'), ...objects, ...others.map(manifest)])
    putObject(state, object);
  const factsOf = (of: Described) =>
    gatherFacts(workloadFrom(of.kind ?? 'Deployment', manifest(of)), state, storageMatrix(), new Budget()).facts;
  return seen(forecast(factsOf(described), { before: before && factsOf(before), places: places && new Set(places) }));
}

export const ELSEWHERE = { cause: 'volume-elsewhere', claims: ['data'] };
export const ONE_POD = { cause: 'one-pod', claims: ['data'] };
export const NO_NODE = { cause: 'no-node-left', claims: [] };
export const TOO_FEW = { cause: 'too-few-nodes', claims: [] };
export const PORT = { containers: [{ ports: [{ hostPort: 80 }] }] };
export const byZone = (kind: string): JsonObject => ({
  affinity: { [kind]: { [REQUIRED]: [{ ...SELF, topologyKey: ZONE }] } },
});

/** Another workload with the claim `data`. */
export const JOB: Described = { kind: 'Job', name: 'backup' };

/** A pod that has to share the node of one of this app. */
export function heldTo(app: string, more: JsonObject = {}): JsonObject {
  const term = { topologyKey: HOST, labelSelector: { matchLabels: { app } }, ...more };
  return { affinity: { podAffinity: { [REQUIRED]: [term] } } };
}
