import { createHash } from 'node:crypto';
import { ApiError } from '../cluster/api-error.ts';
import { type JsonObject, objectAt, stringAt } from '../objects/json.ts';
import { isKind } from '../objects/kinds.ts';
import { PREFIX } from '../objects/metadata.ts';
import { idOf } from '../objects/object-key.ts';
import { type OpenReport, openReportsOf, REPORT_LABELS, reportName } from '../report/openreports.ts';
import { ask, listed, uidOf } from './api.ts';
import { isFound, type JudgedObject } from './found.ts';
import type { Reported } from './reported.ts';
import { type AuditedRef, isAuditedKind } from './standing-objects.ts';
import type { Teller, TellerOptions } from './teller.ts';
import { Writing } from './writing.ts';

const REPORTS = '/apis/openreports.io/v1alpha1';

/** Tells what a Report says, but for when: two leaders that find the same write it once. */
const DIGEST_ANNOTATION = `${PREFIX}digest`;

/** How often there is a look for the kind of Reports, which somebody may install later. */
const LOOK_MS = 10_000;

/** Keeps one Report of OpenReports for each object of which anything is found, in clusters that have the kind. */
export class ReportWriter implements Teller {
  readonly #options: TellerOptions;
  readonly #writing: Writing;
  /** The digest of each object's Report. */
  readonly #written = new Map<string, string>();
  /** Whether the API server serves Reports, as far as it said last. */
  #isServed = false;

  constructor(options: TellerOptions) {
    this.#options = options;
    this.#writing = new Writing({ ...options, what: 'reports' });
  }

  judged(object: JudgedObject): void {
    if (this.#isServed && (isFound(object) || this.#written.has(idOf(object.ref)))) this.#writing.add(object);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#untilServed(signal);
      const absent = new AbortController();
      const either = AbortSignal.any([signal, absent.signal]);
      await this.#writing.run((object) => this.#writeWhile(absent, object, signal), either);
    }
  }

  /** Reads what is there already, as soon as there is anything to read. */
  async #untilServed(signal: AbortSignal): Promise<void> {
    const { api, time, found, judgeAgain } = this.#options;
    this.#isServed = false;
    while (!signal.aborted && !this.#isServed) {
      const reports = await this.#writing.attempt(
        () => unless404(listed(api, `${REPORTS}/reports`, REPORT_LABELS, signal)),
        signal,
      );
      if (Array.isArray(reports)) {
        this.#isServed = true;
        judgeAgain(this.#read(reports));
        for (const object of found()) this.judged(object);
      } else if (reports !== 'later') await time.sleep(LOOK_MS, signal);
    }
  }

  #read(reports: readonly JsonObject[]): readonly AuditedRef[] {
    this.#written.clear();
    return reports.flatMap((report) => {
      const scope = objectAt(report, 'scope');
      const kind = stringAt(scope, 'kind');
      const [namespace, name] = [stringAt(scope, 'namespace'), stringAt(scope, 'name')];
      if (!isKind(kind) || !isAuditedKind(kind) || namespace === undefined || name === undefined) return [];
      const ref = { kind, namespace, name };
      const annotations = objectAt(objectAt(report, 'metadata'), 'annotations');
      this.#written.set(idOf(ref), stringAt(annotations, DIGEST_ANNOTATION) ?? '');
      return [ref];
    });
  }

  /** Where a Report has no place, either its namespace is gone, which is no matter any more, or the kind is. */
  async #writeWhile(absent: AbortController, object: JudgedObject, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#write(object, signal);
    } catch (error) {
      if (!is404(error)) throw error;
      const one = ask(this.#options.api, 'GET', `${REPORTS}/reports`, undefined, { signal, query: { limit: '1' } });
      if ((await unless404(one)) === undefined) absent.abort();
      return true;
    }
  }

  async #write(object: JudgedObject, signal: AbortSignal): Promise<boolean> {
    const { api } = this.#options;
    const { ref, reported } = object;
    const id = idOf(ref);
    const path = `${REPORTS}/namespaces/${encodeURIComponent(ref.namespace)}/reports/${encodeURIComponent(reportName(ref))}`;
    if (reported === undefined || !isFound(object)) {
      if (!this.#written.has(id)) return false;
      await unless404(ask(api, 'DELETE', path, undefined, { signal }));
      this.#written.delete(id);
      return true;
    }
    const digest = digestOf(reported, object.uid);
    if (this.#written.get(id) === digest) return false;
    const uid = await uidOf(api, object, signal);
    const [report] = uid === undefined ? [] : this.#reportsOf(reported, uid);
    if (report === undefined) return false;
    const { metadata } = report;
    const body = { ...report, metadata: { ...metadata, annotations: { [DIGEST_ANNOTATION]: digest } } };
    await ask(api, 'PATCH', path, body, { signal, query: APPLIED, contentType: 'application/apply-patch+yaml' });
    this.#written.set(id, digest);
    return true;
  }

  #reportsOf(reported: Reported, uid: string): readonly OpenReport[] {
    const foundAt = Math.floor(this.#options.time.now() / 1000);
    return openReportsOf(reported, { foundAt, uidOf: () => uid });
  }
}

const APPLIED = { fieldManager: 'rwo-guard', force: 'true' };

function digestOf(reported: Reported, uid: string | undefined): string {
  const reports = openReportsOf(reported, { foundAt: 0 });
  return createHash('sha256')
    .update(JSON.stringify([uid, reports]))
    .digest('hex')
    .slice(0, 32);
}

function is404(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

async function unless404<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (is404(error)) return undefined;
    throw error;
  }
}
