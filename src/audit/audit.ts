import type { ListName } from '../objects/kinds.ts';
import { Auditor, type AuditorOptions } from './auditor.ts';
import { EventWriter } from './event-writer.ts';
import type { FindingCount } from './found.ts';
import { LeaderElection, type LeaderElectionOptions } from './leader-election.ts';
import { ReportWriter } from './report-writer.ts';
import type { TellerOptions } from './teller.ts';

export interface AuditOptions
  extends Omit<AuditorOptions, 'failed'>,
    Pick<LeaderElectionOptions, 'lease' | 'identity'>,
    Pick<TellerOptions, 'api'> {
  /** What is written beside the metrics. */
  readonly writes: { readonly events: boolean; readonly openReports: boolean };
}

/** How the audit is doing, for the metrics. */
export interface AuditState {
  readonly leads: boolean;
  /** None where another process leads. */
  readonly findings: readonly FindingCount[];
  readonly pending: number;
  /** In milliseconds since 1970. */
  readonly lastJudgedAt: number | undefined;
  /** How often something failed. */
  readonly errors: ReadonlyMap<AuditedFailure, number>;
}

/** What may fail. */
export type AuditedFailure = (typeof FAILURES)[number];

const FAILURES = ['lease', 'judging', 'events', 'reports'] as const;

/** Tells what is wrong with objects that were applied before, while one of all replicas leads. */
export class Audit {
  readonly #options: AuditOptions;
  readonly #election: LeaderElection;
  readonly #errors = new Map<AuditedFailure, number>(FAILURES.map((what) => [what, 0]));
  readonly #stopping = new AbortController();
  #auditor: Auditor | undefined;
  #running: Promise<void> | undefined;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#election = new LeaderElection({ ...options, failed: this.#failed });
  }

  /** Called for every event of every watch. */
  changed(list: ListName, key: string): void {
    this.#auditor?.changed(list, key);
  }

  start(): void {
    this.#running ??= this.#election.run((term) => this.#lead(term), this.#stopping.signal);
  }

  /** Gives the lease back; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  state(): AuditState {
    const auditor = this.#auditor;
    return {
      leads: this.#election.leads,
      findings: auditor?.counts() ?? [],
      pending: auditor?.pending ?? 0,
      lastJudgedAt: auditor?.lastJudgedAt,
      errors: this.#errors,
    };
  }

  /** Each term begins with nothing: what an earlier leader told is read again, what it found is found again. */
  async #lead(term: AbortSignal): Promise<void> {
    const { writes, identity } = this.#options;
    const auditor = new Auditor({ ...this.#options, failed: this.#failed });
    const told: TellerOptions = {
      ...this.#options,
      instance: identity,
      failed: this.#failed,
      judgeAgain: (refs) => auditor.judgeAgain(refs),
      found: () => auditor.found(),
    };
    const tellers = [
      ...(writes.events ? [new EventWriter(told)] : []),
      ...(writes.openReports ? [new ReportWriter(told)] : []),
    ];
    this.#auditor = auditor;
    try {
      await Promise.all([auditor.run(tellers, term), ...tellers.map((teller) => teller.run(term))]);
    } finally {
      this.#auditor = undefined;
    }
  }

  readonly #failed = (what: AuditedFailure): void => {
    this.#errors.set(what, (this.#errors.get(what) ?? 0) + 1);
  };
}
