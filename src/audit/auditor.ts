import type { Logger } from '../cluster/reflector.ts';
import type { Time } from '../cluster/time.ts';
import type { ListName } from '../objects/kinds.ts';
import { idOf } from '../objects/object-key.ts';
import { claimNames } from '../objects/workload.ts';
import { Changes } from './changes.ts';
import { type Concerned, concernedBy } from './concerned.ts';
import { type FindingCount, Found, type JudgedObject } from './found.ts';
import { type AuditedBy, judgeStanding } from './judge-standing.ts';
import { Queue } from './queue.ts';
import { reportedOf } from './reported.ts';
import type { AuditedRef, StandingObjects } from './standing-objects.ts';
import type { Teller } from './teller.ts';

export interface AuditorOptions {
  readonly by: AuditedBy;
  readonly standing: StandingObjects;
  /** Whether the state of the cluster may be judged by: it is whole, and not out of date. */
  readonly isCurrent: () => boolean;
  readonly time: Time;
  readonly log: Logger;
  readonly failed: (what: 'judging') => void;
}

/** How long objects are judged one after the other before reviews have their turn: an ordinary one takes a tenth of a millisecond. */
const SLICE_MS = 3;

/** A slice is followed by nine times as long for others: a tenth of a processor at most, also after a change that concerns all. */
const REST = 9;

/** How often there is a look for changes. */
const POLL_MS = 200;

/** What no change tells of, such as the day on which an exemption ends, is seen within this time. */
const EVERYTHING_AGAIN_MS = 600_000;

/** Judges again what changes, for one term of leading, and knows what is wrong now. */
export class Auditor {
  readonly #options: AuditorOptions;
  readonly #changes = new Changes();
  readonly #queue: Queue;
  readonly #found = new Found();
  /** The claims of workloads as they were judged last. */
  readonly #mounted = new Map<string, readonly string[]>();
  #nodes: number | undefined;
  #lastJudgedAt: number | undefined;

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#queue = new Queue(options.standing);
  }

  /** Called for every event of every watch. */
  changed(list: ListName, key: string): void {
    this.#changes.add(list, key, this.#options.time.now());
  }

  judgeAgain(refs: readonly AuditedRef[]): void {
    for (const ref of refs) this.#queue.add(ref);
  }

  /** Changes to look into and objects to judge. */
  get pending(): number {
    return this.#changes.size + this.#queue.size;
  }

  /** In milliseconds since 1970. */
  get lastJudgedAt(): number | undefined {
    return this.#lastJudgedAt;
  }

  found(): readonly JudgedObject[] {
    return this.#found.objects();
  }

  counts(): readonly FindingCount[] {
    return this.#found.counts();
  }

  /** Judges everything, and then what changes, until the signal ends it. */
  async run(tellers: readonly Teller[], signal: AbortSignal): Promise<void> {
    const { time, isCurrent } = this.#options;
    let againAt = 0;
    while (!signal.aborted) {
      if (!isCurrent()) {
        await time.sleep(POLL_MS, signal);
        continue;
      }
      if (time.now() >= againAt) {
        againAt = time.now() + EVERYTHING_AGAIN_MS;
        this.#everythingAgain();
      }
      const took = this.#slice(tellers);
      await time.sleep(took === undefined ? POLL_MS : took * REST + 1, signal);
    }
  }

  /** Objects that are gone stand in no table, and are judged to be gone. */
  #everythingAgain(): void {
    this.#nodesChanged(); // whatever they are now, everything is judged by it
    this.judgeAgain(this.found().map(({ ref }) => ref));
    this.#queue.addEverything();
  }

  /** Works for a while; gives how many milliseconds that took, or nothing where there was nothing to do. */
  #slice(tellers: readonly Teller[]): number | undefined {
    const { time } = this.#options;
    const began = time.now();
    let isIdle = true;
    while (time.now() - began < SLICE_MS && this.#one(tellers)) isIdle = false;
    return isIdle ? undefined : time.now() - began;
  }

  /** Looks into a change, or judges an object; `false` where there is neither. */
  #one(tellers: readonly Teller[]): boolean {
    const { time } = this.#options;
    const change = this.#changes.next(time.now());
    if (change !== undefined) {
      if (change.kind !== 'Node' || this.#nodesChanged()) this.#ask(this.#concernedBy(change));
      return true;
    }
    const ref = this.#queue.next();
    if (ref === undefined) return false;
    const judged = this.#judge(ref);
    if (judged === undefined) return true;
    this.#found.set(judged);
    for (const teller of tellers) teller.judged(judged);
    return true;
  }

  /** Nodes tell how they are every few minutes, and nearly always the same. */
  #nodesChanged(): boolean {
    const nodes = this.#options.by.snapshot.nodes();
    const version = nodes.known ? nodes.value.version : undefined;
    const isNew = version !== this.#nodes;
    this.#nodes = version;
    return isNew;
  }

  #concernedBy(change: Parameters<typeof concernedBy>[0]): Concerned {
    const { by, standing } = this.#options;
    return concernedBy(change, {
      snapshot: by.snapshot,
      standing,
      mounted: (ref) => this.#mounted.get(idOf(ref)) ?? [],
    });
  }

  #ask(concerned: Concerned): void {
    if (concerned === 'everything') this.#everythingAgain();
    else if (concerned === 'all workloads') this.#queue.addWorkloads();
    else this.judgeAgain(concerned);
  }

  /** `undefined` where judging fails, which is a bug and leaves what was known before. */
  #judge(ref: AuditedRef): JudgedObject | undefined {
    const { by, time, log, failed } = this.#options;
    try {
      const standing = judgeStanding(ref, by);
      this.#lastJudgedAt = time.now();
      this.#remember(ref, standing?.workload === undefined ? [] : claimNames(standing.workload));
      return { ref, uid: standing?.workload?.uid, reported: standing && reportedOf(standing.findings) };
    } catch (err) {
      failed('judging');
      log.warn({ ...ref, err }, 'the audit cannot judge an object');
      return undefined;
    }
  }

  #remember(ref: AuditedRef, claims: readonly string[]): void {
    if (claims.length === 0) this.#mounted.delete(idOf(ref));
    else this.#mounted.set(idOf(ref), claims);
  }
}
