import { readFile } from 'node:fs/promises';

/** The fields of an audit event that tests look at. */
export interface AuditEvent {
  readonly verb: string;
  readonly stage: string;
  readonly user: {
    readonly username: string;
    readonly groups?: readonly string[];
    /** Tells tokens of one account apart, by `authentication.kubernetes.io/credential-id`. */
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string; readonly reason?: string };
  /** Those of admission webhooks are here, as `<webhook>/<key>`. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Everything that the API server has written down so far, oldest first. */
export async function readAuditLog(file: string): Promise<readonly AuditEvent[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  // The last piece is empty, or an event that is being written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as AuditEvent);
}
