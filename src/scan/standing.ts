import type { Claim } from '../facts/claim.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { Pod } from '../objects/pod.ts';
import type { Standing } from '../report/report.ts';
import { type Finding, isIn } from '../rules/evaluate.ts';
import type { RunningPods } from './running-pods.ts';

/** What a finding is to the pods that run, as far as their objects tell; events expire, and are not asked. */
export function standingOf(
  finding: Finding,
  facts: WorkloadFacts,
  pods: RunningPods,
  /** What the next rollout comes to from where its pods are now, where that is known. */
  here: readonly Finding[] | undefined,
): Standing {
  const own = pods.of(facts.workload);
  const holders = holdersOf(finding, facts, pods);
  const struck = own.map((pod) => waitOf(pod, finding, holders)).find((because) => because !== undefined);
  if (struck !== undefined) return { state: 'struck', because: struck };
  const running = finding.judges === 'rollout' ? own : [...new Set([...own, ...holders])];
  const nodes = nodesOf(running);
  const where = placesInWords(running, nodes);
  if (finding.judges === 'rollout' && here !== undefined && !isIn(finding, here))
    return { state: 'lucky', because: `as ${where}, the next rollout ends` };
  if (finding.judges === 'steady' && running.length > 1 && nodes.length === 1)
    return { state: 'lucky', because: `${where}, and nothing keeps them there` };
  return { state: 'armed', because: where };
}

/** The pods that have one of the volumes that the finding is about, whoever made them. */
function holdersOf(finding: Finding, { claims, workload }: WorkloadFacts, pods: RunningPods): readonly Pod[] {
  const { namespace } = workload.metadata;
  const byName = new Map<string, Claim>(claims.map((claim) => [claim.name, claim]));
  const found = finding.claims.flatMap((name) => {
    const claim = byName.get(name);
    const disk = claim?.disk === undefined ? [] : pods.withDisk(claim.disk);
    const all = claim === undefined ? [{ namespace, name }] : claim.claimsOfDisk;
    return [...disk, ...all.flatMap((one) => pods.holding(one.namespace, one.name))];
  });
  return [...new Set(found)];
}

/** What a pod waits for that the finding foretold; nothing where it does not wait, or something else may be why. */
function waitOf(pod: Pod, { cause, claims }: Finding, holders: readonly Pod[]): string | undefined {
  if (pod.deleting || !pod.isStarting) return undefined;
  const others = holders.filter((other) => other !== pod && !other.deleting && !other.isStarting);
  const since = pod.since === undefined ? '' : ` since ${pod.since}`;
  if (pod.nodeName !== undefined) {
    const holder = others.find(({ nodeName }) => nodeName !== undefined && nodeName !== pod.nodeName);
    if (holder === undefined) return undefined;
    const held = `${claims.join(', ')}, which pod ${holder.name} has on ${holder.nodeName}`;
    return `pod ${pod.name} waits on ${pod.nodeName}${since} for ${held}`;
  }
  const [holder] = others;
  if (cause === 'being-deleted') return `pod ${pod.name} is Pending${since}: ${claims.join(', ')} is being deleted`;
  if (cause !== 'one-pod' || holder === undefined) return undefined;
  return `pod ${pod.name} is Pending${since}: ${claims.join(', ')} lets one pod in, and pod ${holder.name} has it`;
}

function nodesOf(pods: readonly Pod[]): readonly string[] {
  return [...new Set(pods.flatMap(({ nodeName }) => nodeName ?? []))].sort();
}

/** How many nodes are named. */
const MOST_NODES = 3;

function placesInWords(pods: readonly Pod[], nodes: readonly string[]): string {
  if (nodes.length === 0) return 'none of its pods runs';
  const more = nodes.length - MOST_NODES;
  const named = `${nodes.slice(0, MOST_NODES).join(', ')}${more > 0 ? ` and ${more} more nodes` : ''}`;
  if (pods.length === 1) return `pod ${pods[0]?.name ?? ''} is on ${named}`;
  return nodes.length === 1 ? `all ${pods.length} pods are on ${named}` : `${pods.length} pods are on ${named}`;
}
