import { attachedTo, READY } from '../forecast/state.ts';
import { podsAt, type Standing } from './followed.ts';
import { listed, verb } from './names.ts';
import type { Telling } from './telling.ts';

/** Where everything is at first: which pods run where, and which volumes are attached to their nodes. */
export function beginning(telling: Telling): readonly string[] {
  const { followed, workload, way } = telling;
  const { kind, metadata, replicas, onEveryNode } = workload;
  const { standing } = followed.start;
  if (standing.length === 0) return [`no pod of ${kind} ${metadata.name} is there yet${nobodyElse(telling)}`];
  const shown = standing.filter(({ pod }) => telling.isOwn(pod)).length;
  const isCut = way.question.old.length > 0 && shown < replicas && !onEveryNode;
  const groups = Map.groupBy(standing, ({ pod, node, phase }) =>
    JSON.stringify([node, phase === READY, telling.isOld(pod), telling.isOwn(pod)]),
  );
  const [first = '', ...others] = [...groups.values()].map((group) => whereTheyAre(group, telling));
  return [isCut ? `${shown} of ${replicas} pods stand for all: ${first}` : first, ...others];
}

/** Of pods that are on one node, and have come as far. */
function whereTheyAre(group: readonly Standing[], telling: Telling): string {
  const { names } = telling;
  const [{ node, phase } = { node: -1, phase: READY }] = group;
  const pods = group.map(({ pod }) => pod);
  if (node < 0) return `${names.podsDo(pods, 'wait')} for a node`;
  const where = `on ${names.node(node)}`;
  const { there, elsewhere } = volumesOf(group, telling);
  if (phase !== READY) {
    return `${names.podsDo(pods, 'wait')} ${where}${elsewhere.length > 0 ? ` for ${listed(elsewhere)}` : ''}`;
  }
  return `${names.podsDo(pods, 'run')} ${where}${there.length > 0 ? `, with ${listed(there)} attached there` : ''}`;
}

/** Whoever comes in the story too, and what both use. */
function nobodyElse(telling: Telling): string {
  const { followed, names, cluster } = telling;
  const others = podsAt(followed.end, ({ pod }) => !telling.isOwn(pod));
  if (others.length === 0) return '';
  const used = new Set(others.flatMap((pod) => telling.claimsOf(pod)).map(({ volume }) => volume));
  const claims = [...used].flatMap((volume) => cluster.volumes[volume]?.names ?? []);
  return `, nor ${names.pods(others)}, which ${verb(others, 'use')} ${names.claims(claims)} too`;
}

/** Of the exclusive volumes of these pods, which are attached to their node, and where others are. */
function volumesOf(group: readonly Standing[], telling: Telling) {
  const { followed, names, cluster } = telling;
  const byDisk = new Map(
    group.flatMap(({ pod }) => telling.exclusiveOf(pod)).map((held) => [held.claim.identity, held]),
  );
  const all = cluster.classes.flatMap(({ claims }) => claims);
  const [there, elsewhere]: [string[], string[]] = [[], []];
  for (const [disk, { claim, volume }] of byDisk) {
    const at = attachedTo(followed.start.state, volume);
    // Pods that are told of before may have it by another claim.
    const first = all.find((held) => held.claim.identity === disk)?.claim.name ?? claim.name;
    if (at === group[0]?.node) there.push(claim.name + (first === claim.name ? '' : ` (the same disk as ${first})`));
    else if (at >= 0) elsewhere.push(`${claim.name}, which is attached to ${names.node(at)}`);
  }
  return { there, elsewhere };
}
