import { weightOf } from '../objects/json-size.ts';
import type { WorkloadKind } from '../objects/kinds.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { JudgedObject } from '../objects/read-object.ts';
import { claimNames, type Workload } from '../objects/workload.ts';
import { IndexedTable } from '../snapshot/indexed-table.ts';

/** Whom to ask for: what a review said of it proves nothing, for anybody who reaches the port can send one. */
export interface RecentWorkload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
}

export interface RecentRequest {
  readonly user: string;
  readonly dryRun: boolean;
  readonly object: JudgedObject;
}

/** One `kubectl apply --dry-run=server` of a large chart takes seconds; after a minute it is another attempt. */
const DRY_RUN_LIFE_MS = 60_000;

/** How long an admitted workload is remembered: until the watch has brought it, with a generous margin. */
const ADMITTED_LIFE_MS = 10_000;

/** Bytes of one object, and of each memory: a template of many kilobytes is not worth what it would displace. */
const MOST_OF_OBJECT = 64 * 1024;
const MOST_WEIGHT = 16 * 1024 * 1024;

/** Entries of each of the three memories: more than ten seconds admit or a minute dry-runs, and a few megabytes. */
const MOST_ENTRIES = 2_000;

/**
 * What was allowed here a moment ago and that no watch can show yet: objects that were only dry-run, and workloads
 * admitted just now. What was dry-run is shown to dry runs of the same user only, never to a real request.
 */
export class RecentRequests {
  readonly #dryRunClaims: Memory<PersistentVolumeClaim>;
  readonly #dryRunWorkloads: Memory<Workload>;
  readonly #admittedWorkloads: Memory<RecentWorkload>;

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#dryRunClaims = new Memory(now, DRY_RUN_LIFE_MS);
    this.#dryRunWorkloads = new Memory(now, DRY_RUN_LIFE_MS);
    this.#admittedWorkloads = new Memory(now, ADMITTED_LIFE_MS);
  }

  remember({ user, dryRun, object }: RecentRequest): void {
    if (object.kind === 'PersistentVolumeClaim') this.#rememberClaim(user, dryRun, object.value);
    else this.#rememberWorkload(dryRun ? user : EVERYBODY, dryRun, object.value);
  }

  /** A claim that was really made needs no memory: it is asked of the API server. */
  #rememberClaim(user: string, dryRun: boolean, claim: PersistentVolumeClaim): void {
    const label = labelOf(user, claim.metadata.namespace, claim.metadata.name);
    if (dryRun) this.#dryRunClaims.add(label, [label], claim);
  }

  #rememberWorkload(owner: string, dryRun: boolean, workload: Workload): void {
    const { kind, metadata } = workload;
    const { namespace, name } = metadata;
    const claims = claimNames(workload).map((claim) => labelOf(owner, namespace, claim));
    const id = JSON.stringify([kind, owner, namespace, name]);
    if (dryRun) this.#dryRunWorkloads.add(id, claims, workload);
    else this.#admittedWorkloads.add(id, claims, { kind, namespace, name });
  }

  /** The claim as this user dry-ran it in the last minute. */
  dryRunClaim(user: string, namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.#dryRunClaims.under(labelOf(user, namespace, name))[0];
  }

  /** Workloads with this claim that this user dry-ran in the last minute. */
  dryRunWorkloadsMounting(user: string, namespace: string, claim: string): readonly Workload[] {
    return this.#dryRunWorkloads.under(labelOf(user, namespace, claim));
  }

  /** Workloads with this claim that were really admitted here in the last ten seconds. */
  workloadsMounting(namespace: string, claim: string): readonly RecentWorkload[] {
    return this.#admittedWorkloads.under(labelOf(EVERYBODY, namespace, claim));
  }
}

/** The user of all admitted workloads: they count for whoever comes next. */
const EVERYBODY = '';

function labelOf(user: string, namespace: string, name: string): string {
  return JSON.stringify([user, namespace, name]);
}

interface Entry<T> {
  readonly until: number;
  readonly labels: readonly string[];
  readonly value: T;
  readonly weight: number;
}

/** Values by label, for a while. Nothing runs in the background: what has expired goes when something is added. */
class Memory<T> {
  readonly #now: () => number;
  readonly #lifeMs: number;
  /** The entries by key, oldest first. */
  readonly #entries = new IndexedTable<Entry<T>>(({ labels }) => labels);
  #weight = 0;

  constructor(now: () => number, lifeMs: number) {
    this.#now = now;
    this.#lifeMs = lifeMs;
  }

  add(id: string, labels: readonly string[], value: T): void {
    this.#drop(id);
    const weight = weightOf([id, labels, value], MOST_OF_OBJECT);
    if (weight > MOST_OF_OBJECT) return; // as unknown as if it had never been sent
    const now = this.#now();
    const hasRoom = (): boolean => this.#entries.size < MOST_ENTRIES && this.#weight + weight <= MOST_WEIGHT;
    for (const [oldest, { until }] of this.#entries) {
      if (until > now && hasRoom()) break;
      this.#drop(oldest);
    }
    this.#weight += weight;
    this.#entries.set(id, { until: now + this.#lifeMs, labels, value, weight });
  }

  under(label: string): readonly T[] {
    const now = this.#now();
    return this.#entries.under(label).flatMap(({ until, value }) => (until > now ? [value] : []));
  }

  #drop(id: string): void {
    this.#weight -= this.#entries.get(id)?.weight ?? 0;
    this.#entries.delete(id);
  }
}
