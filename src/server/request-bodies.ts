import type { IncomingMessage } from 'node:http';
import type { Deadline } from './deadline.ts';
import { BodyTooLargeError, TooLateError, UnfinishedBodyError } from './refused-body.ts';

/** A body that is whole, and counted until it is released. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  /** Tells that nobody needs the bytes any more. */
  release(): void;
}

export interface BodyLimits {
  /** Bytes of one body. */
  readonly one: number;
  /** Bytes of all bodies that are on their way in or waiting to be judged. */
  readonly all: number;
}

interface Taken {
  /** Bytes that are kept for the body, filled or not. */
  held: number;
  /** Ends its connection and its time. Nothing is said to a sender that may not be reading. */
  readonly cutOff: () => void;
}

/** What a request costs beside its body, so that a crowd of empty ones is bounded too. */
const REQUEST_BYTES = 4 * 1024;

/**
 * Takes the bodies of all connections in, and never holds more of them than the limit: where room is missing, the body that
 * has been unfinished for longest is cut off, and after all of those the largest that waits to be judged. Who sends a whole
 * body at once is therefore never the one that goes, unless others send as much as the limit within that moment.
 */
export class RequestBodies {
  readonly #limits: BodyLimits;
  readonly #onCutOff: () => void;
  #held = 0;
  /** The bodies that are not whole yet, oldest first. */
  readonly #unfinished = new Set<Taken>();
  readonly #whole = new Set<Taken>();

  /** `onCutOff` hears of each body that had to go. */
  constructor(limits: BodyLimits, onCutOff: () => void) {
    this.#limits = limits;
    this.#onCutOff = onCutOff;
  }

  /** Bytes that are kept now. */
  get held(): number {
    return this.#held;
  }

  /**
   * Reads the body. Rejects with BodyTooLargeError before anything is kept where the sender says so itself, with TooLateError
   * at the deadline or where others needed the room, and with UnfinishedBodyError where the sender hangs up.
   */
  async receive(request: IncomingMessage, deadline: Deadline): Promise<ReceivedBody> {
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > this.#limits.one) throw new BodyTooLargeError(this.#limits.one);
    const cutOff = (): void => {
      deadline.end();
      request.destroy();
    };
    const taken: Taken = { held: 0, cutOff };
    this.#unfinished.add(taken);
    const release = () => this.#release(taken);
    try {
      this.#hold(taken, REQUEST_BYTES);
      const bytes = await this.#read(taken, request, deadline.signal);
      this.#unfinished.delete(taken);
      this.#whole.add(taken);
      return { bytes, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #read(taken: Taken, request: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    let bytes: Buffer = Buffer.alloc(0);
    let length = 0;
    const onData = (chunk: Buffer): void => {
      const needed = length + chunk.length;
      if (needed > this.#limits.one) {
        reject(new BodyTooLargeError(this.#limits.one));
        return;
      }
      if (needed > bytes.length) bytes = this.#grown(taken, bytes, needed);
      length += chunk.copy(bytes, length);
    };
    const onEnd = () => resolve(bytes.subarray(0, length));
    const onClose = (): void => {
      if (!request.readableEnded) reject(new UnfinishedBodyError()); // a whole one is closed too, and an error takes time to make
    };
    const onLate = () => reject(new TooLateError());
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    signal.addEventListener('abort', onLate);
    if (signal.aborted) onLate();
    try {
      return await promise;
    } finally {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      signal.removeEventListener('abort', onLate);
    }
  }

  /**
   * Makes room for more of a body, in one piece that doubles: kept as they come, bytes that are sent one by one would
   * weigh hundreds each. Nothing is kept because of what a sender says of its length.
   */
  #grown(taken: Taken, bytes: Buffer, needed: number): Buffer {
    const size = Math.min(Math.max(needed, bytes.length * 2), this.#limits.one);
    this.#hold(taken, size - bytes.length);
    const grown = Buffer.allocUnsafeSlow(size);
    bytes.copy(grown);
    return grown;
  }

  #hold(taken: Taken, more: number): void {
    taken.held += more;
    this.#held += more;
    while (this.#held > this.#limits.all) this.#cutOff(this.#leastNeeded(taken));
  }

  #leastNeeded(asking: Taken): Taken {
    for (const taken of this.#unfinished) if (taken !== asking) return taken;
    let largest: Taken | undefined;
    for (const taken of this.#whole) if (largest === undefined || taken.held > largest.held) largest = taken;
    return largest ?? asking;
  }

  #cutOff(taken: Taken): void {
    this.#release(taken);
    taken.cutOff();
    this.#onCutOff();
  }

  #release(taken: Taken): void {
    this.#unfinished.delete(taken);
    this.#whole.delete(taken);
    this.#held -= taken.held;
    taken.held = 0;
  }
}
