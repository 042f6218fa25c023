import type { V1Taint } from '@kubernetes/client-node';
import { KubernetesApiError } from '../control-plane/kubernetes-api.ts';
import type { NodeChange } from './draft.ts';
import type { Stage } from './stage.ts';

const PREFIX = 'oracle.example.com/occupied';

/** One mark where old pods are, two where new ones are: the scheduler avoids the second more than the first. */
const OLD = [`${PREFIX}-by-old`];
const NEW = [`${PREFIX}-by-new`, `${PREFIX}-by-new-too`];

/**
 * Leads the scheduler to the worst node it may choose. A mark is a taint that only discourages, so a pod that must go
 * there still does.
 */
export class NodeMarks {
  readonly #stage: Stage;
  readonly #marked = new Map<string, Set<string>>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async markOld(nodes: readonly string[]): Promise<void> {
    await this.#mark(nodes, OLD);
  }

  async markNew(nodes: readonly string[]): Promise<void> {
    await this.#mark(nodes, NEW);
  }

  async #mark(nodes: readonly string[], keys: readonly string[]): Promise<void> {
    for (const name of new Set(nodes)) {
      const marks = this.#marked.get(name) ?? new Set();
      if (keys.every((key) => marks.has(key))) continue;
      for (const key of keys) marks.add(key);
      this.#marked.set(name, marks);
      await changeNode(this.#stage, name, (taints) => [...taints, ...keys.map(markOf)]);
    }
  }

  /** Takes all marks from these nodes. */
  async clear(nodes: readonly string[]): Promise<void> {
    this.#marked.clear();
    for (const name of nodes) await changeNode(this.#stage, name, (taints) => taints.filter((taint) => !isMark(taint)));
  }
}

export function isMark({ key }: V1Taint): boolean {
  return key.startsWith(PREFIX);
}

function markOf(key: string): V1Taint {
  return { key, effect: 'PreferNoSchedule' };
}

export async function applyWeather(stage: Stage, { name, unschedulable, taint }: NodeChange): Promise<void> {
  await changeNode(stage, name, (taints) => (taint === undefined ? taints : [...taints, taint]), unschedulable);
}

/** The node lifecycle controller writes taints too, so a write that comes too late is made again. */
async function changeNode(
  { api }: Stage,
  name: string,
  change: (taints: readonly V1Taint[]) => readonly V1Taint[],
  unschedulable?: boolean,
): Promise<void> {
  const key = { apiVersion: 'v1', kind: 'Node', name };
  for (;;) {
    const node = await api.get<{ metadata: { resourceVersion?: string }; spec?: { taints?: V1Taint[] } }>(key);
    const before = node.spec?.taints ?? [];
    const taints = change(before);
    if (unschedulable === undefined && JSON.stringify(taints) === JSON.stringify(before)) return;
    const spec = { taints, ...(unschedulable === undefined ? {} : { unschedulable }) };
    try {
      const { resourceVersion } = node.metadata;
      await api.patch(key, 'merge', { metadata: { resourceVersion }, spec });
      return;
    } catch (error) {
      if (!(error instanceof KubernetesApiError && error.code === 409)) throw error;
    }
  }
}
