import { ApiError } from '../cluster/api-error.ts';
import { objectPath } from '../cluster/api-resource.ts';
import type { ApiWriter, Query } from '../cluster/connection.ts';
import type { Time } from '../cluster/time.ts';
import { type JsonObject, objectAt, objectsAt, stringAt } from '../objects/json.ts';
import type { AuditedRef } from './standing-objects.ts';

type Method = Parameters<ApiWriter['send']>[0];

export interface Asked {
  readonly signal: AbortSignal;
  readonly query?: Query;
  readonly contentType?: string;
}

/** The object that answers; rejects with ApiError where the API server refuses. */
export async function ask(
  api: ApiWriter,
  method: Method,
  path: string,
  body: object | undefined,
  asked: Asked,
): Promise<JsonObject> {
  const sent = await api.send(method, path, body, asked);
  if (sent.status >= 200 && sent.status < 300) return sent.body;
  throw new ApiError(`${method} ${path}`, sent.status, stringAt(sent.body, 'message') ?? 'no message');
}

/** Objects of one page, few enough that an answer of them is small. */
const PAGE = '250';

/** All objects of the list with these labels, read page by page. */
export async function listed(
  api: ApiWriter,
  path: string,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  const items: JsonObject[] = [];
  let next = '';
  do {
    const query = { labelSelector, limit: PAGE, ...(next !== '' && { continue: next }) };
    const page = await ask(api, 'GET', path, undefined, { signal, query });
    items.push(...objectsAt(page, 'items'));
    next = stringAt(objectAt(page, 'metadata'), 'continue') ?? '';
  } while (next !== '');
  return items;
}

/** A time as the API has it, to the microsecond. */
export function microTime(time: Time): string {
  return new Date(time.now()).toISOString().replace('Z', '000Z');
}

/** What tells an object from others of its name; `undefined` where it is gone. */
export async function uidOf(
  api: ApiWriter,
  { ref, uid }: { readonly ref: AuditedRef; readonly uid: string | undefined },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (uid !== undefined) return uid;
  try {
    const object = await ask(api, 'GET', objectPath(ref), undefined, { signal });
    return stringAt(objectAt(object, 'metadata'), 'uid');
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
