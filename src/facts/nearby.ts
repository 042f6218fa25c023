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

/**
 * Other workloads whose pods may decide where those of this one may be: a spread counts them, or required anti-affinity or
 * a host port of either keeps them apart, they write one of these disks into their pods, or its affinity means them; and
 * those that hold its volumes. Pods of Jobs end, and keep nobody away for ever. None for a workload without volumes.
 */
export function workloadsNearby(
  workload: Workload,
  { holding, disks }: { readonly holding: readonly Workload[]; readonly disks: readonly string[] },
  snapshot: Pick<ClusterSnapshot, 'workloadsIn' | 'workloadsAvoiding' | 'workloadsOnPort' | 'workloadsWithDisk'>,
  spend: (operations: number) => void,
): Nearby {
  if (!holdsVolumes(workload)) return NOBODY;
  const { metadata, template } = workload;
  const { podAffinity, podAntiAffinity, spread, hostPorts } = template;
  const found = new Map(holding.map((other) => [idOfWorkload(other), other]));
  const unknown = new Set<string>();
  const means = (terms: readonly PodAffinityTerm[], { labels }: PodTemplate): boolean =>
    terms.some((term) => {
      spend(operationsToCompare(term));
      return mayMean(term, labels);
    });
  const look = (among: Fact<readonly Workload[]>, decides: (other: Workload) => boolean): void => {
    spend(OPERATIONS_OF_A_LOOK);
    if (!among.known) unknown.add(among.because);
    for (const other of among.known ? among.value : []) {
      if (runsPods(other) && !runSamePods(other, workload) && decides(other)) found.set(idOfWorkload(other), other);
    }
  };
  const written = [...disks, ...disksWritten(template)];
  for (const disk of first(written)) look(snapshot.workloadsWithDisk(disk), () => true);
  if (podAffinity.length > 0) {
    look(snapshot.workloadsIn(namespacesOf(podAffinity, metadata.namespace)), (other) =>
      podAffinity.every((term) => means([term], other.template)),
    );
  }
  const avoided = namespacesOf(podAntiAffinity, metadata.namespace);
  if (avoided.length > 0) {
    look(snapshot.workloadsIn(avoided), (other) => lasts(other) && means(podAntiAffinity, other.template));
  }
  if (spread.length > 0) {
    const counted = spread.map((constraint) => ({ ...constraint, ...NO_NAMESPACES }));
    const isCounted = (other: Workload): boolean => lasts(other) && means(counted, other.template);
    look(snapshot.workloadsIn([metadata.namespace]), isCounted);
  }
  look(
    snapshot.workloadsAvoiding(metadata.namespace, template.labels),
    (other) => lasts(other) && means(other.template.podAntiAffinity, template),
  );
  for (const port of first(hostPorts.map((one) => one.port))) look(snapshot.workloadsOnPort(port), lasts);
  if (found.size === 0) return unknown.size === 0 ? NOBODY : { workloads: [], unknown: [...unknown] };
  // The first by name, so that every replica looks at the same ones.
  const workloads = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, other]) => other);
  if (workloads.length > MOST_NEARBY) unknown.add(`more than ${MOST_NEARBY} workloads may keep its pods off nodes`);
  return { workloads: workloads.slice(0, MOST_NEARBY), unknown: [...unknown] };
}

const NOBODY: Nearby = { workloads: [], unknown: [] };

/** Each once, as many as one workload is found by. */
function first<T>(terms: readonly T[]): readonly T[] {
  return terms.length === 0 ? terms : [...new Set(terms)].slice(0, MOST_TERMS);
}

/** Pods of Jobs end. */
function lasts({ kind }: Workload): boolean {
  return kind !== 'Job' && kind !== 'CronJob';
}

const NO_NAMESPACES = { namespaces: [], namespaceSelector: undefined, mismatchLabelKeys: [] };
