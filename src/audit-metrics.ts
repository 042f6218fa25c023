import { Counter, Gauge, type Registry } from 'prom-client';
import type { AuditState } from './audit/audit.ts';
import { rules } from './rules/index.ts';

export interface AuditMetricsSources {
  /** `undefined` where there is no audit. */
  readonly state: () => AuditState | undefined;
  /** What a namespace is called in a label; absent where none is to be told. */
  readonly labelOf: ((namespace: string) => string) | undefined;
}

/** Gauges of what the audit finds, which the process alone has that leads, and of how it is doing. */
export function auditMetrics(registry: Registry, { state, labelOf }: AuditMetricsSources): void {
  const registers = [registry];
  new Gauge({
    name: 'rwo_guard_audit_findings',
    help: 'What is wrong with the objects of the cluster now, where this process leads the audit',
    labelNames: ['rule', 'severity'],
    registers,
    collect() {
      this.reset();
      const now = state();
      if (now?.leads !== true) return;
      for (const { meta } of rules) this.set({ rule: meta.id, severity: meta.severity }, 0);
      for (const { rule, severity, count } of now.findings) this.inc({ rule, severity }, count);
    },
  });
  if (labelOf !== undefined) {
    new Gauge({
      name: 'rwo_guard_audit_namespace_findings',
      help: 'The same by namespace, as far as the setting metricsNamespaces names them',
      labelNames: ['resource_namespace', 'rule', 'severity'],
      registers,
      collect() {
        this.reset();
        for (const { namespace, rule, severity, count } of state()?.findings ?? []) {
          this.inc({ resource_namespace: labelOf(namespace), rule, severity }, count);
        }
      },
    });
  }
  gauge('leader', '1 where this process leads the audit', ({ leads }) => Number(leads));
  gauge('pending_objects', 'Changes and objects that the audit has not looked at yet', ({ pending }) => pending);
  gauge('last_judged_timestamp_seconds', 'When the audit judged an object last', ({ lastJudgedAt }) =>
    lastJudgedAt === undefined ? undefined : lastJudgedAt / 1000,
  );
  new Counter({
    name: 'rwo_guard_audit_errors_total',
    help: 'What the audit could not do: hold the lease, judge an object, write Events or Reports',
    labelNames: ['what'],
    registers,
    collect() {
      this.reset();
      for (const [what, times] of state()?.errors ?? []) this.inc({ what }, times);
    },
  });

  function gauge(name: string, help: string, value: (state: AuditState) => number | undefined): void {
    new Gauge({
      name: `rwo_guard_audit_${name}`,
      help,
      registers,
      collect() {
        const now = state();
        const found = now && value(now);
        if (found === undefined) this.remove();
        else this.set(found);
      },
    });
  }
}
