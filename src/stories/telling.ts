import { podCode } from '../forecast/state.ts';
import type { Workload } from '../objects/workload.ts';
import type { Followed, Moment } from './followed.ts';
import type { Names } from './names.ts';
import type { Way } from './shortest-way.ts';
import type { NamePod, WhyNot } from './why-not.ts';

/** What makes the pods come: that there are none, a change of the template that is asked for or will be, the next run. */
export type Occasion = 'creation' | 'autoscaling' | 'change' | 'next change' | 'next run';

/** All that the lines of one story are made from. */
export interface Telling {
  readonly way: Way;
  readonly followed: Followed;
  readonly names: Names;
  readonly whyNot: WhyNot;
  /** With all its replicas, and not those that stand for them. */
  readonly workload: Workload;
  readonly occasion: Occasion;
  readonly isOld: (podClass: number) => boolean;
}

/** Names pods by their codes, as they stand at a moment. */
export function nameAt({ standing }: Moment, { names }: Telling): NamePod {
  return (code) => {
    const found = standing.find(({ pod, phase, node }) => podCode(pod.podClass, phase, node) === code);
    return found === undefined ? 'another pod' : names.pod(found.pod);
  };
}

/** The controller as the actor of a sentence. */
export function controllerOf({ workload }: Telling): string {
  return `the ${workload.kind}`;
}

/** A line may begin with the name of a pod, which is written as it is. */
export function sentence(text: string, { workload }: Telling): string {
  const isName = text.startsWith(`${workload.metadata.name}-`) || text.startsWith(`${workload.metadata.name} `);
  return `${isName ? text : text.charAt(0).toUpperCase() + text.slice(1)}.`;
}
