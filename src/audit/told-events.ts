import { idOf } from '../objects/object-key.ts';
import { begunReason, resolvedReason } from './event-reasons.ts';
import type { EventRecord, Telling } from './events.ts';
import type { AuditedRef } from './standing-objects.ts';

/** What Events say of one finding. */
interface Told {
  readonly reason: string;
  readonly isOpen: boolean;
  /** How often it began, and how often it ended. */
  readonly begun: number;
  readonly ended: number;
}

/** An Event that is missing. From the second time on it is the one that is there already, as the last of a series. */
export interface MissingEvent extends Telling {
  readonly what: 'begin' | 'end';
  readonly count: number;
}

interface ToldOfObject {
  readonly ref: AuditedRef;
  readonly uid: string;
  readonly findings: Map<string, Told>;
}

const NOTHING: ReadonlyMap<string, Told> = new Map();

const NEVER: Told = { reason: '', isOpen: false, begun: 0, ended: 0 };

/** What Events tell of each object already, so that every finding is told of once, with its end. */
export class ToldEvents {
  readonly #objects = new Map<string, ToldOfObject>();

  refs(): readonly AuditedRef[] {
    return [...this.#objects.values()].map(({ ref }) => ref);
  }

  knows(ref: AuditedRef): boolean {
    return this.#objects.has(idOf(ref));
  }

  /**
   * What is missing where this is all that there is to tell of the object. One of that name that was deleted, and made again, is
   * another one; where no uid is known, they count as the same.
   */
  missing(ref: AuditedRef, uid: string | undefined, now: ReadonlyMap<string, Telling>): readonly MissingEvent[] {
    const known = this.#objects.get(idOf(ref));
    const told = known === undefined || (uid ?? known.uid) !== known.uid ? NOTHING : known.findings;
    const begins = [...now.values()].flatMap((telling): readonly MissingEvent[] => {
      const { isOpen, begun } = told.get(telling.fingerprint) ?? NEVER;
      return isOpen ? [] : [{ ...telling, what: 'begin', count: begun + 1 }];
    });
    const ends = [...told].flatMap(([fingerprint, { reason, isOpen, ended }]): readonly MissingEvent[] => {
      if (!isOpen || now.has(fingerprint)) return [];
      const telling = { fingerprint, reason: resolvedReason(reason), type: 'Normal', note: OVER } as const;
      return [{ ...telling, what: 'end', count: ended + 1 }];
    });
    return [...begins, ...ends];
  }

  /** There is an Event of that reason now, for the `count`th time. */
  told({ ref, uid, fingerprint, reason, count }: Omit<EventRecord, 'at'>): void {
    const { findings } = this.#of(ref, uid);
    const before = findings.get(fingerprint) ?? NEVER;
    const begun = begunReason(reason);
    findings.set(
      fingerprint,
      begun === undefined
        ? { ...before, reason, isOpen: true, begun: count }
        : { ...before, reason: begun, isOpen: false, ended: count },
    );
  }

  /** Takes in what others have told, in any order. */
  read(records: readonly EventRecord[]): void {
    for (const record of records.toSorted((one, other) => (one.at < other.at ? -1 : 1))) this.told(record);
  }

  /** The object is no more: nobody looks there for an end. */
  forget(ref: AuditedRef): void {
    this.#objects.delete(idOf(ref));
  }

  #of(ref: AuditedRef, uid: string): ToldOfObject {
    const id = idOf(ref);
    const known = this.#objects.get(id);
    if (known?.uid === uid) return known;
    const made = { ref, uid, findings: new Map<string, Told>() };
    this.#objects.set(id, made);
    return made;
  }
}

const OVER = 'no longer so';
