import type { Fact } from '../objects/fact.ts';
import { mayMean, operationsToCompare } from '../objects/pod-affinity.ts';
import type { PodAffinityTerm, PodTemplate } from '../objects/pod-template.ts';
import { holdsVolumes, idOfWorkload, runSamePods, runsPods, type Workload } from '../objects/workload.ts';
import { disksWritten, MOST_TERMS, namespacesOf } from '../snapshot/nearby-terms.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';

/** As many as are looked at: wherever the pods of each may be is searched. */
const MOST_NEARBY = 8;

/** What a look-up in six lists takes. */
const OPERATIONS_OF_A_LOOK = 5;

/** Workloads, and why there may be more of them. */
export interface Nearby {
  readonly workloads: readonly Workload[];
  readonly unknown: readonly string[];
}

interface Look {
  readonly among: Fact<readonly Workload[]>;
  readonly decides: (other: PodTemplate) => boolean;
  /** Pods that end do it only for a while. */
  readonly lasting: boolean;
}

/**
 * Other workloads whose pods may decide where those of this one may be: a spread counts them, or required anti-affinity or
 * a host port of either keeps them apart, or they write one of these disks into their pods; and those that its affinity
 * may mean. Pods of Jobs end, and keep nobody away for ever. None for a workload without volumes.
 */
export function workloadsNearby(
  workload: Workload,
  { meant, disks }: { readonly meant: readonly Workload[]; readonly disks: readonly string[] },
  snapshot: Pick<ClusterSnapshot, 'workloadsIn' | 'workloadsAvoiding' | 'workloadsOnPort' | 'workloadsWithDisk'>,
  spend: (operations: number) => void,
): Nearby {
  if (!holdsVolumes(workload)) return { workloads: [], unknown: [] };
  const means = (terms: readonly PodAffinityTerm[], { labels }: PodTemplate): boolean =>
    terms.some((term) => {
      spend(operationsToCompare(term));
      return mayMean(term, labels);
    });
  const written = [...new Set([...disks, ...disksWritten(workload.template)])].slice(0, MOST_TERMS);
  const sharing = written.map((disk) => ({
    among: snapshot.workloadsWithDisk(disk),
    decides: () => true,
    lasting: false,
  }));
  const looks = [...sharing, ...looksFor(workload, snapshot, means).map((look) => ({ ...look, lasting: true }))];
  const found = new Map(meant.map((other) => [idOfWorkload(other), other]));
  const unknown = new Set<string>();
  for (const { among, decides, lasting } of looks) {
    spend(OPERATIONS_OF_A_LOOK);
    if (!among.known) unknown.add(among.because);
    for (const other of among.known ? among.value : []) {
      if (!runsPods(other) || runSamePods(other, workload) || (lasting && ends(other))) continue;
      if (!decides(other.template)) continue;
      found.set(idOfWorkload(other), other);
    }
  }
  // The first by name, so that every replica looks at the same ones.
  const workloads = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, other]) => other);
  if (workloads.length > MOST_NEARBY) unknown.add(`more than ${MOST_NEARBY} workloads may keep its pods off nodes`);
  return { workloads: workloads.slice(0, MOST_NEARBY), unknown: [...unknown] };
}

function looksFor(
  { metadata: { namespace }, template }: Workload,
  snapshot: Parameters<typeof workloadsNearby>[2],
  means: (terms: readonly PodAffinityTerm[], template: PodTemplate) => boolean,
): readonly Omit<Look, 'lasting'>[] {
  const { podAntiAffinity, spread, hostPorts } = template;
  const avoided = namespacesOf(podAntiAffinity, namespace);
  const counted = spread.map((constraint) => ({ ...constraint, ...NO_NAMESPACES }));
  const isAsked = avoided === 'all' || avoided.length > 0;
  return [
    ...(isAsked
      ? [{ among: snapshot.workloadsIn(avoided), decides: (other: PodTemplate) => means(podAntiAffinity, other) }]
      : []),
    ...(spread.length > 0
      ? [{ among: snapshot.workloadsIn([namespace]), decides: (other: PodTemplate) => means(counted, other) }]
      : []),
    {
      among: snapshot.workloadsAvoiding(namespace, template.labels),
      decides: (other) => means(other.podAntiAffinity, template),
    },
    ...[...new Set(hostPorts.map(({ port }) => port))].slice(0, MOST_TERMS).map((port) => ({
      among: snapshot.workloadsOnPort(port),
      decides: () => true,
    })),
  ];
}

function ends({ kind }: Workload): boolean {
  return kind === 'Job' || kind === 'CronJob';
}

const NO_NAMESPACES = { namespaces: [], namespaceSelector: undefined, mismatchLabelKeys: [] };
