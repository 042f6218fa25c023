import { attachedTo } from '../forecast/state.ts';
import { isTransient } from '../objects/node.ts';
import { repels } from '../objects/toleration.ts';
import type { FollowedPod, Step } from './followed.ts';
import type { Telling } from './telling.ts';

/** What the scheduler, the attach-detach controller and the kubelet do. */
export type NodeStep = Extract<Step, { readonly node: number }>;

type Bound = Extract<Step, { readonly type: 'bound' }>;

/** What is told of one node; the line is empty where that is nothing. */
interface Binding {
  readonly line: string;
  readonly steps: readonly NodeStep[];
}

/** A line for each node: which pods come there, what is attached there for them, and which of them are ready then. */
export function bindings(steps: readonly NodeStep[], telling: Telling): readonly Binding[] {
  const byNode = [...Map.groupBy(steps, ({ node }) => node)];
  return byNode.map(([node, some]) => ({ line: onNode(node, some, steps, telling), steps: some }));
}

function onNode(node: number, some: readonly NodeStep[], all: readonly NodeStep[], telling: Telling): string {
  const { names, cluster } = telling;
  const bound = some.filter((step) => step.type === 'bound');
  const ready = some.flatMap((step) => (step.type === 'ready' ? [step.pod] : []));
  const attached = some.flatMap((step) =>
    step.type === 'attached' ? (cluster.volumes[step.volume]?.names ?? []) : [],
  );
  const comes = binding(bound, all, telling);
  const there = comes === '' ? `to ${names.node(node)}` : 'there';
  const gets = attached.length === 0 ? '' : `${names.claimsDo(attached, 'are')} attached ${there}`;
  const starts = ready.length === 0 ? '' : `${names.podsDo(ready, 'become')} ready`;
  return joined([comes, joined([gets, starts], ', and ')], '; ');
}

function joined(parts: readonly string[], by: string): string {
  return parts.filter((part) => part !== '').join(by);
}

/** Of a pod that is for one node by its making nothing is told. */
function binding(bound: readonly Bound[], all: readonly NodeStep[], telling: Telling): string {
  const { names, cluster } = telling;
  const [first] = bound;
  if (first === undefined) return '';
  const pods = bound.map(({ pod }) => pod);
  const { template, onlyNode } = cluster.classes[first.pod.podClass] ?? {};
  const node = names.node(first.node);
  if (template?.nodeName !== undefined) return `${names.podsDo(pods, 'go')} to ${node}, as nodeName says`;
  if (onlyNode !== undefined) return '';
  return `the scheduler binds ${names.pods(pods)} to ${node}${stateNow(first, telling)}${reasonFor(bound, all, telling)}`;
}

/** That a node is cordoned, or not ready, passes: it is left out of what may happen some day. */
function stateNow({ pod, node }: Bound, { cluster }: Telling): string {
  const [podClass, found] = [cluster.classes[pod.podClass], cluster.nodes[node]];
  if (podClass === undefined || found === undefined || podClass.countsCordons) return '';
  if (found.unschedulable) return ' (cordoned now)';
  const { tolerations } = podClass.template;
  return found.taints.some((taint) => isTransient(taint) && repels(taint, tolerations)) ? ' (not ready now)' : '';
}

/** Why it may be there, and not where its volume is or comes to be. */
function reasonFor(bound: readonly Bound[], all: readonly NodeStep[], telling: Telling): string {
  const { names } = telling;
  for (const { pod, node, before } of bound) {
    const volumes = volumesOf(pod, telling);
    const at = volumes.map((volume) => attachedTo(before.state, volume)).find((one) => one >= 0 && one !== node);
    if (at === undefined) continue;
    const refused = telling.whyNot(pod, at, before);
    const where = names.node(at);
    return refused === undefined
      ? `, which passes all filters, as ${where} does`
      : `, because ${where} does not take it (${refused})`;
  }
  const isFirst = all.find(({ type }) => type === 'bound') === bound[0];
  return !isFirst && bound.some((one) => isTaken(one, all, telling)) ? ', which passes all filters too' : '';
}

/** Whether a volume of the pod is attached to another node in these steps. */
function isTaken({ pod, node }: Bound, all: readonly NodeStep[], telling: Telling): boolean {
  const volumes = volumesOf(pod, telling);
  return all.some((step) => step.type === 'attached' && step.node !== node && volumes.includes(step.volume));
}

function volumesOf(pod: FollowedPod, telling: Telling): readonly number[] {
  return telling.exclusiveOf(pod).map(({ volume }) => volume);
}
