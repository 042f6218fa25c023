import { ApiError } from '../cluster/api-error.ts';
import { KubeConnection } from '../cluster/connection.ts';
import { loadKubeConfig } from '../cluster/kube-config.ts';
import { listPages } from '../cluster/list-pages.ts';
import type { ScannedKind } from '../cluster/listed-cluster.ts';
import { type Fact, known, unknown } from '../objects/fact.ts';
import type { JsonObject } from '../objects/json.ts';
import { metadataFrom } from '../objects/metadata.ts';
import { nodeStatusFrom } from '../objects/node-status.ts';
import { keyOf } from '../objects/object-key.ts';
import { type DisruptionBudget, disruptionBudgetFrom } from '../objects/pod-disruption-budget.ts';
import { type RunningPod, replacesOnlyFailed, runningPodFrom } from '../objects/running-pod.ts';
import type { Unseen } from '../report/scan-report.ts';
import type { ScannedObjects } from '../scan/scanned-cluster.ts';
import { UsageError } from '../usage-error.ts';
import { type ClusterNow, PodsNow } from '../what-if/cluster-now.ts';
import { dumpedObjects } from './dumped-objects.ts';
import { type Beside, type Live, liveObjects } from './scanned-objects.ts';

/** A cluster as it runs, and what of it could not be read. */
export interface ReadNow {
  readonly cluster: ClusterNow;
  readonly state: ScannedObjects['state'];
  readonly unseen: readonly Unseen[];
  readonly unreadable: ScannedObjects['unreadable'];
}

/** Reads a live cluster with the caller's own rights. */
export async function liveNow(live: Omit<Live, 'namespace' | 'beside'>): Promise<ReadNow> {
  const taken = new Taken();
  const objects = await liveObjects({ ...live, namespace: undefined, beside: taken });
  return taken.now(objects, await liveBudgets(live));
}

/** Takes a cluster from what was written down of it. */
export async function dumpedNow(path: string): Promise<ReadNow> {
  const taken = new Taken();
  const objects = await dumpedObjects(path, taken);
  const none = unknown('the dump holds none; add poddisruptionbudgets to what kubectl get writes');
  return taken.now(objects, taken.budgets.length === 0 ? none : known(taken.budgets));
}

/** What is kept of each object besides what a scan keeps. */
class Taken implements Beside {
  budgets: DisruptionBudget[] = [];
  #pods: RunningPod[] = [];
  readonly #ready = new Set<string>();
  readonly #late = new Set<string>();

  /** Throws UnreadableObjectError where a field has another type than its API says. */
  take(object: JsonObject): void {
    const { namespace, name } = metadataFrom(object);
    switch (object.kind) {
      case 'Pod': {
        const pod = runningPodFrom(object);
        if (pod !== undefined) this.#pods.push(pod);
        return;
      }
      case 'Node':
        if (nodeStatusFrom(object).ready === 'True') this.#ready.add(name);
        return;
      case 'Job':
        if (replacesOnlyFailed(object)) this.#late.add(keyOf(namespace, name));
        return;
      case 'PodDisruptionBudget':
        this.budgets.push(disruptionBudgetFrom(object));
        return;
      default:
    }
  }

  forget(kind?: ScannedKind): void {
    if (kind === undefined || kind === 'Pod') this.#pods = [];
    if (kind === undefined) this.budgets = [];
  }

  now({ state, pods: scanned, unseen, unreadable }: ScannedObjects, budgets: ClusterNow['budgets']): ReadNow {
    const nodes = state.nodes();
    if (!nodes.known) throw new UsageError(`without nodes nothing can be told: ${nodes.because}`);
    if (scanned === undefined) throw new UsageError('without pods nothing can be told: allow to list pods');
    const pods = new PodsNow(state);
    for (const pod of this.#pods) pods.add(pod);
    const cluster = { snapshot: state, pods, ready: this.#ready, budgets, late: this.#late };
    return { cluster, state, unseen, unreadable };
  }
}

async function liveBudgets({
  signal,
  ...choice
}: Omit<Live, 'namespace' | 'beside'>): Promise<Fact<readonly DisruptionBudget[]>> {
  const connection = new KubeConnection({ load: () => loadKubeConfig(choice) });
  const budgets: DisruptionBudget[] = [];
  try {
    await listPages(connection, BUDGETS, (object) => void budgets.push(disruptionBudgetFrom(object)), signal);
    return known(budgets);
  } catch (error) {
    if (!(error instanceof ApiError && error.refused)) throw error;
    return unknown('poddisruptionbudgets cannot be read: permission missing (list poddisruptionbudgets)');
  } finally {
    await connection.close();
  }
}

const BUDGETS = '/apis/policy/v1/poddisruptionbudgets';
