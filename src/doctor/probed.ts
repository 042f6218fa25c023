import type { EntryName } from './entry.ts';

/** A Deployment that is created as a dry run, where one entry and no other has something to say about it. */
export interface Probe {
  readonly entry: EntryName;
  readonly namespace: string;
}

/** What came of asking one entry; nothing was asked where there is no place to. */
export interface Probed {
  readonly entry: EntryName;
  readonly outcome:
    | { readonly type: 'answered' | 'unanswered'; readonly namespace: string; readonly milliseconds: number }
    /** The API server refused the dry run because the call failed, and says how. */
    | { readonly type: 'failed'; readonly namespace: string; readonly message: string }
    | { readonly type: 'unclear'; readonly because: string };
}
