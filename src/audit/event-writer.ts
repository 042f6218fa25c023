import { ApiError } from '../cluster/api-error.ts';
import { ask, listed, microTime, uidOf } from './api.ts';
import { EVENT_LABELS, eventName, eventOf, recordOf, seriesOf, tellingsOf } from './events.ts';
import { isFound, type JudgedObject } from './found.ts';
import type { AuditedRef } from './standing-objects.ts';
import type { Teller, TellerOptions } from './teller.ts';
import { type MissingEvent, ToldEvents } from './told-events.ts';
import { MOST_REFUSALS, REFUSED_AGAIN_MS, Writing } from './writing.ts';

const EVENTS = '/apis/events.k8s.io/v1';

/** Writes an Event on an object for each finding, once, and one more when the finding has ended. */
export class EventWriter implements Teller {
  readonly #options: TellerOptions;
  readonly #told = new ToldEvents();
  readonly #writing: Writing;

  constructor(options: TellerOptions) {
    this.#options = options;
    this.#writing = new Writing({ ...options, what: 'events' });
  }

  judged(object: JudgedObject): void {
    if (isFound(object) || this.#told.knows(object.ref)) this.#writing.add(object);
  }

  /** Begins with what earlier leaders told. Where that may not be read, what they told is refused as there already. */
  async run(signal: AbortSignal): Promise<void> {
    const { api, time, judgeAgain } = this.#options;
    for (let refusals = 0; refusals <= MOST_REFUSALS && !signal.aborted; ) {
      const read = await this.#writing.attempt(async () => {
        const events = await listed(api, `${EVENTS}/events`, EVENT_LABELS, signal);
        this.#told.read(events.map(recordOf).filter((record) => record !== undefined));
      }, signal);
      if (read === undefined) break;
      if (read === 'refused' && refusals++ < MOST_REFUSALS) await time.sleep(REFUSED_AGAIN_MS, signal);
    }
    judgeAgain(this.#told.refs());
    await this.#writing.run((object) => this.#write(object, signal), signal);
  }

  async #write(object: JudgedObject, signal: AbortSignal): Promise<boolean> {
    const { ref, reported } = object;
    if (reported === undefined) {
      this.#told.forget(ref);
      return false;
    }
    const missing = this.#told.missing(ref, object.uid, tellingsOf(reported));
    const [first] = missing;
    const uid = first && (await uidOf(this.#options.api, object, signal));
    if (uid === undefined) return false;
    for (const event of missing) {
      await this.#put(ref, uid, event, signal);
      this.#told.told({ ref, uid, ...event });
    }
    return true;
  }

  async #put(ref: AuditedRef, uid: string, event: MissingEvent, signal: AbortSignal): Promise<void> {
    const { api, time, instance } = this.#options;
    const { what, count, ...telling } = event;
    const name = eventName(ref, uid, telling.fingerprint, what);
    const writer = { instance, at: microTime(time) };
    const path = `${EVENTS}/namespaces/${encodeURIComponent(ref.namespace)}/events`;
    if (count > 1) {
      const contentType = 'application/merge-patch+json';
      const there = await unless(
        404,
        ask(api, 'PATCH', `${path}/${encodeURIComponent(name)}`, seriesOf(count, writer), { signal, contentType }),
      );
      if (there !== undefined) return;
    }
    // Where there is one of that name, an earlier leader told the same.
    await unless(409, ask(api, 'POST', path, eventOf(ref, uid, telling, name, writer), { signal }));
  }
}

/** `undefined` where it is refused with this status. */
async function unless<T>(status: number, asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === status) return undefined;
    throw error;
  }
}
