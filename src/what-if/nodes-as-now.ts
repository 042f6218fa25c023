import { type Fact, mapFact } from '../objects/fact.ts';
import { isTransient, type Node } from '../objects/node.ts';
import type { Taint, Toleration } from '../objects/toleration.ts';
import type { Workload } from '../objects/workload.ts';
import { SnapshotLayer } from '../snapshot/layered-snapshot.ts';
import { NodeIndex } from '../snapshot/node-index.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';

/** A forecast leaves out what passes, such as cordons; under this prefix it counts like any other taint. */
const NOW = 'now.rwo-guard.dev/';

const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

/** The cluster with other nodes. */
export class WithNodes extends SnapshotLayer {
  readonly #nodes: Fact<NodeIndex>;

  constructor(below: ClusterSnapshot, change: (node: Node) => Node, more: readonly Node[] = []) {
    super(below);
    this.#nodes = mapFact(below.nodes(), (index) => {
      const changed = new NodeIndex();
      for (const node of [...nodesIn(index), ...more]) changed.set(change(node));
      return changed;
    });
  }

  override nodes(): Fact<NodeIndex> {
    return this.#nodes;
  }
}

export function nodesIn(index: NodeIndex): readonly Node[] {
  return [...index.names()].flatMap((name) => index.get(name) ?? []);
}

/**
 * The nodes as the scheduler sees them today, some of them cordoned or tainted besides. The taint of a cordon comes and goes a
 * moment after it (`node_lifecycle_controller.go:doNoScheduleTaintingPass`), so the cordon alone counts.
 */
export function asOfToday(snapshot: ClusterSnapshot, more: (node: Node) => readonly Taint[]): WithNodes {
  return new WithNodes(snapshot, (node) => {
    const own = node.taints.filter(({ key }) => key !== CORDON.key);
    const taints = [...own, ...(node.unschedulable ? [CORDON] : []), ...more(node)];
    if (taints.length + node.taints.length === 0) return node;
    return {
      ...node,
      unschedulable: false,
      taints: taints.map((taint) => (isTransient(taint) ? lasting(taint) : taint)),
    };
  });
}

/** What a drain does first (`kubectl/pkg/drain/cordon.go`). */
export const CORDONED: readonly Taint[] = [CORDON];

/** What a node that has gone silent gets (`node_lifecycle_controller.go:doNoScheduleTaintingPass`, `doNoExecuteTaintingPass`). */
export const SILENT: readonly Taint[] = ['NoSchedule', 'NoExecute'].map((effect) => ({
  key: 'node.kubernetes.io/unreachable',
  value: '',
  effect,
}));

/** Who tolerates what passes tolerates it under that prefix too. */
export function toleratingToday(workload: Workload): Workload {
  const { tolerations } = workload.template;
  const passing = tolerations.filter(({ key }) => key.startsWith('node.'));
  if (passing.length === 0) return workload;
  return { ...workload, template: { ...workload.template, tolerations: [...tolerations, ...passing.map(lasting)] } };
}

function lasting<T extends Taint | Toleration>(one: T): T {
  return { ...one, key: `${NOW}${one.key}` };
}
