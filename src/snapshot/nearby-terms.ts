import { diskOf } from '../objects/persistent-volume.ts';
import type { PodAffinityTerm, PodTemplate } from '../objects/pod-template.ts';
import { isAddedByController, type Workload } from '../objects/workload.ts';

/** As many namespaces that terms look into, and host ports, as one workload is found by. */
export const MOST_TERMS = 16;

/** By what a workload is found that keeps away from others, has what a node has once, or writes a disk into its pods. */
export function termsOfNearby({ template, metadata }: Workload): readonly string[] {
  const { podAntiAffinity, hostPorts } = template;
  const disks = disksWritten(template).map(has).slice(0, MOST_TERMS);
  if (podAntiAffinity.length + hostPorts.length === 0) return disks;
  const ports = new Set(hostPorts.map(({ port }) => listensOn(port)));
  return [...avoidedBy(podAntiAffinity, metadata.namespace), ...[...ports].slice(0, MOST_TERMS), ...disks];
}

const ANYWHERE = '*';

/** Where a workload may look that keeps away from pods of the namespace. */
export function placesAvoided(namespace: string): readonly string[] {
  return [ANYWHERE, namespace];
}

/** What tells that a list has any workload whose required anti-affinity looks there. */
export function looksInto(place: string): string {
  return `avoids pods in ${place}`;
}

function avoidedBy(terms: readonly PodAffinityTerm[], own: string): readonly string[] {
  if (terms.length === 0) return [];
  const avoided = terms.flatMap((term) => {
    const where = namespacesOf([term], own);
    const labels = labelsMeant(term);
    return (where === 'all' ? [ANYWHERE] : where).flatMap((place) => [
      looksInto(place),
      ...labels.map((one) => avoids(place, one)),
    ]);
  });
  const all = [...new Set(avoided)];
  return all.length > MOST_TERMS ? [looksInto(ANYWHERE), avoids(ANYWHERE)] : all;
}

/** One of these every pod has that the term means; any where no requirement tells. */
function labelsMeant({ selector = [] }: PodAffinityTerm): readonly string[] {
  const told = selector.find(({ key, operator }) => operator === 'In' && !isAddedByController(key));
  return told === undefined ? [''] : told.values.map((value) => labelled(told.key, value));
}

function labelled(key: string, value: string): string {
  return `${key}=${value}`;
}

function avoids(place: string, label = ''): string {
  return `${looksInto(place)} with ${label}`;
}

/** As many labels of a pod as anybody is looked up by. */
const MOST_LABELS = 64;

/** By which those are found that look there and may keep away from a pod. */
export function termsAvoiding(place: string, labels: ReadonlyMap<string, string>): readonly string[] {
  const said = [...labels].slice(0, MOST_LABELS).map(([key, value]) => labelled(key, value));
  return ['', ...said].map((label) => avoids(place, label));
}

export function listensOn(port: number): string {
  return `listens on port ${port}`;
}

/** A disk, as the attach-detach controller or a filter of the scheduler calls it. */
export function has(disk: string): string {
  return `has disk ${disk}`;
}

export function disksWritten({ volumes, restrictedDisks }: PodTemplate): readonly string[] {
  const attached = volumes.flatMap((volume) => (volume.type === 'disk' ? (diskOf(volume.source) ?? []) : []));
  return [...new Set([...attached, ...restrictedDisks.flatMap(({ names }) => names)])];
}

export function namespacesOf(terms: readonly PodAffinityTerm[], own: string): readonly string[] | 'all' {
  if (terms.some(({ namespaceSelector }) => namespaceSelector !== undefined)) return 'all';
  return [...new Set(terms.flatMap(({ namespaces }) => (namespaces.length === 0 ? [own] : namespaces)))];
}
