import { podCode, WAITING } from '../forecast/state.ts';
import type { FollowedPod, Standing } from './followed.ts';
import { claimNames, itOrThem } from './names.ts';
import { noNodeFor } from './pending.ts';
import type { Telling } from './telling.ts';
import { unusableVolumes } from './why-not.ts';

/** Pods that wait for the same, the first of them, and who has it. */
export interface Waiting {
  readonly first: Standing;
  readonly pods: readonly FollowedPod[];
  readonly holders: readonly FollowedPod[];
}

/** What pods wait for: a volume that is attached elsewhere, a claim or a port that is taken, a node. */
export function whatFor(waiting: Waiting, telling: Telling): string {
  const { first, pods } = waiting;
  const { names, way } = telling;
  if (first.phase === WAITING) return `${names.podsDo(pods, 'stay')} Pending, because ${noNode(waiting, telling)}`;
  const elsewhere = attachedElsewhere(waiting, telling);
  if (elsewhere !== undefined) return `${names.podsDo(pods, 'wait')}, because ${elsewhere} (Multi-Attach)`;
  const where = `${names.podsDo(pods, 'wait')} on ${names.node(first.node)}`;
  if (!way.question.world.kubelets.mayMount(first.pod.podClass, first.node)) {
    return `${where}, because ${notMounted(first, telling)}`;
  }
  const claims = way.waits.find(({ cause }) => cause === 'one-pod')?.claims;
  return claims === undefined ? refused(waiting, telling) : `${where}, because ${mounted(claims, waiting, telling)}`;
}

function attachedElsewhere({ first, holders }: Waiting, telling: Telling): string | undefined {
  const { names } = telling;
  const volumes = telling.volumesElsewhere(first);
  const [one] = volumes;
  if (one === undefined) return undefined;
  const it = itOrThem(volumes);
  const where = holders.length === 0 ? '' : `, where ${names.podsDo(holders, 'use')} ${it}`;
  return `${names.claimsDo(claimNames(volumes), 'are')} attached to ${names.node(one.at)}${where}, and one node may have ${it} at a time`;
}

function noNode({ first, pods, holders }: Waiting, telling: Telling): string {
  const { way, names } = telling;
  const none = noNodeFor(first.pod, itOrThem(pods), telling);
  const onePod = way.waits.find(({ cause }) => cause === 'one-pod');
  if (onePod === undefined || holders.length > 0) return none;
  return `${none}; where one does, ${names.claims(onePod.claims)} is for one pod at a time`;
}

/** A pod with a nodeName goes past the scheduler, which chooses where volumes are made and looks at where they are. */
function notMounted({ pod, node }: Standing, telling: Telling): string {
  const { names, cluster } = telling;
  const [podClass, found] = [cluster.classes[pod.podClass], cluster.nodes[node]];
  const unusable = podClass && found && unusableVolumes(podClass, found);
  if (unusable !== undefined) return unusable;
  const unmade = claimNames(telling.claimsOf(pod).filter(({ claim }) => claim.waitsForPod));
  return `${names.claimsDo(unmade, 'get')} no volume: the scheduler would choose where, and a pod with a nodeName goes past it`;
}

/** The kubelet mounts a volume for one pod after the other, also where the scheduler was not asked. */
function mounted(claims: readonly string[], { holders }: Waiting, { names }: Telling): string {
  const by = holders.length === 0 ? '' : `, and ${names.podsDo(holders, 'have')} it`;
  return `${names.claimsDo(claims, 'are')} mounted for one pod at a time${by}`;
}

/** Past the scheduler, the kubelet asks the same (`pkg/kubelet/lifecycle/predicate.go:generalFilter`). */
function refused({ first: { pod, phase, node }, pods }: Waiting, telling: Telling): string {
  const { followed, names, controller } = telling;
  const code = podCode(pod.podClass, phase, node);
  const others = followed.end.state.filter((other) => other !== code);
  const reason = telling.whyNot(pod, node, followed.end, others);
  const because = reason === undefined ? '' : `, because ${reason}`;
  return `the kubelet of ${names.node(node)} refuses ${names.pods(pods)}${because}; ${controller} makes another each time`;
}
