import { type Fact, known, unknown } from '../objects/fact.ts';
import type { Autoscaler } from '../objects/horizontal-pod-autoscaler.ts';
import type { Kind, WorkloadKind } from '../objects/kinds.ts';
import { idOf, keyOf } from '../objects/object-key.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import { isOfKind, isWorkload, type ObjectsByKind } from '../objects/read-object.ts';
import { defaultClassOf, type StorageClass } from '../objects/storage-class.ts';
import { concernsOthers, numberedClaim, ordinalOfOwner, type Workload } from '../objects/workload.ts';
import { freeOf, keptFor, MOST_FREE_VOLUMES, MOST_MEANT } from '../snapshot/cluster-state.ts';
import { has, listensOn, placesAvoided, termsAvoiding } from '../snapshot/nearby-terms.ts';
import type { NodeIndex } from '../snapshot/node-index.ts';
import type { ClusterSnapshot, UsersOfClaim } from '../snapshot/snapshot.ts';
import type { InputIndex } from './input-index.ts';
import {
  ALL_WORKLOADS,
  type ClaimTemplate,
  DEFAULT_CLASS,
  type InputObject,
  idOfClaim,
  idOfNumbered,
  workloadsIn,
} from './input-object.ts';

/** What is one for all of the input. */
export type Everywhere = Pick<ClusterSnapshot, 'get' | 'nodes'>;

/** The number of objects that are looked at for one question: whoever is told of so many has understood. */
const MOST_FOUND = 64;

/** The cluster as what stands in one file meets it. It keeps nothing, so that thousands of files cost no more than their text. */
export class ClusterFromFile implements ClusterSnapshot {
  readonly #file: string;
  readonly #index: InputIndex;
  readonly #everywhere: Everywhere;

  constructor(file: string, index: InputIndex, everywhere: Everywhere) {
    this.#file = file;
    this.#index = index;
    this.#everywhere = everywhere;
  }

  get<K extends Kind>(kind: K, namespace: string, name: string): Fact<ObjectsByKind[K] | undefined> {
    if (kind === 'Node' || kind === 'Namespace') return this.#everywhere.get(kind, namespace, name);
    const found = this.#index.nearest(this.#file, idOf({ kind, namespace, name }));
    if (found === undefined || !isOfKind(found.read, kind)) return known(undefined);
    return known(!isWorkload(found.read) || this.#isUser(found, found.read.value) ? found.read.value : undefined);
  }

  #isUser(object: InputObject, workload: Workload): boolean {
    return this.#index.counts(this.#file, object) && concernsOthers(workload);
  }

  /** The template of a claim that a StatefulSet makes, by `namespace/<template>-<statefulset>`. */
  claimTemplate(key: string): ClaimTemplate | undefined {
    return this.#ownerOf(key)?.claimTemplates.get(key);
  }

  workloadsMounting(namespace: string, claim: string): UsersOfClaim {
    const { objects, more } = this.#under(idOfClaim(namespace, claim));
    const users = this.#index.nearFirst([...this.#ownersOf(namespace, claim), ...objects]);
    const because = `claim ${keyOf(namespace, claim)} has more than ${MOST_FOUND} users`;
    return { workloads: workloadsOf(users), unknown: more > 0 ? [because] : [] };
  }

  /** StatefulSets of which a pod has the claim for itself. */
  #ownersOf(namespace: string, claim: string): readonly InputObject[] {
    const prefix = numberedClaim(claim)?.prefix;
    const owner = prefix === undefined ? undefined : this.#ownerOf(keyOf(namespace, prefix));
    const isOwner = (workload: Workload) => concernsOthers(workload) && ordinalOfOwner(workload, claim) !== undefined;
    return owner !== undefined && workloadsOf([owner]).some(isOwner) ? [owner] : [];
  }

  #ownerOf(prefix: string): InputObject | undefined {
    const found = this.#index.nearest(this.#file, idOfNumbered(prefix));
    return found !== undefined && this.#index.counts(this.#file, found) ? found : undefined;
  }

  workloadsIn(namespaces: readonly string[] | 'all'): Fact<readonly Workload[]> {
    const terms = namespaces === 'all' ? [ALL_WORKLOADS] : namespaces.map(workloadsIn);
    const found: InputObject[] = [];
    for (const term of terms) {
      const { objects, more } = this.#under(term, MOST_MEANT);
      found.push(...objects);
      if (more > 0 || found.length > MOST_MEANT) {
        return unknown(`more than ${MOST_MEANT} workloads may be meant`);
      }
    }
    return known(workloadsOf(this.#index.nearFirst(found)));
  }

  workloadsAvoiding(namespace: string, labels: ReadonlyMap<string, string>): Fact<readonly Workload[]> {
    return this.#workloadsUnder(placesAvoided(namespace).flatMap((place) => termsAvoiding(place, labels)));
  }

  workloadsOnPort(port: number): Fact<readonly Workload[]> {
    return this.#workloadsUnder([listensOn(port)]);
  }

  workloadsWithDisk(disk: string): Fact<readonly Workload[]> {
    return this.#workloadsUnder([has(disk)]);
  }

  #workloadsUnder(terms: readonly string[]): Fact<readonly Workload[]> {
    const found = terms.map((term) => this.#under(term));
    if (found.some(({ more }) => more > 0))
      return unknown(`more than ${MOST_FOUND} workloads may keep its pods off nodes`);
    return known(workloadsOf(this.#index.nearFirst(found.flatMap(({ objects }) => objects))));
  }

  autoscalersOf(kind: WorkloadKind, namespace: string, name: string): Fact<readonly Autoscaler[]> {
    const { objects, more } = this.#under(idOf({ kind, namespace, name }));
    if (more > 0) return unknown(`more than ${MOST_FOUND} autoscalers scale ${kind} ${keyOf(namespace, name)}`);
    return known(objects.flatMap(({ read }) => (read.kind === 'HorizontalPodAutoscaler' ? [read.value] : [])));
  }

  volumesOnDisk(disk: string): Fact<readonly PersistentVolume[]> {
    return known(volumesOf(this.#under(disk).objects));
  }

  volumesKeptFor(namespace: string, claim: string): Fact<readonly PersistentVolume[]> {
    return known(volumesOf(this.#under(keptFor({ namespace, name: claim })).objects));
  }

  freeVolumes(storageClassName: string): Fact<readonly PersistentVolume[]> {
    const { objects, more } = this.#under(freeOf(storageClassName), MOST_FREE_VOLUMES);
    if (more === 0) return known(volumesOf(objects));
    const ofClass = storageClassName === '' ? 'of no class' : `of class ${storageClassName}`;
    return unknown(`more than ${MOST_FREE_VOLUMES} volumes ${ofClass} are free`);
  }

  defaultStorageClass(): Fact<StorageClass | undefined> {
    const { objects, more } = this.#under(DEFAULT_CLASS);
    if (more > 0) return unknown(`more than ${MOST_FOUND} storage classes are the default`);
    const near = objects.filter((object) => this.#index.isParted(object));
    return known(defaultClassOf(classesOf(near)) ?? defaultClassOf(classesOf(objects)));
  }

  nodes(): Fact<NodeIndex> {
    return this.#everywhere.nodes();
  }

  #under(term: string, most = MOST_FOUND): ReturnType<InputIndex['under']> {
    return this.#index.under(this.#file, term, most);
  }
}

function workloadsOf(objects: readonly InputObject[]): readonly Workload[] {
  return objects.flatMap(({ read }) => (isWorkload(read) ? [read.value] : []));
}

function volumesOf(objects: readonly InputObject[]): readonly PersistentVolume[] {
  return objects.flatMap(({ read }) => (read.kind === 'PersistentVolume' ? [read.value] : []));
}

function classesOf(objects: readonly InputObject[]): readonly StorageClass[] {
  return objects.flatMap(({ read }) => (read.kind === 'StorageClass' ? [read.value] : []));
}
