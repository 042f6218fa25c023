import { diskOf } from '../objects/persistent-volume.ts';
import type { Pod } from '../objects/pod.ts';
import type { Workload } from '../objects/workload.ts';
import type { Standing } from '../report/report.ts';
import { type Finding, isIn } from '../rules/evaluate.ts';
import { alsoIn, countOf, type Places, placesInWords, placesOf } from './places.ts';
import type { RunningPods } from './running-pods.ts';
import { type Wanted, waitOf } from './waits.ts';

/** What there is to know of a workload's pods. */
export interface Standpoint {
  readonly workload: Workload;
  readonly pods: RunningPods;
  /** When they were read, as the API writes times. */
  readonly readAt: string;
  /** What the next rollout comes to from where its pods are now, where that is known. */
  readonly here: readonly Finding[] | undefined;
}

/** What a finding is to the pods that run, and the pod that waits for it. */
export interface Stood {
  readonly now: Standing;
  readonly waiting?: Pod;
}

/** Nothing where nobody knows which pods are its own. It goes by what their objects tell; events expire, and are not asked. */
export function standingOf(finding: Finding, { workload, pods, readAt, here }: Standpoint): Stood | undefined {
  const own = pods.of(workload);
  if (own === undefined) return undefined;
  const wanted = finding.claims.map((claim) => wantedBy(claim, workload, pods));
  for (const pod of own) {
    const because = waitOf(pod, wanted, { cause: finding.cause, readAt });
    if (because !== undefined) return { now: { state: 'struck', because }, waiting: pod };
  }
  return {
    now: finding.judges === 'rollout' ? rolloutFrom(placesOf(own), finding, here) : steadyIn(own, wanted, finding),
  };
}

function rolloutFrom(own: Places, finding: Finding, here: Standpoint['here']): Standing {
  const where = placesInWords(own);
  const isDue = here === undefined || isIn(finding, here);
  return isDue ? { state: 'armed', because: where } : { state: 'lucky', because: `as ${where}, the next rollout ends` };
}

function steadyIn(own: readonly Pod[], wanted: readonly Wanted[], { cause }: Finding): Standing {
  const places = wanted.map(({ holders }) => holders.places).reduce(alsoIn, placesOf(own));
  const where = placesInWords(places);
  const isOfNodes = cause === undefined || cause === 'volume-elsewhere';
  const isLucky = isOfNodes && places.byNode.size === 1 && countOf(places) > 1;
  return isLucky
    ? { state: 'lucky', because: `${where}, and nothing keeps them there` }
    : { state: 'armed', because: where };
}

/** A disk that is written into the template goes by the name of the pod's volume. */
function wantedBy(claim: string, { metadata, template }: Workload, pods: RunningPods): Wanted {
  for (const volume of template.volumes) {
    const disk = volume.type === 'disk' && volume.volume === claim ? diskOf(volume.source) : undefined;
    if (disk !== undefined) return { claim, holders: pods.withDisk(disk) };
  }
  return { claim, holders: pods.holding(metadata.namespace, claim) };
}
