import { ApiException } from '@kubernetes/client-node';
import type { Write } from './certificates-api.ts';
import { CertificatesError } from './certificates-error.ts';

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const CONFLICT = 409;

/** The answer, or undefined where there is no such object; rejects with a CertificatesError. */
export async function found<T>(action: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiException && error.code === NOT_FOUND) return undefined;
    throw failure(action, error);
  }
}

/** A conflict, and an object that is gone, are both a race that somebody else won; rejects with a CertificatesError. */
export async function written(action: string, call: () => Promise<unknown>): Promise<Write> {
  try {
    await call();
    return 'written';
  } catch (error) {
    if (error instanceof ApiException && (error.code === CONFLICT || error.code === NOT_FOUND)) return 'lost';
    throw failure(action, error);
  }
}

function failure(action: string, cause: unknown): CertificatesError {
  if (!(cause instanceof ApiException)) {
    const message = `could not ${action}: check that the API server can be reached`;
    return new CertificatesError('API_FAILED', message, { cause });
  }
  const said = saidBy(cause.body);
  if (cause.code === UNAUTHORIZED || cause.code === FORBIDDEN) {
    const message = `the API server does not let us ${action}: compare our roles with manifests/${said}`;
    return new CertificatesError('API_REFUSED', message, { cause });
  }
  const message = `could not ${action}: the API server answered ${cause.code}${said}`;
  return new CertificatesError('API_FAILED', message, { cause });
}

/** The message of the Status that an API server sends, in brackets; nothing where somebody else answered. */
function saidBy(body: unknown): string {
  try {
    const message: unknown = typeof body === 'string' ? Reflect.get(JSON.parse(body), 'message') : undefined;
    return typeof message === 'string' ? ` (${message})` : '';
  } catch {
    return '';
  }
}
