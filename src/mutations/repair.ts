import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { forecast } from '../forecast/forecast.ts';
import type { Outcomes } from '../forecast/outcome.ts';
import { waitsForOldPodsThatStay } from '../forecast/reasons.ts';
import type { Fact } from '../objects/fact.ts';
import { type JsonObject, objectAt, stringMapAt } from '../objects/json.ts';
import { PREFIX } from '../objects/metadata.ts';
import type { Workload } from '../objects/workload.ts';
import { type Declared, declaredInManifest } from './declared.ts';
import { type JsonPatchOperation, setAt } from './json-patch.ts';
import { podAffinityPatch, withPodAffinity } from './pod-affinity.ts';
import { hasLeftOverRollingUpdate, recreatePatch, withRecreate } from './recreate.ts';

export const MUTATE_LABEL = `${PREFIX}mutate`;
export const MUTATED_ANNOTATION = `${PREFIX}mutated`;

export const MUTATE_VALUES = ['recreate', 'pod-affinity', 'auto'] as const;

export type MutateValue = (typeof MUTATE_VALUES)[number];

export type Mutation = 'recreate' | 'pod-affinity' | 'drop-rolling-update';

/** What was done to an object, and what the user has to know of it. */
export interface Repair {
  readonly mutation: Mutation;
  readonly patch: readonly JsonPatchOperation[];
  /** Whether the manifest sets the field that was changed, so that GitOps tools will see a difference. */
  readonly declared: Declared;
}

/** What the namespace asks for; `undefined` where the label is absent, unreadable or none of the values. */
export function mutateValueFrom(labels: Fact<ReadonlyMap<string, string>>): MutateValue | undefined {
  const text = labels.known ? labels.value.get(MUTATE_LABEL) : undefined;
  return MUTATE_VALUES.find((value) => value === text);
}

/** What to tell the user about a label that asks for something that there is not. */
export function mutateProblem(labels: Fact<ReadonlyMap<string, string>>): string | undefined {
  const text = labels.known ? labels.value.get(MUTATE_LABEL) : undefined;
  if (text === undefined || mutateValueFrom(labels) !== undefined) return undefined;
  return `namespace label ${MUTATE_LABEL}=${text} is none of ${MUTATE_VALUES.join(', ')}; nothing is repaired`;
}

/**
 * The change that ends what is certain to go wrong, or `undefined` where nothing is, or where no change would help. The
 * same object and cluster always give the same answer, and a repaired object needs no repair.
 */
export function repairOf(
  facts: WorkloadFacts,
  object: JsonObject,
  wanted: MutateValue,
  previous: JsonObject | undefined,
): Repair | undefined {
  const armed = rolling(facts.workload);
  const now = outcomesOf(facts, armed);
  const mutation = candidates(facts, wanted, previous).find((candidate) =>
    ends(candidate, now, outcomesOf(facts, repaired(armed, candidate, object))),
  );
  if (mutation !== undefined) return repairBy(mutation, object);
  return hasLeftOverRollingUpdate(object) ? repairBy('drop-rolling-update', object) : undefined;
}

/** The workload as it will be once it runs: a paused or empty Deployment is repaired before someone starts it. */
function rolling(workload: Workload): Workload {
  return { ...workload, paused: false, replicas: Math.max(workload.replicas, 1) };
}

function outcomesOf(facts: WorkloadFacts, workload: Workload): Outcomes {
  return forecast({ ...facts, workload }).certain;
}

/** Recreate is asked to end the rollout's trouble only: it cannot bring replicas together. */
function ends(mutation: Mutation, now: Outcomes, then: Outcomes): boolean {
  if (mutation === 'recreate') return isBlocked(now) && !isBlocked(then);
  return (isBlocked(now) || now.steady.stuck) && !isBlocked(then) && !then.steady.stuck;
}

function isBlocked({ rollout }: Outcomes): boolean {
  return rollout.stuck && rollout.waits.some(waitsForOldPodsThatStay);
}

/** What may help, best first. A claim for one pod is helped by Recreate alone. */
export function candidates(
  facts: WorkloadFacts,
  wanted: MutateValue,
  previous: JsonObject | undefined,
): readonly Exclude<Mutation, 'drop-rolling-update'>[] {
  const recreate = facts.workload.strategy.type === 'Recreate' ? [] : (['recreate'] as const);
  if (facts.claims.some(({ onePod }) => onePod.known && onePod.value)) return recreate;
  switch (wanted) {
    case 'recreate':
      return recreate;
    case 'pod-affinity':
      return ['pod-affinity'];
    case 'auto':
      return mostReplicas(facts) > 1 || hadAffinity(previous) ? ['pod-affinity', ...recreate] : recreate;
    default:
      return wanted satisfies never;
  }
}

/** An affinity once injected stays, because taking it out would roll the pods out again. */
export function hadAffinity(previous: JsonObject | undefined): boolean {
  const annotations = stringMapAt(objectAt(previous, 'metadata'), 'annotations');
  return annotations.get(MUTATED_ANNOTATION) === 'pod-affinity';
}

/** The workload as the mutation would make it. */
export function repaired(workload: Workload, mutation: Mutation, object: JsonObject): Workload {
  return mutation === 'pod-affinity' ? withPodAffinity(workload, object) : withRecreate(workload);
}

function repairBy(mutation: Mutation, object: JsonObject): Repair {
  const field = mutation === 'pod-affinity' ? ['spec', 'template', 'spec', 'affinity'] : ['spec', 'strategy'];
  const annotation = setAt(object, ['metadata', 'annotations', MUTATED_ANNOTATION], mutation);
  return {
    mutation,
    patch: [...changesOf(mutation, object), annotation],
    declared: declaredInManifest(object, field),
  };
}

/** What a mutation changes, without the note of it; a strategy that would be refused does not stay either. */
export function changesOf(mutation: Mutation, object: JsonObject): readonly JsonPatchOperation[] {
  if (mutation !== 'pod-affinity') return recreatePatch(object);
  return [...(hasLeftOverRollingUpdate(object) ? recreatePatch(object) : []), ...podAffinityPatch(object)];
}

/** The larger of what is asked for now and what an autoscaler may ask for. */
function mostReplicas({ workload, autoscaledTo }: WorkloadFacts): number {
  return Math.max(workload.replicas, autoscaledTo.known ? autoscaledTo.value : 0);
}
