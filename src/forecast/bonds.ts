import type { PodFacts } from '../facts/gather.ts';
import type { SpreadConstraint } from '../facts/pod-template.ts';
import type { WorkloadKind } from '../facts/workload.ts';
import type { Assumption } from './assumption.ts';
import { type Pod, spreadsToKeep, topologiesToAvoid, topologiesToShare } from './togetherness.ts';
import { type Crowd, placesToSpread } from './topology.ts';

/** What ties an incoming pod to those that run, and what keeps it from them. */
export interface Bonds {
  /** The topologies of which it has to share a domain. */
  readonly share: readonly string[];
  /** The topologies of which it has to keep out of their domains. */
  readonly avoid: readonly string[];
  readonly spread: readonly SpreadConstraint[];
}

export function keepsApart({ avoid, spread }: Bonds): boolean {
  return avoid.length + spread.length > 0;
}

export function bondsOf({ incoming, running, sameRevision, staying }: Crowd, assumption: Assumption): Bonds {
  const comes = podOf(incoming, 'new');
  const revision = sameRevision ? 'new' : 'old';
  const runs = podOf(running, revision);
  const isHarmless = assumption === 'harmless';
  const held = (by: Pod): readonly string[] => topologiesToShare(comes, by, isHarmless);
  // Beside whichever of them it lands, the affinity is content.
  const sibling = running.siblings && podOf(running, revision, running.siblings);
  return {
    share: sibling !== undefined && held(sibling).length > 0 ? [] : held(runs),
    avoid: topologiesToAvoid(comes, runs, isHarmless),
    spread: spreadsToKeep(comes, runs, staying).filter((constraint) => hasSeveralDomains(constraint, incoming)),
  };
}

/** A pod of a DaemonSet is bound to its node by node affinity (`pkg/controller/daemon/util/daemonset_util.go:ReplaceDaemonSetPodNodeNameNodeAffinity`), which leaves one. */
function hasSeveralDomains(constraint: SpreadConstraint, { workload, nodes }: PodFacts): boolean {
  if (constraint.minDomains > 1) return true;
  if (workload.onEveryNode && !constraint.countsUnselected) return false;
  return !nodes.known || placesToSpread(constraint, workload.template, nodes.value, 2) > 1;
}

function podOf({ workload, namespaceLabels }: PodFacts, revision: Revision, template = workload.template): Pod {
  const { kind, metadata } = workload;
  const labels = new Map([...template.labels, ...addedLabels(kind, revision)]);
  return { template, labels, namespace: metadata.namespace, namespaceLabels };
}

/**
 * The label by which a controller tells pods of one revision from those of another
 * (`pkg/controller/deployment/sync.go:getNewReplicaSet`, `pkg/controller/history/controller_history.go`).
 */
function addedLabels(kind: WorkloadKind, revision: Revision): readonly (readonly [string, string])[] {
  if (kind === 'Deployment') return [['pod-template-hash', revision]];
  return kind === 'StatefulSet' || kind === 'DaemonSet' ? [['controller-revision-hash', revision]] : [];
}

type Revision = 'old' | 'new';
