import { keyOf } from '../facts/object-key.ts';
import type { PersistentVolumeClaim } from '../facts/persistent-volume-claim.ts';
import { claimNames, type Workload } from '../facts/workload.ts';

/** A claim or workload that was allowed here. */
export type RecentObject =
  | { readonly kind: 'PersistentVolumeClaim'; readonly value: PersistentVolumeClaim }
  | { readonly kind: 'Deployment'; readonly value: Workload };

export interface RecentRequest {
  readonly user: string;
  readonly dryRun: boolean;
  readonly object: RecentObject;
}

/** One `kubectl apply --dry-run=server` of a large chart takes seconds; after a minute it is another attempt. */
const DRY_RUN_LIFE_MS = 60_000;

/** Until the watch has brought a workload that was admitted, with a generous margin. */
const ADMITTED_LIFE_MS = 10_000;

/** Each of the three memories: more than is admitted in ten seconds or dry-run in a minute, and a few megabytes. */
const MOST_ENTRIES = 2_000;

/**
 * What was allowed here a moment ago and that no watch can show yet: objects that were only dry-run, and workloads
 * admitted just now. What was dry-run is shown to dry runs of the same user only, never to a real request.
 */
export class RecentRequests {
  readonly #dryRunClaims: Memory<PersistentVolumeClaim>;
  readonly #dryRunWorkloads: Memory<Workload>;
  readonly #admittedWorkloads: Memory<Workload>;

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#dryRunClaims = new Memory(now, DRY_RUN_LIFE_MS);
    this.#dryRunWorkloads = new Memory(now, DRY_RUN_LIFE_MS);
    this.#admittedWorkloads = new Memory(now, ADMITTED_LIFE_MS);
  }

  remember({ user, dryRun, object }: RecentRequest): void {
    const { namespace, name } = object.value.metadata;
    const scope = dryRun ? user : '';
    const id = JSON.stringify([scope, keyOf(namespace, name)]);
    switch (object.kind) {
      case 'PersistentVolumeClaim':
        if (dryRun) this.#dryRunClaims.add(id, [id], object.value); // a real one is read from the API server
        return;
      case 'Deployment': {
        const memory = dryRun ? this.#dryRunWorkloads : this.#admittedWorkloads;
        const claims = claimNames(object.value).map((claim) => JSON.stringify([scope, keyOf(namespace, claim)]));
        memory.add(id, claims, object.value);
        return;
      }
      default:
        object satisfies never;
    }
  }

  /** The claim as this user dry-ran it in the last minute. */
  dryRunClaim(user: string, namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.#dryRunClaims.under(JSON.stringify([user, keyOf(namespace, name)]))[0];
  }

  /** Workloads with this claim that this user dry-ran in the last minute. */
  dryRunWorkloadsMounting(user: string, namespace: string, claim: string): readonly Workload[] {
    return this.#dryRunWorkloads.under(JSON.stringify([user, keyOf(namespace, claim)]));
  }

  /** Workloads with this claim that were really admitted here in the last ten seconds. */
  workloadsMounting(namespace: string, claim: string): readonly Workload[] {
    return this.#admittedWorkloads.under(JSON.stringify(['', keyOf(namespace, claim)]));
  }
}

interface Entry<T> {
  readonly until: number;
  readonly labels: readonly string[];
  readonly value: T;
}

/** Values by label, for a while. Nothing runs in the background: what has expired goes when something is added. */
class Memory<T> {
  readonly #now: () => number;
  readonly #lifeMs: number;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #byLabel = new Map<string, Set<string>>();

  constructor(now: () => number, lifeMs: number) {
    this.#now = now;
    this.#lifeMs = lifeMs;
  }

  add(id: string, labels: readonly string[], value: T): void {
    this.#drop(id);
    const now = this.#now();
    for (const [oldest, { until }] of this.#entries) {
      if (until > now && this.#entries.size < MOST_ENTRIES) break;
      this.#drop(oldest);
    }
    this.#entries.set(id, { until: now + this.#lifeMs, labels, value });
    for (const label of labels) {
      const ids = this.#byLabel.get(label);
      if (ids === undefined) this.#byLabel.set(label, new Set([id]));
      else ids.add(id);
    }
  }

  under(label: string): readonly T[] {
    const now = this.#now();
    return [...(this.#byLabel.get(label) ?? [])].flatMap((id) => {
      const entry = this.#entries.get(id);
      return entry !== undefined && entry.until > now ? [entry.value] : [];
    });
  }

  #drop(id: string): void {
    for (const label of this.#entries.get(id)?.labels ?? []) {
      const ids = this.#byLabel.get(label);
      ids?.delete(id);
      if (ids?.size === 0) this.#byLabel.delete(label);
    }
    this.#entries.delete(id);
  }
}
