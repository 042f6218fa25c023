import type { PodFacts } from '../facts/workload-facts.ts';
import type { LabelledPod } from '../objects/pod-affinity.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import { labelsOfOrdinal, type Workload } from '../objects/workload.ts';

/** A pod that is about to be scheduled, or one that runs already. */
export interface Pod extends LabelledPod {
  readonly template: PodTemplate;
}

/** Of a template; for a CronJob, its runs. `older`: of the template that an update was to replace which hangs. */
export type Revision = 'older' | 'old' | 'new';

type Labels = readonly (readonly [string, string])[];

/** The number of the first of its pods, where they have numbers. */
export function firstOf({ ownClaims }: Workload): number {
  return ownClaims.firstOrdinal;
}

/**
 * The labels of the template, and what controllers add to them. Without a number it is any pod of them. Of a pod whose
 * template says who it is that holds.
 */
export function labelsOf(
  workload: Workload,
  revision: Revision,
  number: number | undefined,
): ReadonlyMap<string, string> {
  const added = [...addedForRun(workload, revision), ...(number === undefined ? [] : addedForPod(workload, number))];
  return new Map([...added, ...workload.template.labels, ...addedForRevision(workload, revision)]);
}

/**
 * The label by which a controller tells pods of one revision from those of another, a hash of all that they are made of
 * (`pkg/controller/deployment/sync.go:getNewReplicaSet`, `pkg/controller/history/controller_history.go`).
 */
function addedForRevision({ kind, metadata }: Workload, revision: Revision): Labels {
  const hash = `${metadata.name}-${revision}`;
  if (kind === 'Deployment') return [['pod-template-hash', hash]];
  return kind === 'StatefulSet' || kind === 'DaemonSet' ? [['controller-revision-hash', hash]] : [];
}

/**
 * What pods of one Job have in common (`pkg/registry/batch/job/strategy.go:generateSelector`). Its UID is not known
 * before it is there, and the name of a CronJob's not before its time: one name stands for each.
 */
function addedForRun({ kind, metadata }: Workload, revision: Revision): Labels {
  if (kind !== 'Job' && kind !== 'CronJob') return [];
  const run = kind === 'Job' ? metadata.name : `${metadata.name}-${revision}`;
  return ['batch.kubernetes.io/job-name', 'job-name', 'batch.kubernetes.io/controller-uid', 'controller-uid'].map(
    (label) => [label, run],
  );
}

/** Of an indexed Job: `pkg/controller/job/indexed_job_utils.go:addCompletionIndexLabel`. */
function addedForPod(workload: Workload, number: number): Labels {
  if (workload.indexed) return [['batch.kubernetes.io/job-completion-index', `${number}`]];
  return workload.kind === 'StatefulSet' ? labelsOfOrdinal(workload, number) : [];
}

/** Any pod of the template. */
export function podOf({ workload, namespaceLabels }: Pick<PodFacts, 'workload' | 'namespaceLabels'>): Pod {
  const { template, metadata } = workload;
  return { template, labels: labelsOf(workload, 'new', undefined), namespace: metadata.namespace, namespaceLabels };
}
