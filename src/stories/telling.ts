import type { Cluster, HeldClaim } from '../forecast/cluster.ts';
import { attachedTo, podCode, STARTING } from '../forecast/state.ts';
import type { Workload } from '../objects/workload.ts';
import { type Followed, type FollowedPod, followed, type Moment, type Standing } from './followed.ts';
import { Names } from './names.ts';
import type { Way } from './shortest-way.ts';
import { type WhyNot, whyNot } from './why-not.ts';

/** What makes the pods come: that there are none, a change of the template that is asked for or will be, the next run. */
export type Occasion = 'creation' | 'autoscaling' | 'change' | 'next change' | 'next run';

/** A claim whose volume is attached to another node than the pod's own, and to which. */
export interface Elsewhere extends HeldClaim {
  readonly at: number;
}

/** All that the lines of one story are made from. */
export class Telling {
  readonly way: Way;
  readonly occasion: Occasion;
  /** With all its replicas, and not those that stand for them. */
  readonly workload: Workload;
  readonly cluster: Cluster;
  readonly followed: Followed;
  readonly names: Names;
  readonly #whyNot: WhyNot;

  constructor(way: Way, occasion: Occasion, workload: Workload) {
    const { world } = way.question;
    this.way = way;
    this.occasion = occasion;
    this.workload = workload;
    this.cluster = world.cluster;
    this.followed = followed(way.states, world.cluster);
    this.names = new Names(workload, way.question, this.followed.counts);
    this.#whyNot = whyNot(way.question);
  }

  /** The controller as the actor of a sentence. */
  get controller(): string {
    return `the ${this.workload.kind}`;
  }

  isOwn({ podClass }: FollowedPod): boolean {
    return this.cluster.classes[podClass]?.isOwn ?? false;
  }

  /** Whether it is of the template before, or of an earlier run. */
  isOld({ podClass }: FollowedPod): boolean {
    return this.way.question.old.includes(podClass);
  }

  claimsOf({ podClass }: FollowedPod): readonly HeldClaim[] {
    return this.cluster.classes[podClass]?.claims ?? [];
  }

  /** Those of its claims whose volume one node may have at a time. */
  exclusiveOf(pod: FollowedPod): readonly HeldClaim[] {
    return this.claimsOf(pod).filter(({ volume }) => this.cluster.volumes[volume]?.isAttachedToOne);
  }

  /** In the end. */
  volumesElsewhere({ pod, node, phase }: Standing): readonly Elsewhere[] {
    if (phase !== STARTING) return [];
    return this.exclusiveOf(pod)
      .map((held) => ({ ...held, at: attachedTo(this.followed.end.state, held.volume) }))
      .filter(({ at }) => at >= 0 && at !== node);
  }

  /** Why a pod may not be on a node at this moment; `undefined` where it may. */
  whyNot({ podClass }: FollowedPod, node: number, moment: Moment, state = moment.state): string | undefined {
    return this.#whyNot(podClass, node, state, (code) => this.nameAt(moment, code));
  }

  /** Names the pod with this code, as it is at a moment. */
  nameAt({ standing }: Moment, code: number): string {
    const found = standing.find(({ pod, phase, node }) => podCode(pod.podClass, phase, node) === code);
    return found === undefined ? 'another pod' : this.names.pod(found.pod);
  }
}
