import type { Budget } from '../../budget.ts';
import type { RestrictedDisk } from '../../objects/restricted-disk.ts';
import { type Cluster, type HeldClaim, type PodClass, podsFrom } from '../cluster.ts';
import { classOf, nodeOf } from '../state.ts';
import type { Plugin } from './filter.ts';
import { pairsOf } from './pairs.ts';

/**
 * A claim for one pod is in use wherever another pod has it
 * (`pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go:satisfyReadWriteOncePod`).
 */
export const readWriteOncePod: Plugin = (cluster) => {
  const first = podsFrom(cluster);
  if (cluster.volumes.every(({ isForOnePod }) => !isForOnePod)) return undefined;
  const conflict = cluster.classes.map((one) => cluster.classes.map((other) => shareOnePodClaim(one, other, cluster)));
  const may = conflict.map((row) => row.includes(true));
  return (podClass, _node, state) => {
    if (!may[podClass]) return true;
    for (let index = first; index < state.length; index++) {
      const other = state[index] ?? 0;
      if (nodeOf(other) >= 0 && conflict[podClass]?.[classOf(other)]) return false;
    }
    return true;
  };
};

function shareOnePodClaim(one: PodClass, other: PodClass, { volumes, budget }: Cluster): boolean {
  budget.spend(one.claims.length * other.claims.length);
  return one.claims.some(
    (held) => volumes[held.volume]?.isForOnePod && other.claims.some((theirs) => isSameClaim(held, theirs)),
  );
}

/** The first of the claims of its disk is a claim itself. */
function isSameClaim({ claim: a, volume }: HeldClaim, { claim: b, volume: other }: HeldClaim): boolean {
  return volume === other && a.name === b.name && a.claimsOfDisk[0]?.namespace === b.claimsOfDisk[0]?.namespace;
}

/** A disk written into two pods keeps them off each other's node (`volume_restrictions.go:isVolumeConflict`). */
export const inlineDisks: Plugin = (cluster) => {
  const first = podsFrom(cluster);
  const { classes, budget } = cluster;
  if (classes.every(({ template }) => template.restrictedDisks.length === 0)) return undefined;
  const conflict = pairsOf(classes, false, ({ template: mine }, { template: theirs }) =>
    disksClash(mine.restrictedDisks, theirs.restrictedDisks, budget),
  );
  const may = conflict.map((row) => row.includes(true));
  return (podClass, node, state) => {
    if (!may[podClass]) return true;
    for (let index = first; index < state.length; index++) {
      const other = state[index] ?? 0;
      if (nodeOf(other) === node && conflict[podClass]?.[classOf(other)]) return false;
    }
    return true;
  };
};

function disksClash(a: readonly RestrictedDisk[], b: readonly RestrictedDisk[], budget: Budget): boolean {
  budget.spend(a.length * b.length);
  return a.some((mine) =>
    b.some((theirs) => !(mine.readOnly && theirs.readOnly) && mine.names.some((name) => theirs.names.includes(name))),
  );
}
