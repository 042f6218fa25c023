import { type Cluster, podsFrom } from './cluster.ts';
import { attachedTo, classOf, nodeOf, phaseOf, READY, STARTING, type State, TERMINATING, WAITING } from './state.ts';

/**
 * A way in words: where it begins, and what happens on it, one line a step, in the cluster's own names;
 * `isNew` has the classes of the pods that the way is to lead to.
 */
export function storyOf(way: readonly State[], cluster: Cluster, isNew: ReadonlySet<number>): readonly string[] {
  const [start = [], ...later] = way;
  const steps = later.flatMap((state, index) => stepInWords(way[index] ?? [], state, cluster, isNew));
  return [...startInWords(start, cluster, isNew), ...steps];
}

function startInWords(start: State, cluster: Cluster, isNew: ReadonlySet<number>): readonly string[] {
  const attached = cluster.volumes.flatMap(({ names }, volume) => {
    const node = attachedTo(start, volume);
    return node < 0 ? [] : names.map((name) => `${name} is attached to ${cluster.names[node]}`);
  });
  return [
    ...start.slice(podsFrom(cluster)).map((pod) => `${podInWords(pod, cluster, isNew)} ${stateOf(pod, cluster)}`),
    ...attached,
  ];
}

function stepInWords(before: State, after: State, cluster: Cluster, isNew: ReadonlySet<number>): readonly string[] {
  const first = podsFrom(cluster);
  const gone = without(before.slice(first), after.slice(first));
  const come = without(after.slice(first), before.slice(first));
  const pods = come.map((pod) => `${podInWords(pod, cluster, isNew)} ${becomes(pod, gone, cluster)}`);
  const ended = gone
    .filter((pod) => come.every((other) => classOf(other) !== classOf(pod)))
    .map((pod) => `${podInWords(pod, cluster, isNew)} has gone from ${cluster.names[nodeOf(pod)] ?? 'the queue'}`);
  const volumes = cluster.volumes.flatMap(({ names }, volume) => {
    const node = attachedTo(after, volume);
    if (node === attachedTo(before, volume)) return [];
    return names.map((name) => `${name} is attached to ${cluster.names[node]}`);
  });
  return [...pods, ...ended, ...volumes];
}

/** Those of the one that the other has not, each as often. */
function without(some: readonly number[], others: readonly number[]): readonly number[] {
  const left = [...others];
  return some.filter((pod) => {
    const at = left.indexOf(pod);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function becomes(pod: number, gone: readonly number[], cluster: Cluster): string {
  const isNew = gone.every((other) => classOf(other) !== classOf(pod));
  if (phaseOf(pod) === WAITING) return 'is created';
  if (phaseOf(pod) === STARTING && isNew) return `is created on ${cluster.names[nodeOf(pod)]}`;
  return stateOf(pod, cluster);
}

function stateOf(pod: number, { names }: Cluster): string {
  const node = names[nodeOf(pod)];
  switch (phaseOf(pod)) {
    case STARTING:
      return `is bound to ${node}`;
    case READY:
      return `is ready on ${node}`;
    case TERMINATING:
      return `is told to go from ${node}`;
    default:
      return 'waits for a node';
  }
}

function podInWords(pod: number, { classes }: Cluster, isNew: ReadonlySet<number>): string {
  const { facts, isOwn } = classes[classOf(pod)] ?? {};
  const { kind = '', metadata } = facts?.workload ?? {};
  const which = isOwn ? (isNew.has(classOf(pod)) ? 'a new pod' : 'an old pod') : 'a pod';
  return `${which} of ${kind} ${metadata?.name}`;
}
