import { Reflector } from '../../src/cluster/reflector.ts';
import { type JsonObject, stringAt, UnreadableObjectError } from '../../src/objects/json.ts';
import { type FakeApi, FakeLog, FakeTime, object, page } from './fake-api.ts';

/** A reflector of `colour`s over a fake API, with everything that can be looked at. */
export function reflecting(api: FakeApi, onChange?: (key: string) => void) {
  const table = new Map<string, string>();
  const log = new FakeLog();
  const time = new FakeTime();
  const read = (found: JsonObject) => {
    const colour = stringAt(found, 'colour') ?? 'grey';
    if (colour === 'none') return undefined;
    if (colour === 'broken') throw new UnreadableObjectError('colour', 'a colour', colour);
    return colour;
  };
  const reflector = new Reflector({
    kind: 'Node',
    table,
    read,
    connection: api,
    log,
    time,
    staleAfterMs: 120_000,
    onChange,
  });
  return { reflector, table, log, time };
}

export const oneNode = page([object('a')], '10');
