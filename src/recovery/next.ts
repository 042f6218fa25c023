import type { Action } from './action.ts';

/** What comes next of a recovery, decided by what was read just now and by nothing that this process remembers. */
export type Next =
  | { readonly type: 'do'; readonly action: Action }
  /** `for` completes the sentence "waits for". */
  | { readonly type: 'wait'; readonly for: string }
  | { readonly type: 'refuse'; readonly because: readonly string[] }
  | { readonly type: 'done'; readonly words: string };
