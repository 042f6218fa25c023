import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const CHART = join(import.meta.dirname, '../../manifests/helm/rwo-guard');

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The `spec` of the PrometheusRule, which is what a rule file of Prometheus holds. */
export const RULE_FILE: { readonly groups: readonly { readonly rules: readonly AlertingRule[] }[] } = parse(
  readFileSync(join(CHART, 'prometheus-rule/prometheus-rule.yaml'), 'utf8'),
).spec;

export const ALERTS = RULE_FILE.groups.flatMap(({ rules }) => rules);

/** The unit tests of the alerts, for `promtool test rules`. */
export const ALERT_TESTS = ['alerts.yaml', 'alerts-of-months.yaml'].map((name) => join(import.meta.dirname, name));

/** The fields that tests look at. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: DataSource;
  readonly targets?: readonly Target[];
}

export interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: DataSource;
}

interface DataSource {
  readonly type: string;
  readonly uid: string;
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

export const DASHBOARD: Dashboard = JSON.parse(readFileSync(join(CHART, 'grafana-dashboard/rwo-guard.json'), 'utf8'));

/** As Prometheus gets it: Grafana replaces the interval. */
export function sentBy({ expr }: Target): string {
  return expr.replaceAll('$__rate_interval', '5m');
}
