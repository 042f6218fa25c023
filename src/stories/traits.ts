import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { overlaps, podsThatStay } from '../forecast/rolling-update.ts';
import type { Strategy, Workload } from '../objects/workload.ts';
import { isRolling, maxSurge, maxUnavailable } from './because.ts';
import { listed } from './names.ts';
import { oneNode } from './one-node.ts';
import { type Trait, type TraitOf, withTemplate, withWorkload } from './trait.ts';
import { ownVolumes, placedVolumes, sharedVolumes, unmountedVolumes } from './volume-traits.ts';

/** All that may save it, the most important first. */
export function traitsOf(facts: WorkloadFacts): readonly Trait[] {
  return [
    ...[sharedVolumes, unmountedVolumes, oneNode, placedVolumes, ownVolumes],
    ...[together, strategy, concurrency, onePod],
  ].flatMap((trait) => trait(facts) ?? []);
}

/** Required affinity. */
const together: TraitOf = ({ workload: { template } }) => {
  if (template.podAffinity.length === 0) return undefined;
  const keys = listed([...new Set(template.podAffinity.map(({ topologyKey }) => topologyKey))]);
  return {
    because: `required pod affinity by ${keys} brings each new pod to the pods that it means`,
    without: (facts) => withTemplate(facts, { podAffinity: [] }),
  };
};

const SURGING: Strategy = {
  type: 'RollingUpdate',
  maxSurge: { type: 'int', value: 1 },
  maxUnavailable: { type: 'int', value: 0 },
};

/** That old pods go first, or do not have to wait for new ones. */
const strategy: TraitOf = ({ workload }) => {
  if (workload.kind !== 'Deployment' || (overlaps(workload) && podsThatStay(workload) > 0)) return undefined;
  return { because: strategyInWords(workload), without: (facts) => withWorkload(facts, { strategy: SURGING }) };
};

function strategyInWords(workload: Workload): string {
  if (!isRolling(workload)) return 'strategy Recreate ends every old pod before a new one is created';
  const unavailable = maxUnavailable(workload);
  if (overlaps(workload)) return `${unavailable}, so that the old pods go without waiting for new ones`;
  const numbers = unavailable.startsWith('maxSurge') ? unavailable : `${maxSurge(workload)} and ${unavailable}`;
  return `${numbers}, so that an old pod goes first`;
}

/** That runs do not overlap. */
const concurrency: TraitOf = ({ workload: { concurrencyPolicy } }) => {
  if (concurrencyPolicy === undefined || concurrencyPolicy === 'Allow') return undefined;
  const does =
    concurrencyPolicy === 'Forbid' ? 'lets no run begin beside another' : 'ends a run before the next one goes on';
  return {
    because: `concurrencyPolicy ${concurrencyPolicy} ${does}`,
    without: (facts) => withWorkload(facts, { concurrencyPolicy: 'Allow' }),
  };
};

/** That there is one pod. */
const onePod: TraitOf = ({ workload: { kind, replicas, onEveryNode } }) => {
  if (replicas !== 1 || onEveryNode) return undefined;
  const isJob = kind === 'Job' || kind === 'CronJob';
  return {
    because: isJob ? 'one pod runs at a time' : 'replicas is 1, so that no two pods are wanted at once',
    without: (facts) => withWorkload(facts, { replicas: 2 }),
    isAboutAll: true,
  };
};
