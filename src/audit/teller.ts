import type { ApiWriter } from '../cluster/connection.ts';
import type { JudgedObject } from './found.ts';
import type { AuditedRef } from './standing-objects.ts';
import type { WritingOptions } from './writing.ts';

/** Tells people what was judged, for one term of leading. */
export interface Teller {
  judged(object: JudgedObject): void;
  /** Until the signal ends it. */
  run(signal: AbortSignal): Promise<void>;
}

export interface TellerOptions extends Omit<WritingOptions, 'what'> {
  readonly api: ApiWriter;
  /** Names this process. */
  readonly instance: string;
  /** Has objects judged of which earlier leaders told something. */
  readonly judgeAgain: (refs: readonly AuditedRef[]) => void;
  /** The objects of which anything is found now. */
  readonly found: () => readonly JudgedObject[];
}
