import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { emptyState, nodeOf, podCode, READY, type State, WAITING, withPod } from '../../src/forecast/state.ts';
import { type World, worldOf } from '../../src/forecast/world.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

export interface SmallCluster {
  /** What each node says beside its name and hostname. */
  readonly nodes: Readonly<Record<string, { readonly labels?: JsonObject; readonly spec?: JsonObject }>>;
  readonly objects?: readonly JsonObject[];
  /** The pod that comes, as the spec of a template with the label `app: web`. */
  readonly pod: JsonObject;
  /** Pods of the template before it, by the node that they are on. */
  readonly running?: JsonObject;
  readonly on?: readonly string[];
  /** Whether today's cordons count. */
  readonly countsCordons?: boolean;
}

/** The nodes to which the scheduler may bind the pod, in the order of their names. */
export function boundTo(cluster: SmallCluster): readonly string[] {
  const { world, state } = smallWorld(cluster);
  const bound = world.scheduler.bind(state).map((next) => newNode(next, world));
  return [...new Set(bound)].toSorted();
}

function newNode(state: State, { cluster, own }: World): string {
  const first = 2 * cluster.volumes.length;
  const pod = state.slice(first).find((code) => code >= podCode(own[1]?.[0] ?? 0, WAITING, -1));
  return cluster.names[nodeOf(pod ?? 0)] ?? 'no node';
}

/** The cluster as a search sees it, and the state in which the pod has just been made. */
export function smallWorld({ nodes, objects = [], pod, running = pod, on = [], countsCordons = false }: SmallCluster) {
  const cluster = new ClusterState();
  for (const [name, { labels, spec }] of Object.entries(nodes)) {
    const all = { 'kubernetes.io/hostname': name, ...labels };
    putObject(cluster, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: all }, spec: spec ?? {} });
  }
  for (const object of objects) putObject(cluster, object);
  const factsOf = (podSpec: JsonObject) => {
    const spec = { template: { metadata: { labels: { app: 'web' } }, spec: podSpec } };
    const workload = workloadFrom('Deployment', { metadata: { namespace: 'shop', name: 'web' }, spec });
    return gatherFacts(workload, cluster, storageMatrix(), new Budget()).facts;
  };
  const all = { ordinals: undefined, countsCordons, areThere: false };
  const world = worldOf({
    own: [
      { facts: factsOf(running), revision: 'old', ...all },
      { facts: factsOf(pod), revision: 'new', ...all },
    ],
    others: [],
    places: new Set(on),
    mostPods: 8,
    assumption: 'harmless',
    budget: new Budget(),
  });
  if (world === undefined) throw new Error('a small cluster is looked at');
  const volumes = world.cluster.volumes.length;
  let state = withPod(emptyState(volumes), 2 * volumes, podCode(1, WAITING, -1));
  for (const name of on) {
    state = withPod(state, 2 * volumes, podCode(0, READY, world.cluster.names.indexOf(name)));
  }
  return { world, state };
}
