import { areExplained } from './causes.ts';
import type { Foretold } from './forecast-of.ts';
import type { Observation } from './life.ts';
import type { Plan } from './plan.ts';
import type { Situation } from './situation.ts';

export type Disagreement = 'stuck' | 'multiAttach' | 'cause' | 'open' | 'missed at admission' | 'remedy did not help';

/**
 * `stuck` has to be the same. So has `multiAttach` wherever old and new pods overlap; where a detach may just be running
 * when the new pod comes, the controller says nothing, so a forecast of it stands. Each pod that waits for ever has to do so for
 * a cause that is foretold. What happened, admission must have foreseen too, which does not know where the old pods are; unless a node has changed
 * under them or is cordoned, for then it cannot.
 */
export function compare(
  plan: Plan,
  { action, nodesChanged }: Situation,
  foretold: Foretold,
  observed: Observation,
): readonly Disagreement[] {
  const differences: Disagreement[] = [];
  if (foretold.open.length > 0) differences.push('open');
  const isInTime = action === 'update' && foretold.stuck && !observed.stuck && mayBeTriedInTime(plan, foretold);
  if (foretold.stuck !== observed.stuck && !isInTime) differences.push('stuck');
  if (foretold.stuck && observed.stuck && !areExplained(observed.reasons, foretold.causes)) differences.push('cause');
  const mayBeSilent = foretold.multiAttach && (isReplaced(plan) || (action === 'update' && !overlaps(plan)));
  if (foretold.multiAttach !== observed.multiAttach && !mayBeSilent) differences.push('multiAttach');
  const { stuck, multiAttach } = foretold.atAdmission;
  const missed = (observed.stuck && !stuck) || (observed.multiAttach && !multiAttach);
  if (missed && !nodesChanged) differences.push('missed at admission');
  return differences;
}

/**
 * A pod that waits for a spread, beside an old one that its affinity holds it to, waits for ever or not, as the scheduler tries it
 * before or after that one begins to go (`endedUnseen`); in most plays it is in time.
 */
function mayBeTriedInTime({ kind, traits }: Plan, { causes }: Foretold): boolean {
  return kind === 'Deployment' && traits.some(({ trait }) => trait === 'spread') && causes.includes('others-elsewhere');
}

/** A run of a CronJob that comes as the one before is told to go, which the controller is often done with by then. */
function isReplaced({ kind, replicas, traits }: Plan): boolean {
  return kind === 'CronJob' && replicas === 1 && traits.some(({ variant }) => variant === 'replace');
}

/** A pod of a StatefulSet, or with a claim for one pod, comes when the other has gone. */
function overlaps({ kind, strategy, storage, traits }: Plan): boolean {
  if (kind === 'StatefulSet') return false;
  if (storage === 'csi-rwop' || traits.some(({ variant }) => variant === 'one-pod')) return false;
  return strategy !== 'Recreate' && !/^0%?\//.test(strategy);
}
