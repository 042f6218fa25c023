import { MODE_LABEL, MODES } from '../decision/mode.ts';
import type { ScannedNamespace } from '../report/scan-report.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { ReportedStanding } from './report.ts';

/** What was found in one object. */
interface Counted extends Pick<ReportedStanding, 'findings' | 'open'> {
  readonly isWorkload: boolean;
}

/** Never asked about by the API server: the webhook's manifests leave them out. */
const LEFT_OUT: ReadonlySet<string> = new Set(['kube-system', 'kube-node-lease']);

/** Counts by namespace what would become of its objects if it enforced. */
export class Namespaces {
  readonly #snapshot: Pick<ClusterSnapshot, 'get'>;
  readonly #teamLabel: string;
  readonly #counts = new Map<string, { workloads: number; denied: number; warned: number; open: number }>();

  constructor(snapshot: Pick<ClusterSnapshot, 'get'>, teamLabel: string) {
    this.#snapshot = snapshot;
    this.#teamLabel = teamLabel;
  }

  count(namespace: string, { isWorkload, findings, open }: Counted): void {
    const counts = this.#counts.get(namespace) ?? { workloads: 0, denied: 0, warned: 0, open: 0 };
    const isAsked = findings.length > 0 && !LEFT_OUT.has(namespace);
    const isDenied = findings.some(({ severity }) => severity === 'error');
    if (isWorkload) counts.workloads++;
    if (isAsked && isDenied) counts.denied++;
    if (isAsked && !isDenied) counts.warned++;
    if (open.length > 0) counts.open++;
    this.#counts.set(namespace, counts);
  }

  /** By name. */
  all(): readonly ScannedNamespace[] {
    return [...this.#counts]
      .map(([name, counts]) => ({ name, ...this.#labelsOf(name), ...counts }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  #labelsOf(name: string): Pick<ScannedNamespace, 'team' | 'mode'> {
    if (LEFT_OUT.has(name)) return { mode: 'off' };
    const found = this.#snapshot.get('Namespace', '', name);
    if (!found.known || found.value === undefined) return {};
    const { labels } = found.value;
    const mode = MODES.find((candidate) => candidate === labels.get(MODE_LABEL));
    return { team: labels.get(this.#teamLabel), mode: mode ?? 'default' };
  }
}
