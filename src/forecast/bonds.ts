import type { PodTemplate } from '../objects/pod-template.ts';
import type { Assumption } from './assumption.ts';
import { mayFollowBystander } from './bystanders.ts';
import { firstOf, lastOf, podOf } from './pod-labels.ts';
import { type Crowding, type Pod, spreadsToKeep, topologiesToAvoid, topologiesToShare } from './togetherness.ts';
import { type Crowd, placesToSpread } from './topology.ts';

/** What ties an incoming pod to those that run, and what keeps it from them. */
export interface Bonds {
  /** The topologies of which it has to share a domain. */
  readonly share: readonly string[];
  /** Whether it may land all the same where none of those that it has to be with is in any domain. */
  readonly mayBeFirst: boolean;
  /** The topologies of which it has to keep out of their domains. */
  readonly avoid: readonly string[];
  readonly spread: readonly Crowding[];
}

export function keepsApart({ avoid, spread }: Bonds): boolean {
  return avoid.length + spread.length > 0;
}

/** Where several pods come one after the other, only what ties each of them ties them all. */
export function bondsOf(crowd: Crowd, assumption: Assumption): Bonds {
  const [encounter, ...more] = encountersOf(crowd);
  let all = bondsBetween(encounter, crowd, assumption);
  for (const other of more) {
    const one = bondsBetween(other, crowd, assumption);
    all = {
      share: one.share.length === 0 ? [] : all.share,
      mayBeFirst: all.mayBeFirst || one.mayBeFirst,
      avoid: [...all.avoid, ...one.avoid],
      spread: [...all.spread, ...one.spread],
    };
  }
  return all;
}

/** Of pods with numbers: that of one which comes, and of one that runs then. */
interface Encounter {
  readonly comes: number;
  readonly runs: number;
}

/**
 * The last one comes to the first. A rollout of a StatefulSet goes on downwards from there, until the first that it
 * replaces comes to all others (`pkg/controller/statefulset/stateful_set_control.go:updateStatefulSet`).
 */
function encountersOf({ incoming, running, sameRevision }: Crowd): readonly [Encounter, ...Encounter[]] {
  const [comes, runs] = [lastOf(incoming.workload), firstOf(running.workload)];
  const { strategy } = incoming.workload;
  if (sameRevision || strategy.type !== 'OneByOne') return [{ comes, runs }];
  const lowest = firstOf(incoming.workload) + strategy.partition;
  return [
    { comes, runs },
    { comes: lowest, runs: lowest === runs ? lastOf(running.workload) : runs },
  ];
}

function bondsBetween({ comes, runs }: Encounter, crowd: Crowd, assumption: Assumption): Bonds {
  const { incoming, running, sameRevision, staying } = crowd;
  for (const { workload } of [incoming, running]) incoming.budget.spend(operationsOf(workload.template));
  const pod = podOf(incoming, 'new', comes);
  const revision = sameRevision ? 'new' : 'old';
  const other = podOf(running, revision, runs);
  const isHarmless = assumption === 'harmless';
  const held = (by: Pod): readonly string[] => topologiesToShare(pod, by, isHarmless);
  // Beside whichever of them it lands, the affinity is content.
  const sibling = running.siblings && podOf(running, revision, undefined, running.siblings);
  const isContent = sibling !== undefined && held(sibling).length > 0;
  const ties = isContent ? [] : held(other);
  const share = ties.length > 0 && mayFollowBystander(crowd, held, other, isHarmless) ? [] : ties;
  return {
    share,
    mayBeFirst: share.length > 0 && held(pod).length > 0,
    avoid: [...new Set(topologiesToAvoid(pod, other, isHarmless))],
    spread: unlike(spreadsToKeep(pod, other, staying)).filter((crowding) => hasSeveralDomains(crowding, crowd)),
  };
}

/** What to compare pods of the template with others takes: to put their labels together, and each term by itself. */
function operationsOf({
  labels,
  podAffinity,
  podAntiAffinity,
  spread,
  hostPorts,
  restrictedDisks,
}: PodTemplate): number {
  const terms = [...podAffinity, ...podAntiAffinity, ...spread];
  const compared = terms.reduce((sum, { selector }) => sum + 2 + (selector?.length ?? 0), 0);
  return 10 + labels.size + compared + hostPorts.length + restrictedDisks.length;
}

/** Of those that count the same nodes by the same label, and take as many pods, one. */
function unlike(crowdings: readonly Crowding[]): readonly Crowding[] {
  const idOf = ({ constraint: { topologyKey, minDomains, countsUnselected, countsTainted }, most }: Crowding): string =>
    JSON.stringify([topologyKey, minDomains, countsUnselected, countsTainted, most]);
  return crowdings.length < 2 ? crowdings : [...new Map(crowdings.map((one) => [idOf(one), one])).values()];
}

/** A pod of a DaemonSet is bound to its node by node affinity (`pkg/controller/daemon/util/daemonset_util.go:ReplaceDaemonSetPodNodeNameNodeAffinity`), which leaves one. */
function hasSeveralDomains({ constraint }: Crowding, { incoming, weather }: Crowd): boolean {
  const { workload, nodes } = incoming;
  if (constraint.minDomains > 1) return true;
  if (workload.onEveryNode && !constraint.countsUnselected) return false;
  return !nodes.known || placesToSpread(constraint, workload.template, nodes.value, { limit: 2, weather }) > 1;
}
