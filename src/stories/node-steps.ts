import { attachedTo } from '../forecast/state.ts';
import { isWeather } from '../objects/node.ts';
import { repels } from '../objects/toleration.ts';
import type { FollowedPod, Step } from './followed.ts';
import { nameAt, type Telling } from './telling.ts';

/** What the scheduler, the attach-detach controller and the kubelet do. */
export type NodeStep = Extract<Step, { readonly type: 'bound' | 'ready' | 'attached' }>;

type Bound = Extract<Step, { readonly type: 'bound' | 'ready' }>;

/** A line for each node: which pods come there, what is attached there for them, and which of them are ready then. */
export function bindings(steps: readonly NodeStep[], telling: Telling): readonly string[] {
  const byNode = [...Map.groupBy(steps, ({ node }) => node)];
  return byNode.map(([node, some]) => onNode(node, some, steps, telling)).filter((line) => line !== '');
}

function onNode(node: number, some: readonly NodeStep[], all: readonly NodeStep[], telling: Telling): string {
  const { names, way } = telling;
  const { volumes } = way.question.world.cluster;
  const bound = some.flatMap((step) => (step.type === 'bound' ? [step] : []));
  const ready = some.flatMap((step) => (step.type === 'ready' ? [step.pod] : []));
  const attached = some.flatMap((step) => (step.type === 'attached' ? [...(volumes[step.volume]?.names ?? [])] : []));
  const comes = binding(bound, all, telling);
  const there = comes === '' ? `to ${names.node(node)}` : 'there';
  const gets = attached.length === 0 ? '' : `${names.claims(attached)} ${isOrAre(attached)} attached ${there}`;
  const starts = ready.length === 0 ? '' : `${names.pods(ready)} ${ready.length > 1 ? 'become' : 'becomes'} ready`;
  const then = [gets, starts].filter((part) => part !== '').join(', and ');
  return [comes, then].filter((part) => part !== '').join('; ');
}

export function isOrAre(some: readonly unknown[]): string {
  return some.length > 1 ? 'are' : 'is';
}

/** Of a pod that is for one node by its making nothing is told. */
function binding(bound: readonly Bound[], all: readonly NodeStep[], telling: Telling): string {
  const { names, way } = telling;
  const [first] = bound;
  if (first === undefined) return '';
  const pods = names.pods(bound.map(({ pod }) => pod));
  const { template, onlyNode } = way.question.world.cluster.classes[first.pod.podClass] ?? {};
  const node = names.node(first.node);
  if (template?.nodeName !== undefined)
    return `${pods} ${bound.length > 1 ? 'go' : 'goes'} to ${node}, as nodeName says`;
  if (onlyNode !== undefined) return '';
  return `the scheduler binds ${pods} to ${node}${faring(first, telling)}${passing(bound, all, telling)}`;
}

/** That a node is cordoned, or fares badly, passes: it is left out of what may happen some day. */
function faring({ pod, node }: Bound, { way }: Telling): string {
  const { classes, nodes } = way.question.world.cluster;
  const [podClass, found] = [classes[pod.podClass], nodes[node]];
  if (podClass === undefined || found === undefined || podClass.countsCordons) return '';
  if (found.unschedulable) return ' (cordoned now)';
  const { tolerations } = podClass.template;
  return found.taints.some((taint) => isWeather(taint) && repels(taint, tolerations)) ? ' (not ready now)' : '';
}

/** Why it may be there, and not where its volume is or comes to be. */
function passing(bound: readonly Bound[], all: readonly NodeStep[], telling: Telling): string {
  const { names, whyNot } = telling;
  for (const one of bound) {
    const { pod, before } = one;
    const at = elsewhere(one, telling);
    if (at === undefined) continue;
    const refused = whyNot.at(pod.podClass, at, before.state, nameAt(before, telling));
    const where = names.node(at);
    return refused === undefined
      ? `, which passes all filters, as ${where} does`
      : `, because ${where} does not take it (${refused})`;
  }
  const isFirst = all.find(({ type }) => type === 'bound') === bound[0];
  return !isFirst && bound.some(({ pod, node }) => all.some((step) => isTaken(step, pod, node, telling)))
    ? ', which passes all filters too'
    : '';
}

/** Another node to which an exclusive volume of the pod is attached. */
function elsewhere({ pod, node, before }: Bound, telling: Telling): number | undefined {
  return exclusive(pod, telling)
    .map((volume) => attachedTo(before.state, volume))
    .find((at) => at >= 0 && at !== node);
}

/** Whether a volume of the pod is attached to another node in this step. */
function isTaken(step: NodeStep, pod: FollowedPod, node: number, telling: Telling): boolean {
  return step.type === 'attached' && step.node !== node && exclusive(pod, telling).includes(step.volume);
}

function exclusive({ podClass }: FollowedPod, { way }: Telling): readonly number[] {
  const { classes, volumes } = way.question.world.cluster;
  return (classes[podClass]?.claims ?? []).map(({ volume }) => volume).filter((at) => volumes[at]?.isAttachedToOne);
}
