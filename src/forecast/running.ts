import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { podsThatStay, waitsForOldPods } from './rolling-update.ts';
import type { Crowd, OldPods } from './topology.ts';

/** What there is to know about the pods that run already. */
export interface Running {
  /** Their template and claims, where a new one replaces it. */
  readonly before?: WorkloadFacts | undefined;
  /** The nodes they are on. Then today's cordons count for new pods, and only the rollout in question is looked at. */
  readonly places?: ReadonlySet<string> | undefined;
}

/** The first pod of this workload that comes to those of `other`: of the same before an update, or as it is now. */
export function oldAndNew(facts: WorkloadFacts, other: WorkloadFacts, running: Running): Crowd {
  const { before, places } = running;
  return {
    incoming: facts,
    running: other,
    sameRevision: false,
    staying: Math.max(1, podsThatStay(facts.workload)),
    places,
    weather: countsWeather(facts, running),
    old: other === before || before === undefined ? oldPodsOf(facts, running) : undefined,
  };
}

/**
 * The pods that a new one may find; none that are known without a look at what runs. A Deployment gets its new number of pods
 * first, and the new template after that (`pkg/controller/deployment/deployment_controller.go:isScalingEvent`).
 */
export function oldPodsOf(facts: WorkloadFacts, { before, places }: Running): OldPods | undefined {
  if (before === undefined) return places && { facts, places, count: places.size };
  const { workload } = facts;
  const { kind, replicas } = before.workload;
  const more = kind === 'Deployment' && workload.replicas > replicas;
  const count = waitsForOldPods(workload) ? podsThatStay(workload) : Math.max(workload.replicas, replicas);
  return { facts: before, places: more ? undefined : places, count };
}

/**
 * Where the places of pods are known, today's cordons count for those that come, but for the pods of a DaemonSet, which
 * tolerate them (`pkg/controller/daemon/util/daemonset_util.go:AddOrUpdateDaemonPodTolerations`).
 */
export function countsWeather({ workload }: WorkloadFacts, { places }: Running): boolean {
  return places !== undefined && !workload.onEveryNode;
}
