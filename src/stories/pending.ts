import { type PodClass, podsFrom } from '../forecast/cluster.ts';
import type { Question } from '../forecast/question.ts';
import { classOf, nodeOf, phaseOf, type State, WAITING } from '../forecast/state.ts';
import { isOnePod } from '../objects/access-mode.ts';
import { listed, type Names } from './names.ts';
import { fixedReason, type NamePod, type WhyNot } from './why-not.ts';

/** As many nodes as are looked at for a line, and as many reasons as one holds. */
const MOST_NODES = 64;
const MOST_REASONS = 3;

/** Why a pod that waits has no node: what the nodes lack, those alike together. */
export function noNodeFor(
  podClass: number,
  state: State,
  question: Question,
  it: string,
  { whyNot, names, name }: { readonly whyNot: WhyNot; readonly names: Names; readonly name: NamePod },
): string {
  const { cluster, scheduler } = question.world;
  const pod = cluster.classes[podClass];
  if (pod === undefined) return '';
  const deleted = pod.areThere ? [] : pod.claims.filter(({ claim }) => claim.deleting);
  if (deleted.length > 0) {
    const is = deleted.length > 1 ? 'are' : 'is';
    return `${names.claims(deleted.map(({ claim }) => claim.name))} ${is} being deleted: no pod that comes gets ${is === 'is' ? 'it' : 'them'}`;
  }
  if (!scheduler.isFree(podClass, 0, state)) return inUse(pod, state, question, { names, name });
  const byReason = new Map<string, Set<string>>();
  const note = (reason: string | undefined, node: string): void => {
    if (reason !== undefined) byReason.set(reason, (byReason.get(reason) ?? new Set()).add(names.nodeCalled(node)));
  };
  for (const [node, found] of cluster.nodes.entries()) {
    if (found === undefined || node >= MOST_NODES) continue;
    note(whyNot.at(podClass, node, state, name), found.name);
  }
  for (const [at, other] of others(pod, new Set(cluster.names)).entries()) {
    note(fixedReason({ ...pod, onlyNode: undefined }, other, -1 - at), other.name);
  }
  const all = [...byReason].map(([reason, nodes]) => `${listed([...nodes])} (${reason})`);
  const more = all.length > MOST_REASONS ? [`others for ${all.length - MOST_REASONS} more reasons`] : [];
  return all.length === 0
    ? 'there is no node'
    : `no node takes ${it}: ${[...all.slice(0, MOST_REASONS), ...more].join(', ')}`;
}

/** Nodes that the search does not look at, because no pod of anybody fits there, or they are as others. */
function others({ facts }: PodClass, known: ReadonlySet<string>) {
  if (!facts.nodes.known) return [];
  const found = [];
  let looked = 0;
  for (const name of facts.nodes.value.names()) {
    if (looked++ >= MOST_NODES) break;
    const node = known.has(name) ? undefined : facts.nodes.value.get(name);
    if (node !== undefined) found.push(node);
  }
  return found;
}

/** A claim for one pod is in use wherever that is. */
function inUse(
  pod: PodClass,
  state: State,
  { world }: Question,
  { names, name }: { readonly names: Names; readonly name: NamePod },
): string {
  const { volumes, classes } = world.cluster;
  const held = pod.claims.filter(({ volume }) => volumes[volume]?.isForOnePod);
  const user = state
    .slice(podsFrom(world.cluster))
    .find(
      (code) =>
        phaseOf(code) !== WAITING &&
        nodeOf(code) >= 0 &&
        classes[classOf(code)]?.claims.some((theirs) => held.some(({ volume }) => volume === theirs.volume)),
    );
  const claims = names.claims(held.map(({ claim }) => claim.name));
  const isReadWriteOncePod = held.every(
    ({ claim: { accessModes } }) => accessModes.known && isOnePod(accessModes.value),
  );
  const [is, take, it] = held.length > 1 ? ['are', 'take', 'them'] : ['is', 'takes', 'it'];
  const why = isReadWriteOncePod ? `${is} ReadWriteOncePod` : `${take} one pod at a time`;
  return `${claims} ${why}, and ${user === undefined ? 'another pod' : name(user)} has ${it}`;
}
