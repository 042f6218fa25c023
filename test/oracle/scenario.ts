import type { V1CSIDriver, V1Node, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { bystanderOf } from './bystander.ts';
import { draftOf, type NodeChange } from './draft.ts';
import { autoscalerOf, neighbourOf } from './neighbour.ts';
import type { Action, Plan } from './plan.ts';
import { addStorage } from './storage.ts';
import { TRAITS } from './traits/traits.ts';
import { workloadOf } from './workload.ts';

/** An autoscaler scales what nobody asks for, so that the forecast is about what runs. */
export type Act = Action | 'autoscale';

/** The manifests of a scenario, and the order in which they come. */
export interface Scenario {
  readonly plan: Plan;
  readonly namespace: string;
  /** Namespace, drivers, classes, volumes and claims. */
  readonly setting: readonly KubernetesObject[];
  readonly claims: readonly V1PersistentVolumeClaim[];
  readonly drivers: readonly V1CSIDriver[];
  readonly nodes: readonly V1Node[];
  /** Another workload with the same disk, which comes first and stays. */
  readonly neighbour: KubernetesObject | undefined;
  /** A workload without the disk, which comes when the pods run. */
  readonly bystander: KubernetesObject | undefined;
  /** Who asks for the scale, where it is nobody in person. */
  readonly autoscaler: KubernetesObject | undefined;
  /** What runs when the action comes; nothing where the workload is only just made. */
  readonly running: KubernetesObject | undefined;
  /** Updates that start nothing, before the one that is judged. */
  readonly preludes: readonly KubernetesObject[];
  /** What happens to nodes in between. */
  readonly weather: readonly NodeChange[];
  readonly action: Act;
  /** The workload as it is asked for: the forecast is about this. */
  readonly wanted: KubernetesObject;
  /** The rollout after that, for an update that does more than start one, or less. */
  readonly next: KubernetesObject | undefined;
  /** The update changes no template, so that only the rollout after it shows what it is worth. */
  readonly startsNothing: boolean;
}

/** What a scenario is without that only the creation of its workload is played. */
export const ALONE = {
  running: undefined,
  bystander: undefined,
  preludes: [],
  weather: [],
  action: 'create',
  next: undefined,
} as const;

export function scenarioOf(plan: Plan): Scenario {
  const draft = draftOf(plan);
  addStorage(draft, plan.storage);
  for (const [name, trait] of TRAITS) {
    for (const choice of plan.traits) {
      if (choice.trait === name) trait.variants[choice.variant]?.(draft);
    }
  }
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: draft.namespace, labels: draft.namespaceLabels },
  };
  return {
    plan,
    namespace: draft.namespace,
    setting: [namespace, ...draft.drivers, ...draft.classes, ...draft.volumes, ...draft.claims],
    claims: draft.claims,
    drivers: draft.drivers,
    nodes: draft.nodes,
    weather: draft.weather,
    neighbour: neighbourOf(draft),
    bystander: bystanderOf(draft),
    autoscaler: autoscalerOf(draft),
    action: draft.maximum === undefined ? plan.action : 'autoscale',
    startsNothing: draft.onlyStrategyChanges,
    ...workloadOf(draft),
  };
}
