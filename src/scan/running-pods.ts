import { isWorkloadKind, type WorkloadKind } from '../objects/kinds.ts';
import { idOf, keyOf } from '../objects/object-key.ts';
import { diskOf } from '../objects/persistent-volume.ts';
import type { Pod } from '../objects/pod.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import { holdsVolumes, idOfWorkload, type Maker, makerOf, type Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import { Holders } from './holders.ts';

type Snapshot = Pick<ClusterSnapshot, 'get'>;

/** The pods of a cluster that hold volumes, by who made them and by what they hold. Nothing is added once something was asked. */
export class RunningPods {
  readonly #snapshot: Snapshot;
  /** By name, for a list that begins again brings some of them twice. */
  readonly #pods = new Map<string, Pod>();
  readonly #attachments = new Map<string, VolumeAttachment>();
  /** Of workloads that nobody keeps, for they should run no pods; their last ones may still be ending. */
  readonly #makers = new Map<string, Maker>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** One without volumes is passed over: nothing here is about it, and a cluster has many. */
  add(pod: Pod): void {
    if (pod.claims.length > 0 || pod.disks.length > 0) this.#pods.set(keyOf(pod.namespace, pod.name), pod);
  }

  addAttachment(attachment: VolumeAttachment): void {
    this.#attachments.set(attachment.name, attachment);
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
    const { byVolume, attachments } = this.#index();
    const holders = this.#holders.get(volume) ?? new Holders(byVolume.get(volume) ?? [], attachments.get(volume) ?? []);
    this.#holders.set(volume, holders);
    return holders;
  }

  #built: Index | undefined;

  #index(): Index {
    this.#built ??= this.#build();
    return this.#built;
  }

  #build(): Index {
    const index: Index = { byMaker: new Map(), byVolume: new Map(), attachments: new Map(), starting: [] };
    for (const pod of [...this.#pods.values()].sort(byName)) {
      const maker = this.#makerOf(pod);
      if (maker !== undefined) append(index.byMaker, maker, pod);
      for (const volume of this.#volumesOf(pod)) append(index.byVolume, volume, pod);
      if (pod.isStarting && !pod.deleting) index.starting.push(pod);
    }
    for (const attachment of [...this.#attachments.values()].sort(byName)) {
      const { volumeName, disk } = attachment;
      const volume = volumeName === undefined ? disk : this.#volumeNamed(volumeName);
      if (volume !== undefined) append(index.attachments, volume, attachment);
    }
    return index;
  }

  #volumesOf({ namespace, claims, disks }: Pod): ReadonlySet<string> {
    return new Set([...claims.map((claim) => this.#volumeOfClaim(namespace, claim)), ...disks]);
  }

  /** One name for all that is one volume to the attach-detach controller. A disk's name has no blank before its `^`. */
  #volumeOfClaim(namespace: string, claim: string): string {
    const found = this.#snapshot.get('PersistentVolumeClaim', namespace, claim);
    const volumeName = found.known ? (found.value?.volumeName ?? '') : '';
    return volumeName === '' ? `claim ${keyOf(namespace, claim)}` : this.#volumeNamed(volumeName);
  }

  #volumeNamed(name: string): string {
    const found = this.#snapshot.get('PersistentVolume', '', name);
    const disk = found.known && found.value !== undefined ? diskOf(found.value.source) : undefined;
    return disk ?? `volume ${name}`;
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
  readonly byMaker: Map<string, Pod[]>;
  /** By what `#volumeOfClaim` calls it. */
  readonly byVolume: Map<string, Pod[]>;
  readonly attachments: Map<string, VolumeAttachment[]>;
  readonly starting: Pod[];
}

/** What stands between a workload and its pods. */
const BETWEEN: ReadonlyMap<WorkloadKind, WorkloadKind> = new Map([
  ['Deployment', 'ReplicaSet'],
  ['CronJob', 'Job'],
]);

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

interface Named {
  readonly namespace?: string;
  readonly name: string;
}

function byName({ namespace: one = '', name }: Named, { namespace: other = '', name: otherName }: Named): number {
  if (one !== other) return one < other ? -1 : 1;
  return name === otherName ? 0 : name < otherName ? -1 : 1;
}
