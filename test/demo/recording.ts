import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What one command made a real API server send to the webhook, and what kubectl printed. */
export interface Recording {
  readonly reviews: readonly RecordedReview[];
  readonly stdout: string;
  readonly stderr: string;
}

export interface RecordedReview {
  /** The webhook entry that the API server called. */
  readonly entry: string;
  readonly body: { readonly request: RecordedRequest };
}

/** As much of a request as it takes to say what kubectl would say. */
export interface RecordedRequest {
  readonly uid: string;
  readonly operation: string;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly subResource?: string;
  readonly resource: { readonly group: string; readonly resource: string };
}

export const CLUSTER = join(import.meta.dirname, 'cluster');
export const MANIFESTS = join(import.meta.dirname, 'manifests');

export async function readRecording(id: string): Promise<Recording> {
  return JSON.parse(await readFile(fileOf(id), 'utf8'));
}

export async function writeRecording(id: string, recording: Recording): Promise<void> {
  await writeFile(fileOf(id), `${JSON.stringify(recording, undefined, 2)}\n`);
}

function fileOf(id: string): string {
  return join(import.meta.dirname, 'recorded', `${id}.json`);
}

/** The path at which the server answers for an entry. */
export function pathOf(entry: string): string {
  return entry.startsWith('mutate.') ? '/mutate' : '/validate';
}
