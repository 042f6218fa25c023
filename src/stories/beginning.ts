import type { Claim } from '../facts/claim.ts';
import type { PodClass } from '../forecast/cluster.ts';
import { attachedTo, READY } from '../forecast/state.ts';
import type { Standing } from './followed.ts';
import { listed } from './names.ts';
import type { Telling } from './telling.ts';

/** Where everything is at first: which pods run where, and which volumes are attached to their nodes. */
export function beginning(telling: Telling): readonly string[] {
  const { followed, names, workload } = telling;
  const { standing } = followed.start;
  if (standing.length === 0) {
    return [`no pod of ${workload.kind} ${workload.metadata.name} is there yet${nobodyElse(telling)}`];
  }
  const shown = standing.filter(({ pod }) => isOwn(pod.podClass, telling)).length;
  const isCut = telling.way.question.old.length > 0 && shown < workload.replicas;
  const cut = isCut && !workload.onEveryNode ? `${shown} of ${workload.replicas} pods stand for all: ` : '';
  const groups = Map.groupBy(standing, ({ pod, node, phase }) =>
    JSON.stringify([node, phase === READY, telling.isOld(pod.podClass), isOwn(pod.podClass, telling)]),
  );
  return [...groups.values()].map((group, index) => {
    const [first] = group;
    if (first === undefined) return '';
    const pods = names.pods(group.map(({ pod }) => pod));
    const isSeveral = group.length > 1;
    const who = `${index === 0 ? cut : ''}${pods}`;
    if (first.node < 0) return `${who} ${isSeveral ? 'wait' : 'waits'} for a node`;
    const where = `on ${names.node(first.node)}`;
    const { there, elsewhere } = volumesOf(group, telling);
    if (first.phase !== READY) {
      const why = elsewhere.length > 0 ? ` for ${listed(elsewhere)}` : '';
      return `${who} ${isSeveral ? 'wait' : 'waits'} ${where}${why}`;
    }
    const held = there.length > 0 ? `, with ${listed(there)} attached there` : '';
    return `${who} ${isSeveral ? 'run' : 'runs'} ${where}${held}`;
  });
}

/** Whoever comes in the story too, and what both use. */
function nobodyElse(telling: Telling): string {
  const { followed, names, way } = telling;
  const { classes, volumes } = way.question.world.cluster;
  const others = followed.end.standing.filter(({ pod }) => !isOwn(pod.podClass, telling)).map(({ pod }) => pod);
  if (others.length === 0) return '';
  const used = new Set(others.flatMap(({ podClass }) => classes[podClass]?.claims ?? []).map(({ volume }) => volume));
  const claims = [...used].flatMap((volume) => volumes[volume]?.names ?? []);
  return `, nor ${names.pods(others)}, which ${others.length > 1 ? 'use' : 'uses'} ${names.claims(claims)} too`;
}

function isOwn(podClass: number, { way }: Telling): boolean {
  return way.question.world.cluster.classes[podClass]?.isOwn ?? false;
}

/** Says by which other claim pods that are told of before have the disk. */
function sameDisk({ name, identity }: Claim, classes: readonly PodClass[]): string {
  const claims = classes.flatMap((one) => one.claims);
  const first = claims.find(({ claim }) => claim.identity === identity)?.claim.name;
  return first === undefined || first === name ? '' : ` (the same disk as ${first})`;
}

/** Of the exclusive volumes of these pods, which are attached to their node, and where others are. */
function volumesOf(group: readonly Standing[], { way, followed, names }: Telling) {
  const { classes, volumes } = way.question.world.cluster;
  const held = new Map(
    group.flatMap(({ pod }) => classes[pod.podClass]?.claims ?? []).map((one) => [one.claim.identity, one]),
  );
  const [there, elsewhere]: [string[], string[]] = [[], []];
  for (const { claim, volume } of held.values()) {
    if (!volumes[volume]?.isAttachedToOne) continue;
    const at = attachedTo(followed.start.state, volume);
    if (at === group[0]?.node) there.push(claim.name + sameDisk(claim, classes));
    else if (at >= 0) elsewhere.push(`${claim.name}, which is attached to ${names.node(at)}`);
  }
  return { there, elsewhere };
}
