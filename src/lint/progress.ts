import type { Writable } from 'node:stream';

/** A terminal has `isTTY`; on a pipe there is nothing to see. */
export interface Terminal extends Writable {
  readonly isTTY?: boolean;
}

/** Milliseconds of silence before the first word, and between two. */
const PATIENCE_MS = 1_000;
const PAUSE_MS = 100;

const CLEAR_LINE = '\r\x1b[K';

export interface Progress {
  readonly files: (done: number, all: number) => void;
  readonly objects: (done: number) => void;
  /** Takes the line away again. */
  readonly done: () => void;
}

/** Tells on a terminal how far the reading is, once it takes a while. `now` counts milliseconds. */
export function progressOn(terminal: Terminal, now: () => number): Progress {
  let next = now() + PATIENCE_MS;
  let shown = false;
  const tell = (words: () => string): void => {
    if (terminal.isTTY !== true || now() < next) return;
    next = now() + PAUSE_MS;
    shown = true;
    terminal.write(`${CLEAR_LINE}${words()}`);
  };
  return {
    files: (done, all) => tell(() => `read ${done} of ${all} files`),
    objects: (done) => tell(() => `read ${done} objects`),
    done() {
      if (shown) terminal.write(CLEAR_LINE);
    },
  };
}
