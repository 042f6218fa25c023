import { type Claim, mayBeExclusive } from '../facts/claim.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { exclusivityOf } from '../forecast/assumption.ts';
import { known } from '../objects/fact.ts';
import { HOSTNAME } from '../objects/node.ts';
import { claimsInWords } from '../rules/rule.ts';
import { isAssumedNode, listed } from './names.ts';
import { nodesThatTake } from './one-node.ts';
import type { TraitOf } from './trait.ts';

/** Volumes that several nodes may have at once. */
export const sharedVolumes: TraitOf = (facts) => {
  const shared = facts.claims.filter((claim) => !isForOneNode(claim));
  if (shared.length === 0) return undefined;
  return {
    because: reasonsFor(shared, whyShared, facts),
    without: (changed) => ({ ...changed, claims: changed.claims.map(forOneNode) }),
  };
};

/** Claims that may be for one node as if they were: what passes has to pass all the same. */
export function withoutDoubt(facts: WorkloadFacts): WorkloadFacts {
  return { ...facts, claims: facts.claims.map((claim) => (mayBeExclusive(claim) ? forOneNode(claim) : claim)) };
}

function reasonsFor(claims: readonly Claim[], why: (claim: Claim) => string, { workload }: WorkloadFacts): string {
  return [...Map.groupBy(claims, why)]
    .map(([reason, some]) => {
      const names = claimsInWords(
        some.map(({ name }) => name),
        workload,
      );
      return some.length > 1 ? `of ${names} each ${reason}` : `${names} ${reason}`;
    })
    .join('; ');
}

function isForOneNode(claim: Claim): boolean {
  return exclusivityOf(claim, 'harmless') !== 'shared';
}

function forOneNode(claim: Claim): Claim {
  if (isForOneNode(claim)) return claim;
  return { ...claim, accessModes: known(['ReadWriteOnce']), attachable: known(true), onePod: known(false) };
}

function whyShared({ accessModes, attachable, storage, madeBy }: Claim): string {
  if (attachable.known && !attachable.value) {
    const by = storage || madeBy?.at(-1);
    const on = by === undefined ? '' : `on ${IN_WORDS.get(by) ?? by}, which is `;
    return `is ${on}not attached to nodes, so that no pod waits until one lets go of it`;
  }
  const modes = accessModes.known ? accessModes.value.filter((mode) => mode.endsWith('Many')) : [];
  return modes.length > 0
    ? `is ${listed(modes)}, so that many nodes may have it at once`
    : 'may be attached to many nodes at once';
}

const IN_WORDS: ReadonlyMap<string, string> = new Map([
  ['nfs', 'NFS'],
  ['local', 'a local disk'],
]);

/**
 * Volumes that no container mounts. They are attached, but the kubelet waits for none of them
 * (`pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go:processPodVolumes`).
 */
export const unmountedVolumes: TraitOf = (facts) => {
  const unmounted = facts.claims.filter((claim) => claim.unmounted);
  if (unmounted.length === 0) return undefined;
  return {
    because: reasonsFor(unmounted, () => 'is mounted by no container, so that no pod waits for it', facts),
    without: (changed) => ({ ...changed, claims: changed.claims.map((claim) => ({ ...claim, unmounted: false })) }),
  };
};

/** A volume that can be used on few nodes, or that stays where it is made. */
export const placedVolumes: TraitOf = (facts) => {
  const placed = facts.claims.filter(isPlaced);
  if (placed.length === 0) return undefined;
  return {
    because: reasonsFor(placed, whereItIs, facts) + leaving(facts),
    without: (changed) => ({ ...changed, claims: changed.claims.map(anywhere) }),
  };
};

/** Volumes of each pod, which may be on nodes that are few. */
export const ownVolumes: TraitOf = ({ ownClaims }) => {
  const placed = ownClaims.flat().filter(isPlaced);
  if (placed.length === 0) return undefined;
  return {
    because: `${listed(placed.map(({ name }) => name))} hold each pod where its own volume is`,
    without: (facts) => ({ ...facts, ownClaims: facts.ownClaims.map((claims) => claims.map(anywhere)) }),
  };
};

function isPlaced({ nodeAffinity, zones, onceBound }: Claim): boolean {
  return nodeAffinity !== undefined || zones.size > 0 || onceBound !== undefined;
}

function anywhere(claim: Claim): Claim {
  return isPlaced(claim) ? { ...claim, nodeAffinity: undefined, zones: new Map(), onceBound: undefined } : claim;
}

function leaving(facts: WorkloadFacts): string {
  const [first = '', ...others] = nodesThatTake(facts) ?? [];
  if (first === '' || others.length > 0) return '';
  return `, which leaves ${isAssumedNode(first) ? 'one node' : first} alone`;
}

function whereItIs({ nodeAffinity, zones, onceBound }: Claim): string {
  if (onceBound?.type === 'place') return 'gets one of the volumes that are there, and stays where that is';
  if (onceBound?.type === 'domain') {
    const where = onceBound.topology === HOSTNAME ? 'on the node' : `in the ${onceBound.topology}`;
    return `stays ${where} where it is made for the first pod`;
  }
  const terms = (nodeAffinity ?? []).flatMap(({ expressions }) => expressions.flatMap(({ values }) => values));
  return `can be used only where its volume is (${listed([...new Set([...terms, ...[...zones.values()].flat()])])})`;
}
