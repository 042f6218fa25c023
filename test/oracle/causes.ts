import type { Cause } from '../../src/forecast/reasons.ts';

/** What the words in which a pod's wait is told may mean. */
const MEANINGS: readonly (readonly [RegExp, readonly Cause[]])[] = [
  [/with ReadWriteOncePod access mode already in-use|has its claim for one pod/, ['one-pod']],
  // A kubelet looks at ports before it mounts what one pod has.
  [/refuses its pods: NodePorts/, ['no-node-left', 'too-few-nodes', 'one-pod']],
  [/free ports|no available disk|anti-affinity rules|topology spread/, ['no-node-left', 'too-few-nodes']],
  [/pod affinity rules/, ['no-node-left', 'too-few-nodes', 'others-elsewhere']],
  [/volume node affinity conflict/, ['out-of-reach', 'no-node-left']],
  [/is being deleted/, ['being-deleted']],
];

const HELD = / on (\S+) waits for .*, which \S+ holds on (\S+)$/;

/** The causes that a pod's wait may have, as `reasonsToWait` tells it: a rule is chosen by its cause, and so is a remedy. */
export function causesBehind(reason: string): ReadonlySet<Cause> {
  const [, here, there] = HELD.exec(reason) ?? [];
  if (here !== undefined) return new Set(here === there ? ['one-pod'] : ['volume-elsewhere']);
  return new Set(MEANINGS.flatMap(([words, causes]) => (words.test(reason) ? causes : [])));
}

/** Whether one of the causes that are foretold is behind each wait. */
export function areExplained(reasons: readonly string[], foretold: readonly Cause[]): boolean {
  return reasons.every((reason) => {
    const behind = causesBehind(reason);
    return foretold.some((cause) => behind.has(cause));
  });
}
