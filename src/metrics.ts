import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observation } from './admission/admission.ts';
import type { AuditState } from './audit/audit.ts';
import { auditMetrics } from './audit-metrics.ts';
import { JUDGED_KINDS } from './objects/kinds.ts';
import { matchesName } from './objects/name-pattern.ts';
import { type Exposition, expositionFor } from './open-metrics.ts';

/** How the watch of one list is doing. */
export interface WatchStats {
  readonly list: string;
  readonly synced: boolean;
  readonly objects: number;
  readonly restarts: number;
  readonly relists: number;
  /** Seconds since anything was heard of the list; `undefined` while nothing was. */
  readonly lastEventAgeSeconds: number | undefined;
  /** Whether nothing was heard for so long that findings only warn. */
  readonly stale: boolean;
}

/** What is served over TLS, as far as an alert wants to know. */
export interface CertificateState {
  readonly expires: Date | undefined;
  /** Whether clients verify what is served with the `caBundle` in force; `undefined` where there is none to compare. */
  readonly caBundleInSync: boolean | undefined;
}

/** What the gauges read at every scrape. */
export interface MetricsSources {
  readonly version: string;
  readonly watches: () => readonly WatchStats[];
  readonly certificate: () => CertificateState;
  /** Names, exact or with a trailing `*`, of the namespaces that become a label of findings; no label where there are none. */
  readonly namespaces: readonly string[];
  /** `undefined` where there is no audit. */
  readonly audit?: () => AuditState | undefined;
}

export interface Metrics {
  /** All of them as text, in a format that the `Accept` header asks for. */
  readonly exposition: (accept: string) => Promise<Exposition>;
  observe(observation: Observation, seconds: number): void;
  /** A request that got no answer, so that its `failurePolicy` decided. */
  unanswered(webhook: Observation['webhook']): void;
  lookedUp(source: string, result: string): void;
  /** A connection or a body that had to go because there were too many. */
  cutOff(what: 'connection' | 'body'): void;
}

/** A registry of its own for every call, so that two servers in one process do not share their numbers. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  processMetrics(registry);
  buildInfo(registry, sources.version);
  watchMetrics(registry, sources.watches);
  certificateMetrics(registry, sources.certificate);
  const { namespaces, audit } = sources;
  if (audit !== undefined)
    auditMetrics(registry, { state: audit, labelOf: namespaces.length > 0 ? namespaceLabels(namespaces) : undefined });
  const exposition = (accept: string) => expositionFor(accept, registry);
  return {
    exposition,
    ...admissionMetrics(registry, sources.namespaces),
    ...lookupMetrics(registry),
    ...limitMetrics(registry),
  };
}

/** A review takes well under a millisecond; one that has to ask the API server takes some, and its timeout is 3 s. */
const DURATION_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3];

/** Kinds that webhook configurations of ours name. Anybody may send others, and must not grow the registry with them. */
const KINDS: ReadonlySet<string> = new Set([...JUDGED_KINDS, 'Scale', 'Node', 'VolumeAttachment', 'Pod']);

/** A subresource is named after a slash, and has a kind of its own where it matters. */
function kindLabel(kind: string): string {
  const [name = ''] = kind.split('/');
  return KINDS.has(name) ? name : 'other';
}

const OPERATIONS: ReadonlySet<string> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** Each has the series of all rules and modes, so that this many are some thousands at most. */
const MOST_NAMESPACES = 100;

/** Stands for all namespaces without a label of their own, and is no name that one can have. */
const OTHER_NAMESPACES = '_other';

/** A label for a namespace: its name if the setting has it and there is room, and never a text that is no name of one. */
function namespaceLabels(patterns: readonly string[]): (namespace: string) => string {
  const told = new Set<string>();
  const isTold = (name: string): boolean =>
    told.size < MOST_NAMESPACES &&
    /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name) &&
    patterns.some((pattern) => matchesName(pattern, name));
  return (namespace) => {
    if (told.has(namespace)) return namespace;
    if (!isTold(namespace)) return OTHER_NAMESPACES;
    told.add(namespace);
    return namespace;
  };
}

function findingMetrics(registry: Registry, namespaces: readonly string[]): (observation: Observation) => void {
  const byNamespace = namespaces.length > 0;
  const labelOf = namespaceLabels(namespaces);
  const findings = new Counter({
    name: 'rwo_guard_findings_total',
    help: 'Findings in the reviews that were answered, by what became of them',
    labelNames: ['rule', 'severity', 'mode', 'outcome', ...(byNamespace ? ['resource_namespace'] : [])],
    registers: [registry],
  });
  return ({ findings: found, mode = '', namespace }) => {
    for (const finding of found) {
      // Prometheus calls the namespace of our own pod `namespace`.
      findings.inc({ ...finding, mode, ...(byNamespace && { resource_namespace: labelOf(namespace) }) });
    }
  };
}

function admissionMetrics(registry: Registry, namespaces: readonly string[]): Pick<Metrics, 'observe' | 'unanswered'> {
  const registers = [registry];
  const requests = new Counter({
    name: 'rwo_guard_admission_requests_total',
    help: 'Reviews by what they came to; the verdict "unanswered" left it to the failurePolicy',
    labelNames: ['webhook', 'kind', 'operation', 'verdict', 'dry_run'],
    registers,
  });
  const duration = new Histogram({
    name: 'rwo_guard_admission_duration_seconds',
    help: 'Time from the body of a review to its answer',
    buckets: DURATION_BUCKETS,
    registers,
  });
  const countFindings = findingMetrics(registry, namespaces);
  const mutations = new Counter({
    name: 'rwo_guard_mutations_total',
    help: 'Objects that were repaired on their way in',
    labelNames: ['mutation'],
    registers,
  });
  const exemptions = new Counter({
    name: 'rwo_guard_exemptions_total',
    help: 'Rules that found something and did not count, because the object carries rwo-guard.dev/ignore',
    labelNames: ['webhook', 'rule'],
    registers,
  });
  const overBudget = new Counter({
    name: 'rwo_guard_over_budget_total',
    help: 'Reviews that would have taken more steps than one has, so that something was not judged',
    labelNames: ['webhook'],
    registers,
  });
  // Prometheus sees an increase only where there was a number before, and here the first one matters.
  for (const webhook of ['validate', 'mutate']) overBudget.inc({ webhook }, 0);
  return {
    observe(observation, seconds) {
      const { webhook, kind, operation, verdict, dryRun } = observation;
      requests.inc({
        webhook,
        kind: kindLabel(kind),
        operation: OPERATIONS.has(operation) ? operation : 'other',
        verdict,
        dry_run: String(dryRun),
      });
      duration.observe(seconds);
      countFindings(observation);
      for (const { rules } of observation.exempted) for (const rule of rules) exemptions.inc({ webhook, rule });
      for (const mutation of observation.mutations) mutations.inc({ mutation });
      if (observation.overBudget) overBudget.inc({ webhook });
    },
    unanswered(webhook) {
      requests.inc({ webhook, kind: 'other', operation: 'other', verdict: 'unanswered', dry_run: 'false' });
    },
  };
}

function lookupMetrics(registry: Registry): Pick<Metrics, 'lookedUp'> {
  const lookups = new Counter({
    name: 'rwo_guard_lookups_total',
    help: 'Look-ups of objects that the watched state did not have',
    labelNames: ['source', 'result'],
    registers: [registry],
  });
  return { lookedUp: (source, result) => lookups.inc({ source, result }) };
}

function limitMetrics(registry: Registry): Pick<Metrics, 'cutOff'> {
  const cutOff = new Counter({
    name: 'rwo_guard_cut_off_total',
    help: 'Connections and bodies that were closed because there were too many at once, the one unused for longest first',
    labelNames: ['what'],
    registers: [registry],
  });
  return { cutOff: (what) => cutOff.inc({ what }) };
}

/** Gauges that are called `_total`, as counters are, and tell nothing of this server that the others do not. */
const MISNAMED = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

/** What prom-client knows of the process, the event loop and the collector of garbage. */
function processMetrics(register: Registry): void {
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
}

function buildInfo(registry: Registry, version: string): void {
  new Gauge({
    name: 'rwo_guard_build_info',
    help: 'Always 1; its label tells the version',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
}

function watchMetrics(registry: Registry, watches: MetricsSources['watches']): void {
  const common = { labelNames: ['list'], registers: [registry] };
  gauge('synced', '1 once the list is complete', (stats) => Number(stats.synced));
  gauge('objects', 'Objects that are kept', (stats) => stats.objects);
  gauge('last_event_age_seconds', 'Time since anything was heard of the list', (stats) => stats.lastEventAgeSeconds);
  gauge('stale', '1 while nothing is heard of the list, so that findings warn and do not deny', ({ stale }) =>
    Number(stale),
  );
  counter('restarts_total', 'Watches that had to be opened again', (stats) => stats.restarts);
  counter('relists_total', 'Lists that had to be read again', (stats) => stats.relists);

  function gauge(name: string, help: string, value: (stats: WatchStats) => number | undefined): void {
    new Gauge({
      ...common,
      name: `rwo_guard_watch_${name}`,
      help,
      collect() {
        this.reset();
        for (const stats of watches()) {
          const found = value(stats);
          if (found !== undefined) this.set({ list: stats.list }, found);
        }
      },
    });
  }

  function counter(name: string, help: string, value: (stats: WatchStats) => number): void {
    new Counter({
      ...common,
      name: `rwo_guard_watch_${name}`,
      help,
      collect() {
        this.reset();
        for (const stats of watches()) this.inc({ list: stats.list }, value(stats));
      },
    });
  }
}

function certificateMetrics(registry: Registry, certificate: MetricsSources['certificate']): void {
  gauge('certificate_expiry_timestamp_seconds', 'When the certificate that is served expires', ({ expires }) =>
    expires === undefined ? undefined : expires.getTime() / 1000,
  );
  gauge('ca_bundle_in_sync', '1 while what is served verifies with the caBundle in force', ({ caBundleInSync }) =>
    caBundleInSync === undefined ? undefined : Number(caBundleInSync),
  );

  function gauge(name: string, help: string, value: (state: CertificateState) => number | undefined): void {
    new Gauge({
      name: `rwo_guard_${name}`,
      help,
      registers: [registry],
      collect() {
        const found = value(certificate());
        // What is not known has no sample: a gauge without labels would start at 0, which is an expiry in 1970.
        if (found === undefined) this.remove();
        else this.set(found);
      },
    });
  }
}
