import { isWorkloadKind, type WorkloadKind } from '../objects/kinds.ts';
import { idOf, keyOf } from '../objects/object-key.ts';
import { diskOf } from '../objects/persistent-volume.ts';
import type { Pod } from '../objects/pod.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import { holdsVolumes, idOfWorkload, type Maker, makerOf, type Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import { Holders } from './holders.ts';

type Snapshot = Pick<ClusterSnapshot, 'get' | 'volumesOnDisk'>;

/**
 * The pods of a cluster that hold volumes, by who made them and by what they hold. No pod is added once something was asked, and
 * no attachment but by `isAwaited`.
 */
export class RunningPods {
  readonly #snapshot: Snapshot;
  #pods: Pod[] = [];
  readonly #attachments: VolumeAttachment[] = [];
  /** Of workloads that nobody keeps, for they should run no pods; their last ones may still be ending. */
  readonly #makers = new Map<string, Maker>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** One without volumes is passed over: nothing here is about it, and a cluster has many. */
  add(pod: Pod): void {
    if (pod.claims.length > 0 || pod.disks.length > 0) this.#pods.push(pod);
  }

  /** Their list begins again, and brings those that came so far once more. */
  forget(): void {
    this.#pods = [];
  }

  addAttachment(attachment: VolumeAttachment): void {
    this.#attachments.push(attachment);
  }

  /** Whether some pod that is starting may wait for the volume that is attached. */
  isAwaited(attachment: VolumeAttachment): boolean {
    const volume = this.#volumeOf(attachment);
    return volume !== undefined && this.#index().awaited.has(volume);
  }

  addMakerOf(workload: Workload): void {
    const maker = holdsVolumes(workload) ? makerOf(workload) : undefined;
    if (maker !== undefined) this.#makers.set(idOfWorkload(workload), maker);
  }

  /** Those of a workload, and of what it made; nothing where ReplicaSets or Jobs, which tell that, cannot be read. */
  of(workload: Workload): readonly Pod[] | undefined {
    const between = BETWEEN.get(workload.kind);
    if (between !== undefined && !this.#snapshot.get(between, '', '').known) return undefined;
    return this.#index().byMaker.get(idOfWorkload(workload)) ?? [];
  }

  /** Who has the volume of a claim, also by the name of another claim or of none. */
  holding(namespace: string, claim: string): Holders {
    return this.#holdersOf(this.#volumeOfClaim(namespace, claim));
  }

  withDisk(disk: string): Holders {
    return this.#holdersOf(disk);
  }

  /** Those none of whose containers has started, by name. */
  starting(): readonly Pod[] {
    return this.#index().starting;
  }

  readonly #holders = new Map<string, Holders>();

  #holdersOf(volume: string): Holders {
    let holders = this.#holders.get(volume);
    if (holders === undefined) {
      const attachments = this.#attachedVolumes().get(volume) ?? [];
      holders = new Holders(this.#index().byVolume.get(volume) ?? [], attachments);
      this.#holders.set(volume, holders);
    }
    return holders;
  }

  #attached: ReadonlyMap<string, readonly VolumeAttachment[]> | undefined;

  #attachedVolumes(): ReadonlyMap<string, readonly VolumeAttachment[]> {
    this.#attached ??= Map.groupBy(this.#attachments.toSorted(byName), (one) => this.#volumeOf(one) ?? '');
    return this.#attached;
  }

  #built: Index | undefined;

  #index(): Index {
    this.#built ??= this.#build();
    return this.#built;
  }

  #build(): Index {
    const index: Index = { byMaker: new Grouped(), byVolume: new Grouped(), starting: [], awaited: new Set() };
    for (const pod of this.#pods.sort(byName)) {
      const maker = this.#makerOf(pod);
      if (maker !== undefined) index.byMaker.add(maker, pod);
      const isStarting = pod.isStarting && !pod.deleting;
      if (isStarting) index.starting.push(pod);
      for (const volume of this.#volumesOf(pod)) {
        index.byVolume.add(volume, pod);
        if (isStarting) index.awaited.add(volume);
      }
    }
    return index;
  }

  #volumesOf({ namespace, claims, disks }: Pod): Iterable<string> {
    return new Set([
      ...claims.map((claim) => this.#volumeOfClaim(namespace, claim)),
      ...disks.map((disk) => this.#volumeOfDisk(disk)),
    ]);
  }

  #volumeOf({ volumeName, disk }: VolumeAttachment): string | undefined {
    if (volumeName !== '') return this.#volumeNamed(volumeName);
    return disk && this.#volumeOfDisk(disk);
  }

  /** One name for all that is one volume to the attach-detach controller. No volume's name has a blank. */
  #volumeOfClaim(namespace: string, claim: string): string {
    const found = this.#snapshot.get('PersistentVolumeClaim', namespace, claim);
    const volumeName = found.known ? (found.value?.volumeName ?? '') : '';
    return volumeName === '' ? `claim ${keyOf(namespace, claim)}` : this.#volumeNamed(volumeName);
  }

  #volumeNamed(name: string): string {
    const found = this.#snapshot.get('PersistentVolume', '', name);
    const disk = found.known && found.value !== undefined ? diskOf(found.value.source) : undefined;
    return disk === undefined ? name : this.#volumeOfDisk(disk, name);
  }

  /** Nearly every disk has one volume, whose name is there already, and a cluster has many. */
  #volumeOfDisk(disk: string, name = `disk ${disk}`): string {
    const found = this.#snapshot.volumesOnDisk(disk);
    const names = found.known ? found.value.map((volume) => volume.name) : [];
    return names.length > 1 ? (names.toSorted()[0] ?? name) : (names[0] ?? name);
  }

  /** The workload that is judged for a pod: what made it, or what made that. */
  #makerOf({ namespace, controller }: Pod): string | undefined {
    if (controller === undefined || !isWorkloadKind(controller.kind)) return undefined;
    const { kind, name } = controller;
    const made = this.#snapshot.get(kind, namespace, name);
    const id = idOf({ kind, namespace, name });
    const maker = made.known && made.value !== undefined ? makerOf(made.value) : this.#makers.get(id);
    if (maker === undefined) return id;
    const found = this.#snapshot.get(maker.kind, namespace, maker.name);
    return found.known && found.value?.uid === maker.uid ? idOf({ ...maker, namespace }) : id;
  }
}

interface Index {
  readonly byMaker: Grouped<Pod>;
  /** By what `#volumeOfClaim` calls it. */
  readonly byVolume: Grouped<Pod>;
  readonly starting: Pod[];
  /** Volumes of those that are starting. */
  readonly awaited: Set<string>;
}

/** What stands between a workload and its pods. */
const BETWEEN: ReadonlyMap<WorkloadKind, WorkloadKind> = new Map([
  ['Deployment', 'ReplicaSet'],
  ['CronJob', 'Job'],
]);

/** Nearly all groups are of one, and a list for each would weigh more than what it holds. */
class Grouped<T extends object> {
  readonly #groups = new Map<string, T | T[]>();

  add(key: string, one: T): void {
    const group = this.#groups.get(key);
    if (Array.isArray(group)) group.push(one);
    else this.#groups.set(key, group === undefined ? one : [group, one]);
  }

  get(key: string): readonly T[] | undefined {
    const group = this.#groups.get(key);
    return group === undefined || Array.isArray(group) ? group : [group];
  }
}

interface Named {
  readonly namespace?: string;
  readonly name: string;
}

function byName({ namespace: one = '', name }: Named, { namespace: other = '', name: otherName }: Named): number {
  if (one !== other) return one < other ? -1 : 1;
  return name === otherName ? 0 : name < otherName ? -1 : 1;
}
