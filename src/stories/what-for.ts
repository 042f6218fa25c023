import { podCode, WAITING } from '../forecast/state.ts';
import type { FollowedPod, Standing } from './followed.ts';
import { volumesElsewhere } from './held.ts';
import { isOrAre } from './node-steps.ts';
import { noNodeFor } from './pending.ts';
import { controllerOf, nameAt, type Telling } from './telling.ts';

/** Pods that wait for the same, the first of them, and who has it. */
export interface WaitingPods {
  readonly first: Standing;
  readonly pods: readonly FollowedPod[];
  readonly holders: readonly FollowedPod[];
}

/** What pods wait for: a volume that is attached elsewhere, a claim or a port that is taken, a node. */
export function whatFor(waiting: WaitingPods, telling: Telling): string {
  const { first, pods } = waiting;
  const who = telling.names.pods(pods);
  const isSeveral = pods.length > 1;
  if (first.phase === WAITING)
    return `${who} ${isSeveral ? 'stay' : 'stays'} Pending, because ${noNode(waiting, telling)}`;
  const waits = `${who} ${isSeveral ? 'wait' : 'waits'}`;
  if (volumesElsewhere(first, telling).length > 0) {
    return `${waits}, because ${attachedElsewhere(waiting, telling)} (Multi-Attach)`;
  }
  return mountedElsewhere(waiting, telling) ?? refused(waiting, telling);
}

function attachedElsewhere({ first, holders }: WaitingPods, telling: Telling): string {
  const { names } = telling;
  const volumes = volumesElsewhere(first, telling);
  const it = volumes.length > 1 ? 'them' : 'it';
  const [at = 0] = volumes.map((volume) => volume.at);
  const use = holders.length > 1 ? 'use' : 'uses';
  const where = holders.length === 0 ? '' : `, where ${names.pods(holders)} ${use} ${it}`;
  const claims = names.claims(volumes.map(({ name }) => name));
  return `${claims} ${isOrAre(volumes)} attached to ${names.node(at)}${where}, and one node may have ${it} at a time`;
}

function noNode({ first, pods, holders }: WaitingPods, telling: Telling): string {
  const { way, followed, names, whyNot } = telling;
  const it = pods.length > 1 ? 'them' : 'it';
  const name = nameAt(followed.end, telling);
  const none = noNodeFor(first.pod.podClass, followed.end.state, way.question, it, { whyNot, names, name });
  const onePod = way.waits.find(({ cause }) => cause === 'one-pod');
  if (onePod === undefined || holders.length > 0) return none;
  return `${none}; where one does, ${names.claims(onePod.claims)} is for one pod at a time`;
}

/** The kubelet mounts a volume for one pod after the other, also where the scheduler was not asked. */
function mountedElsewhere({ first, pods, holders }: WaitingPods, { way, names }: Telling): string | undefined {
  const onePod = way.waits.find(({ cause }) => cause === 'one-pod');
  if (onePod === undefined) return undefined;
  const by = holders.length === 0 ? '' : `, and ${names.pods(holders)} ${holders.length > 1 ? 'have' : 'has'} it`;
  const claims = `${names.claims(onePod.claims)} ${isOrAre(onePod.claims)}`;
  const waits = `${names.pods(pods)} ${pods.length > 1 ? 'wait' : 'waits'} on ${names.node(first.node)}`;
  return `${waits}, because ${claims} mounted for one pod at a time${by}`;
}

/** Past the scheduler, the kubelet asks the same (`pkg/kubelet/lifecycle/predicate.go:generalFilter`). */
function refused({ first, pods }: WaitingPods, telling: Telling): string {
  const { followed, names, whyNot } = telling;
  const { pod, phase, node } = first;
  const code = podCode(pod.podClass, phase, node);
  const others = followed.end.state.filter((other) => other !== code);
  const reason = whyNot.at(pod.podClass, node, others, nameAt(followed.end, telling));
  const because = reason === undefined ? '' : `, because ${reason}`;
  return `the kubelet of ${names.node(node)} refuses ${names.pods(pods)}${because}; ${controllerOf(telling)} makes another each time`;
}
