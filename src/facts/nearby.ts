import type { Fact } from './fact.ts';
import { mayMean, operationsToCompare } from './pod-affinity.ts';
import type { PodAffinityTerm, PodTemplate } from './pod-template.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import { diskOf } from './volume.ts';
import { holdsVolumes, idOfWorkload, isAddedByController, runSamePods, runsPods, type Workload } from './workload.ts';

/** As many as are looked at: wherever the pods of each may be is searched. */
const MOST_NEARBY = 8;

/** As many namespaces that terms look into, and host ports, as one workload is found by. */
const MOST_TERMS = 16;

/** What a look-up in six lists takes. */
const OPERATIONS_OF_A_LOOK = 5;

/** By what a workload is found that keeps away from others, has what a node has once, or writes a disk into its pods. */
export function termsOfNearby({ template, metadata }: Workload): readonly string[] {
  const { podAntiAffinity, hostPorts } = template;
  const disks = disksWritten(template).map(has).slice(0, MOST_TERMS);
  if (podAntiAffinity.length + hostPorts.length === 0) return disks;
  const ports = new Set(hostPorts.map(({ port }) => listensOn(port)));
  return [...avoidedBy(podAntiAffinity, metadata.namespace), ...[...ports].slice(0, MOST_TERMS), ...disks];
}

/** What tells that a list has any workload with required anti-affinity. */
export const AVOIDS = 'avoids pods';

const ANYWHERE = '*';

function avoidedBy(terms: readonly PodAffinityTerm[], own: string): readonly string[] {
  if (terms.length === 0) return [];
  const avoided = terms.flatMap((term) => {
    const where = namespacesOf([term], own);
    const labels = labelsMeant(term);
    return (where === 'all' ? [ANYWHERE] : where).flatMap((namespace) => labels.map((one) => avoids(namespace, one)));
  });
  const all = [...new Set(avoided)];
  return [AVOIDS, ...(all.length > MOST_TERMS ? [avoids(ANYWHERE)] : all)];
}

/** One of these every pod has that the term means; any where no requirement tells. */
function labelsMeant({ selector = [] }: PodAffinityTerm): readonly string[] {
  const told = selector.find(({ key, operator }) => operator === 'In' && !isAddedByController(key));
  return told === undefined ? [''] : told.values.map((value) => labelled(told.key, value));
}

function labelled(key: string, value: string): string {
  return `${key}=${value}`;
}

function avoids(namespace: string, label = ''): string {
  return `avoids pods in ${namespace} with ${label}`;
}

/** As many labels of a pod as anybody is looked up by. */
const MOST_LABELS = 64;

/** By which those are found that may keep away from a pod. */
export function termsAvoiding(namespace: string, labels: ReadonlyMap<string, string>): readonly string[] {
  const said = [...labels].slice(0, MOST_LABELS).map(([key, value]) => labelled(key, value));
  return [ANYWHERE, namespace].flatMap((where) => ['', ...said].map((label) => avoids(where, label)));
}

export function listensOn(port: number): string {
  return `listens on port ${port}`;
}

/** A disk, as the attach-detach controller or a filter of the scheduler calls it. */
export function has(disk: string): string {
  return `has disk ${disk}`;
}

function disksWritten({ volumes, restrictedDisks }: PodTemplate): readonly string[] {
  const attached = volumes.flatMap((volume) => (volume.type === 'disk' ? (diskOf(volume.source) ?? []) : []));
  return [...new Set([...attached, ...restrictedDisks.flatMap(({ names }) => names)])];
}

function namespacesOf(terms: readonly PodAffinityTerm[], own: string): readonly string[] | 'all' {
  if (terms.some(({ namespaceSelector }) => namespaceSelector !== undefined)) return 'all';
  return [...new Set(terms.flatMap(({ namespaces }) => (namespaces.length === 0 ? [own] : namespaces)))];
}

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
