import type { StorageMatrix } from '../facts/storage-backend.ts';
import { RecurringAnswers } from '../forecast/recurring-answers.ts';
import { WORKLOAD_KINDS } from '../objects/kinds.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { Pod } from '../objects/pod.ts';
import { holdsVolumes, type Workload } from '../objects/workload.ts';
import type { ReportedFinding, ReportedOpen } from '../report/report.ts';
import type { ScannedCluster, ScanReport } from '../report/scan-report.ts';
import type { Ignores } from '../rules/configured-ignores.ts';
import { rules } from '../rules/index.ts';
import type { Severity } from '../rules/rule.ts';
import { isOfMaker } from '../snapshot/maker.ts';
import type { StoryBudget } from '../stories/story-budget.ts';
import { claimsByDriver } from './claims-by-driver.ts';
import { Exemptions } from './exemptions.ts';
import { judgeStanding, judgeStandingClaim, type Standings } from './judge-standing.ts';
import { mutatedIn } from './mutated.ts';
import { Namespaces } from './namespaces.ts';
import { compareNames, reportedStanding, worstFirst } from './report.ts';
import type { ScannedObjects } from './scanned-cluster.ts';
import { waitsBeside } from './waiting.ts';
import { worstNode } from './worst-node.ts';

/** What is asked of a cluster. */
export interface ScanOptions {
  /** What people call the cluster, and when it was read. */
  readonly cluster: Pick<ScannedCluster, 'name' | 'readAt'>;
  /** Until when exemptions count, as `2026-12-31`. */
  readonly today: string;
  /** The one namespace to judge; all are, where none is named. */
  readonly namespace: string | undefined;
  readonly matrix: StorageMatrix;
  readonly stories: StoryBudget | undefined;
  readonly ignores: Ignores;
  /** The label of namespaces that names a team. */
  readonly teamLabel: string;
}

/** Judges everything in a cluster that is there, against all rules. The same objects always make the same report. */
export function scan({ state, pods, unseen, unreadable }: ScannedObjects, options: ScanOptions): ScanReport {
  const { cluster, today, namespace, matrix, stories, ignores, teamLabel } = options;
  const judge = { rules, answers: new RecurringAnswers() };
  const by: Standings = { snapshot: state, pods, readAt: cluster.readAt, matrix, judge, stories };
  const isAsked = (object: { readonly namespace: string }): boolean =>
    namespace === undefined || object.namespace === namespace;
  const workloads = workloadsOf(state).filter(({ metadata }) => isAsked(metadata));
  const claims = claimsOf(state).filter(({ metadata }) => isAsked(metadata));
  const exemptions = new Exemptions(ignores, today);
  const told = new Set<Pod>();
  const namespaces = new Namespaces(state, teamLabel);
  const findings: ReportedFinding[] = [];
  const inconclusive: ReportedOpen[] = [];
  for (const workload of workloads) {
    const found = holdsVolumes(workload) ? judgeStanding(workload, by) : [];
    const kept = exemptions.counting(found, workload);
    for (const { waiting } of kept) if (waiting !== undefined) told.add(waiting);
    const { findings: counted, open } = reportedStanding(kept);
    namespaces.count(workload.metadata.namespace, { isWorkload: true, findings: counted, open });
    findings.push(...counted);
    inconclusive.push(...open);
  }
  for (const claim of claims) {
    const found = judgeStandingClaim(claim, by);
    if (found.length === 0) continue;
    const object = { kind: 'PersistentVolumeClaim', metadata: claim.metadata };
    const { findings: counted, open } = reportedStanding(exemptions.counting(found, object));
    namespaces.count(claim.metadata.namespace, { isWorkload: false, findings: counted, open });
    findings.push(...counted);
    inconclusive.push(...open);
  }
  const count = (wanted: Severity): number => findings.filter(({ severity }) => severity === wanted).length;
  const { exempt } = exemptions;
  const nodes = state.nodes();
  const { known: claimsAreKnown } = state.get('PersistentVolumeClaim', '', '');
  return {
    findings: worstFirst(findings),
    inconclusive: inconclusive.toSorted((one, other) => compareNames(one.resource, other.resource)),
    unreadable,
    ignored: exempt.map(({ resource, reason }) => ({ name: resource.name, reason })),
    notes: [...exemptions.problems, ...ignores.stale()],
    summary: {
      objects: workloads.length + claims.length,
      workloads: workloads.length,
      error: count('error'),
      warning: count('warning'),
      info: count('info'),
      ignored: exempt.length,
      inconclusive: inconclusive.length,
    },
    cluster: {
      ...cluster,
      namespace,
      nodes: nodes.known ? nodes.value.size : undefined,
      claims: claimsAreKnown ? claims.length : undefined,
      claimsByDriver: claimsByDriver(claims, state),
    },
    waiting: pods && waitsBeside(told, pods, by, isAsked),
    namespaces: namespaces.all(),
    exempt,
    mutated: mutatedIn(workloads, state),
    worstNode: worstNode(workloads, by),
    unseen,
  };
}

function claimsOf({ tables }: ScannedObjects['state']): readonly PersistentVolumeClaim[] {
  const resource = ({ metadata }: PersistentVolumeClaim) => ({ apiVersion: '', kind: '', ...metadata });
  return [...tables.PersistentVolumeClaim.values()].sort((one, other) => compareNames(resource(one), resource(other)));
}

/** Those that nothing of Kubernetes made, or whose maker is not there, in one order. */
export function workloadsOf(state: ScannedObjects['state']): readonly Workload[] {
  const all = WORKLOAD_KINDS.flatMap((kind) => [...state.tables[kind].values()]);
  return all.filter((workload) => !isOfMaker(workload, state)).toSorted(byName);
}

function byName({ kind, metadata }: Workload, other: Workload): number {
  return compareNames({ apiVersion: '', kind, ...metadata }, { apiVersion: '', kind: other.kind, ...other.metadata });
}
