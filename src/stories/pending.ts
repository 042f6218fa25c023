import { type PodClass, podsFrom } from '../forecast/cluster.ts';
import { classOf, nodeOf, phaseOf, type State, WAITING } from '../forecast/state.ts';
import { isOnePod } from '../objects/access-mode.ts';
import type { Node } from '../objects/node.ts';
import type { FollowedPod } from './followed.ts';
import { claimNames, itOrThem, listed } from './names.ts';
import type { Telling } from './telling.ts';
import { firstNodes, fixedReason, MOST_NODES } from './why-not.ts';

/** As many reasons as one line holds. */
const MOST_REASONS = 3;

/** Why a pod that waits has no node: its claims, or what the nodes have against it, those alike together. */
export function noNodeFor(waiting: FollowedPod, it: string, telling: Telling): string {
  const { way, cluster, followed, names } = telling;
  const { state } = followed.end;
  const { podClass } = waiting;
  const pod = cluster.classes[podClass];
  if (pod === undefined) return '';
  if (!way.question.world.scheduler.isFree(podClass, 0, state)) return inUse(pod, state, telling);
  const deleted = pod.areThere ? [] : claimNames(pod.claims.filter(({ claim }) => claim.deleting));
  if (deleted.length > 0) {
    return `${names.claimsDo(deleted, 'are')} being deleted: no pod that comes gets ${itOrThem(deleted)}`;
  }
  const reasonAt = (node: number): string => telling.whyNot(waiting, node, followed.end) ?? '';
  const { onlyNode } = pod;
  if (onlyNode !== undefined) return `${names.node(onlyNode)} does not take ${it} (${reasonAt(onlyNode)})`;
  const found = cluster.nodes.slice(0, MOST_NODES).map((node, at) => ({ node, reason: reasonAt(at) }));
  const others = othersThan(cluster.names, pod).map((node) => ({ node, reason: fixedReason(pod, node) }));
  const byReason = Map.groupBy(
    [...found, ...others].filter(({ node, reason }) => node !== undefined && reason),
    ({ reason }) => reason,
  );
  const { nodes } = pod.facts;
  if (byReason.size === 0) return nodes.known && nodes.value.size === 0 ? 'there is no node' : `no node takes ${it}`;
  const all = [...byReason].map(
    ([reason, some]) => `${listed(some.map(({ node }) => names.nodeCalled(node?.name ?? '')))} (${reason})`,
  );
  const more = all.length > MOST_REASONS ? [`others for ${all.length - MOST_REASONS} more reasons`] : [];
  return `no node takes ${it}: ${[...all.slice(0, MOST_REASONS), ...more].join(', ')}`;
}

/** Nodes that the search does not look at, because no pod of anybody fits there, or they are as others. */
function othersThan(known: readonly string[], { facts: { nodes } }: PodClass): readonly Node[] {
  if (!nodes.known) return [];
  return firstNodes(nodes.value).filter(({ name }) => !known.includes(name));
}

/** A claim for one pod is in use wherever that is. */
function inUse(pod: PodClass, state: State, telling: Telling): string {
  const { cluster, names, followed } = telling;
  const held = pod.claims.filter(({ volume }) => cluster.volumes[volume]?.isForOnePod);
  const user = state
    .slice(podsFrom(cluster))
    .find(
      (code) =>
        phaseOf(code) !== WAITING &&
        nodeOf(code) >= 0 &&
        cluster.classes[classOf(code)]?.claims.some((theirs) => held.some(({ volume }) => volume === theirs.volume)),
    );
  const claims = claimNames(held);
  const isReadWriteOncePod = held.every(
    ({ claim: { accessModes } }) => accessModes.known && isOnePod(accessModes.value),
  );
  const why = isReadWriteOncePod
    ? `${names.claimsDo(claims, 'are')} ReadWriteOncePod`
    : `${names.claimsDo(claims, 'take')} one pod at a time`;
  const who = user === undefined ? 'another pod' : telling.nameAt(followed.end, user);
  return `${why}, and ${who} has ${itOrThem(held)}`;
}
