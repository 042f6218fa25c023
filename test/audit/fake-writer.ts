import type { ApiWriter, SendOptions, Sent } from '../../src/cluster/connection.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';

export interface Written {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

/** An API server as far as the audit writes to it: objects by path, their versions, and whatever a test refuses. */
export class FakeWriter implements ApiWriter {
  readonly objects = new Map<string, JsonObject>();
  /** All that was asked, but for what only reads. */
  readonly writes: Written[] = [];
  /** The status with which a request is refused; an Error is no answer at all. */
  refuse: (method: string, path: string) => number | Error | undefined = () => undefined;
  #version = 0;

  async send(method: string, path: string, body: object | undefined, options: SendOptions): Promise<Sent> {
    options.signal.throwIfAborted();
    const object: JsonObject = JSON.parse(JSON.stringify(body ?? {}));
    if (method !== 'GET') this.writes.push({ method, path, body: object });
    const refused = this.refuse(method, path);
    if (refused instanceof Error) throw refused;
    if (refused !== undefined) return answer(refused, {});
    switch (method) {
      case 'GET':
        return this.#get(path);
      case 'POST':
        return this.#create(`${path}/${stringAt(objectAt(object, 'metadata'), 'name')}`, object);
      case 'DELETE':
        return answer(this.objects.delete(path) ? 200 : 404, {});
      case 'PUT':
        return this.#replace(path, object);
      default:
        return this.#patch(path, object, options.contentType);
    }
  }

  /** The objects below a path, in the order of their names. */
  under(path: string): readonly JsonObject[] {
    const [root, list] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
    return [...this.objects]
      .filter(([key]) => key.startsWith(`${root}/`) && key.includes(`/${list}/`))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, object]) => object);
  }

  #get(path: string): Sent {
    const object = this.objects.get(path);
    if (object !== undefined) return answer(200, object);
    const isList = /\/(events|reports)$/.test(path);
    return isList ? answer(200, { metadata: {}, items: this.under(path) }) : answer(404, {});
  }

  #create(path: string, object: JsonObject): Sent {
    return this.objects.has(path) ? answer(409, {}) : this.#stored(path, object);
  }

  #replace(path: string, object: JsonObject): Sent {
    const versionOf = (of: JsonObject | undefined) => objectAt(of, 'metadata')?.resourceVersion;
    if (versionOf(this.objects.get(path)) !== versionOf(object)) return answer(409, {});
    return this.#stored(path, object);
  }

  #patch(path: string, patch: JsonObject, contentType: string | undefined): Sent {
    const before = this.objects.get(path);
    if (contentType === 'application/apply-patch+yaml') return this.#stored(path, patch);
    return before === undefined ? answer(404, {}) : this.#stored(path, { ...before, ...patch });
  }

  #stored(path: string, object: JsonObject): Sent {
    const metadata = { ...(isObject(object.metadata) ? object.metadata : {}), resourceVersion: `${++this.#version}` };
    this.objects.set(path, { ...object, metadata });
    return answer(200, this.objects.get(path) ?? {});
  }
}

function answer(status: number, body: JsonObject): Sent {
  return { status, warnings: [], body };
}
