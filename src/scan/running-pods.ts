import { isWorkloadKind } from '../objects/kinds.ts';
import type { OwnerReference } from '../objects/metadata.ts';
import { keyOf } from '../objects/object-key.ts';
import type { Pod } from '../objects/pod.ts';
import { idOfWorkload, makerOf, type Workload } from '../objects/workload.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';

/** The pods of a cluster that hold volumes, by who made them and by what they hold. */
export class RunningPods {
  readonly #snapshot: Pick<ClusterSnapshot, 'get'>;
  readonly #byController = new Map<string, Pod[]>();
  readonly #byVolume = new Map<string, Pod[]>();

  constructor(snapshot: Pick<ClusterSnapshot, 'get'>) {
    this.#snapshot = snapshot;
  }

  /** One without volumes is passed over: nothing here is about it, and a cluster has many. */
  add(pod: Pod): void {
    const { namespace, controller, claims, disks } = pod;
    if (claims.length === 0 && disks.length === 0) return;
    if (controller !== undefined) append(this.#byController, idOfController(namespace, controller), pod);
    for (const claim of claims) append(this.#byVolume, claimKey(namespace, claim), pod);
    for (const disk of disks) append(this.#byVolume, disk, pod);
  }

  /** Those of a workload, and of what it made: ReplicaSets of a Deployment, Jobs of a CronJob. */
  of(workload: Workload): readonly Pod[] {
    return this.#byMaker().get(idOfWorkload(workload)) ?? [];
  }

  holding(namespace: string, claim: string): readonly Pod[] {
    return this.#byVolume.get(claimKey(namespace, claim)) ?? [];
  }

  withDisk(disk: string): readonly Pod[] {
    return this.#byVolume.get(disk) ?? [];
  }

  #made: ReadonlyMap<string, readonly Pod[]> | undefined;

  /** Found once all pods and workloads have been read. */
  #byMaker(): ReadonlyMap<string, readonly Pod[]> {
    if (this.#made !== undefined) return this.#made;
    const made = new Map<string, Pod[]>();
    for (const [, pods] of this.#byController) {
      const id = this.#topOf(pods[0]);
      if (id !== undefined) made.set(id, [...(made.get(id) ?? []), ...pods]);
    }
    this.#made = made;
    return made;
  }

  #topOf(pod: Pod | undefined): string | undefined {
    const { kind, name } = pod?.controller ?? {};
    if (pod === undefined || name === undefined || !isWorkloadKind(kind)) return undefined;
    const { namespace } = pod;
    const found = this.#snapshot.get(kind, namespace, name);
    const maker = found.known && found.value !== undefined ? makerOf(found.value) : undefined;
    return `${maker?.kind ?? kind} ${keyOf(namespace, maker?.name ?? name)}`;
  }
}

function append(map: Map<string, Pod[]>, key: string, pod: Pod): void {
  const pods = map.get(key);
  if (pods === undefined) map.set(key, [pod]);
  else pods.push(pod);
}

function idOfController(namespace: string, { kind, name }: OwnerReference): string {
  return `${kind} ${keyOf(namespace, name)}`;
}

/** A disk's name has no blank before its driver's `^`. */
function claimKey(namespace: string, claim: string): string {
  return `claim ${keyOf(namespace, claim)}`;
}
