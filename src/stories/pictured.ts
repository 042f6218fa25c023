import { attachedTo, READY, STARTING, TERMINATING } from '../forecast/state.ts';
import type { Moment, Standing, Step } from './followed.ts';
import { listed } from './names.ts';
import type { Picture, PictureVolume, PodState } from './picture.ts';
import type { Telling } from './telling.ts';

/** What a picture is made from: who stands where, and by volume the node that has it, or -1. */
export interface Still {
  readonly standing: readonly Standing[];
  readonly attached: readonly number[];
}

/** As many nodes as a person looks at; those on which nothing ever is are left out first. */
const MOST_NODES = 6;

export function stillOf({ state, standing }: Moment, { cluster }: Telling): Still {
  return { standing, attached: cluster.volumes.map((_, volume) => attachedTo(state, volume)) };
}

/** As it is once these steps are done. Steps that a line tells together need not be next to each other in the way. */
export function stillAfter(still: Still, steps: readonly Step[]): Still {
  return steps.reduce(afterStep, still);
}

function afterStep({ standing, attached }: Still, step: Step): Still {
  if (step.type === 'attached') return { standing, attached: attached.with(step.volume, step.node) };
  const pods = 'pods' in step ? step.pods : [step.pod];
  const others = standing.filter(({ pod }) => !pods.includes(pod));
  const moved = step.after.standing.filter(({ pod }) => pods.includes(pod));
  const all = [...others, ...moved];
  return {
    standing: all.toSorted(({ pod: a }, { pod: b }) => a.podClass - b.podClass || a.number - b.number),
    attached,
  };
}

/** Draws them all with the same nodes. It names what the lines have named before it, so it comes after them. */
export function picturesOf(stills: readonly Still[], telling: Telling): readonly Picture[] {
  const { cluster, names } = telling;
  const called = nodesIn(stills, telling);
  const nodes = called.map((name) => names.nodeInPicture(name));
  const nodeAt = (index: number): number | undefined => {
    const at = called.indexOf(cluster.names[index] ?? '');
    return at < 0 ? undefined : at;
  };
  const volumes = cluster.volumes.flatMap(({ isAttachedToOne, isForOnePod }, volume) =>
    isAttachedToOne || isForOnePod ? [volume] : [],
  );
  return stills.map(({ standing, attached }) => ({
    nodes,
    pods: standing.map(({ pod, phase, node }) => ({
      name: names.pod(pod),
      state: podState(phase, node),
      node: nodeAt(node),
      volumes: (cluster.classes[pod.podClass]?.volumes ?? [])
        .map((one) => volumes.indexOf(one))
        .filter((at) => at >= 0),
    })),
    volumes: volumes.map(
      (volume): PictureVolume => ({
        name: listed(cluster.volumes[volume]?.names ?? [], 2),
        node: nodeAt(attached[volume] ?? -1),
      }),
    ),
  }));
}

/** By their names in the cluster: where something is in one of the pictures, and what the lines name. */
function nodesIn(stills: readonly Still[], { cluster, names }: Telling): readonly string[] {
  const used = new Set(stills.flatMap(({ standing, attached }) => [...standing.map(({ node }) => node), ...attached]));
  const there = cluster.names.filter((_, index) => used.has(index));
  const empty = [...names.named].filter((name) => !there.includes(name));
  const shown = new Set([...there, ...empty].slice(0, MOST_NODES));
  const inOrder = cluster.names.filter((name) => shown.delete(name));
  return [...inOrder, ...shown];
}

function podState(phase: number, node: number): PodState {
  switch (phase) {
    case READY:
      return node < 0 ? 'ended' : 'ready';
    case STARTING:
      return 'starting';
    case TERMINATING:
      return 'terminating';
    default:
      return 'pending';
  }
}
