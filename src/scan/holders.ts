import type { Pod } from '../objects/pod.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import { type Places, placesOf } from './places.ts';

/** What keeps a volume, or the only place in it. */
export interface Hold {
  readonly nodeName: string;
  /** It ends by itself, unless something else is wrong: its pod is ending, or none is left and the volume is only still attached. */
  readonly passes: boolean;
  /** Follows the name of the claim. */
  readonly inWords: string;
}

/** Who has one volume, and where. */
export class Holders {
  /** Of the pods that have it, or wait for it there. */
  readonly places: Places;
  /** Nodes where it can be used now. */
  readonly #usable: ReadonlySet<string>;
  /** Those that stay first. Two nodes are enough to name another one than any node. */
  readonly #holds: readonly Hold[];
  readonly #pods: readonly Hold[];

  constructor(pods: readonly Pod[], attachments: readonly VolumeAttachment[]) {
    this.places = placesOf(pods);
    const attached = new Set(attachments.flatMap(({ deleting, nodeName }) => (deleting ? [] : [nodeName])));
    const placed = pods.flatMap((pod) => holdOf(pod) ?? []);
    const having = pods
      .filter(({ isStarting, nodeName = '' }) => !isStarting || attached.has(nodeName))
      .flatMap((pod) => holdOf(pod) ?? []);
    const left = attachments.filter(({ nodeName }) => !this.places.byNode.has(nodeName)).map(leftAt);
    this.#usable = new Set([...attached, ...having.map(({ nodeName }) => nodeName)]);
    this.#holds = onTwoNodes([...having, ...left]);
    this.#pods = onTwoNodes(placed);
  }

  /** What keeps it away from this node; nothing where it is there, or nobody is known to have it. */
  elsewhere(nodeName: string): Hold | undefined {
    return this.#usable.has(nodeName) ? undefined : this.#holds.find((hold) => hold.nodeName !== nodeName);
  }

  /** The pod that has the place of one pod in it. */
  anywhere(): Hold | undefined {
    return this.#pods[0];
  }
}

function holdOf({ name, nodeName, deleting }: Pod): Hold | undefined {
  if (nodeName === undefined) return undefined;
  const inWords = deleting
    ? `which pod ${name}, being deleted, still has on ${nodeName}`
    : `which pod ${name} has on ${nodeName}`;
  return { nodeName, passes: deleting, inWords };
}

function leftAt({ nodeName, deleting }: VolumeAttachment): Hold {
  const inWords = deleting
    ? `which is being detached from ${nodeName}`
    : `which is attached on node ${nodeName} though no pod there has it`;
  return { nodeName, passes: true, inWords };
}

function onTwoNodes(holds: readonly Hold[]): readonly Hold[] {
  const staying = [...holds.filter(({ passes }) => !passes), ...holds.filter(({ passes }) => passes)];
  const [first] = staying;
  const second = staying.find(({ nodeName }) => nodeName !== first?.nodeName);
  return [first, second].filter((hold) => hold !== undefined);
}
