import { type Fact, known, unknown } from '../objects/fact.ts';
import { ApiError, problemOf } from './api-error.ts';

/** What was read; unknown, and why, where it may not be read or the API server does not answer. */
export async function seen<T>(what: string, read: () => Promise<T>): Promise<Fact<T>> {
  try {
    return known(await read());
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error; // a bug
    return unknown(`${what} ${reasonOf(error)}`);
  }
}

/** The same of an object that may be absent. */
export function seenIfThere<T>(what: string, read: () => Promise<T>): Promise<Fact<T | undefined>> {
  return seen(what, () =>
    read().catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }),
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 403) return 'may not be read: permission missing';
  return `could not be read (${problemOf(error).code})`;
}
