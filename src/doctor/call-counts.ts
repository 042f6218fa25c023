/** What one API server has counted of its calls of our webhooks since it started. */
export interface CallCounts {
  /** When it started, by which two answers can be told to be of the same one. */
  readonly startedAt: string;
  readonly entries: ReadonlyMap<string, EntryCounts>;
}

export interface EntryCounts {
  readonly requests: number;
  /** Calls that failed, so that the request went through unjudged. */
  readonly failedOpen: number;
  /** Requests that were refused because the call failed. */
  readonly failedClosed: number;
  readonly matchErrors: number;
  /** How many calls took at most so many seconds. */
  readonly within: ReadonlyMap<number, number>;
}

export const NO_CALLS: EntryCounts = { requests: 0, failedOpen: 0, failedClosed: 0, matchErrors: 0, within: new Map() };

/** Every line that counts begins so (`apiserver/pkg/admission/metrics/metrics.go:newAdmissionMetrics`). */
const COUNTED_PREFIX = 'apiserver_admission_';
const STARTED_PREFIX = 'process_start_time_seconds ';

/** Takes the text format of Prometheus line by line, and keeps what is about our webhooks. */
export class CallCounter {
  readonly #entries = new Map<string, EntryCounts>();
  #startedAt = '';

  add(line: string): void {
    if (line.startsWith(COUNTED_PREFIX)) countLine(this.#entries, line);
    else if (line.startsWith(STARTED_PREFIX)) this.#startedAt = line.slice(STARTED_PREFIX.length);
  }

  counted(): CallCounts {
    return { startedAt: this.#startedAt, entries: this.#entries };
  }
}

function countLine(counts: Map<string, EntryCounts>, line: string): void {
  const { metric = '', labels = '', value = '' } = SAMPLE.exec(line)?.groups ?? {};
  const name = labelOf(labels, 'name');
  if (name === undefined || !name.endsWith('.rwo-guard.dev')) return;
  const before = counts.get(name) ?? NO_CALLS;
  const after = added(before, metric, labels, Number(value));
  if (after !== undefined) counts.set(name, after);
}

const SAMPLE = /^apiserver_admission_(?<metric>\w+)\{(?<labels>[^}]*)\} (?<value>\S+)/;

function labelOf(labels: string, name: string): string | undefined {
  return new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1];
}

function added(counts: EntryCounts, metric: string, labels: string, value: number): EntryCounts | undefined {
  switch (metric) {
    case 'webhook_request_total':
      return { ...counts, requests: counts.requests + value };
    case 'webhook_fail_open_count':
      return { ...counts, failedOpen: counts.failedOpen + value };
    case 'webhook_rejection_count':
      if (labelOf(labels, 'error_type') !== 'calling_webhook_error') return undefined;
      return { ...counts, failedClosed: counts.failedClosed + value };
    case 'match_condition_evaluation_errors_total':
      return { ...counts, matchErrors: counts.matchErrors + value };
    case 'webhook_admission_duration_seconds_bucket': {
      const most = Number((labelOf(labels, 'le') ?? '').replace('+Inf', 'Infinity'));
      return { ...counts, within: new Map([...counts.within, [most, (counts.within.get(most) ?? 0) + value]]) };
    }
    default:
      return undefined;
  }
}

/** In how many seconds 99 of 100 calls were over, by the bounds that the API server counts with. */
export function nearlyAllWithin({ within }: EntryCounts): number | undefined {
  const all = within.get(Number.POSITIVE_INFINITY) ?? 0;
  if (all === 0) return undefined;
  const bounds = [...within].sort(([a], [b]) => a - b);
  return bounds.find(([, calls]) => calls >= all * 0.99)?.[0];
}
