import type { PodFacts } from '../facts/workload-facts.ts';
import type { Workload } from '../objects/workload.ts';
import { type Assumption, type Exclusivity, exclusivityOf } from './assumption.ts';
import type { Wait } from './ends.ts';
import type { SharedWith } from './outcome.ts';
import type { Reason } from './reasons.ts';

/** Another workload as it is told of. */
export function userNamed({ kind, metadata: { namespace, name } }: Workload): Omit<SharedWith, 'reasons'> {
  return { user: `${kind} ${name}`, workload: { kind, namespace, name } };
}

/** What its claims do to it where another user has them, which nobody can look up. */
export function reasonsBesideUnseen({ claims }: PodFacts, assumption: Assumption): readonly Reason[] {
  const named = (exclusivity: Exclusivity): readonly string[] =>
    claims.filter((claim) => exclusivityOf(claim, assumption) === exclusivity).map(({ name }) => name);
  const [onePod, oneNode] = [named('one-pod'), named('one-node')];
  if (onePod.length > 0) return [{ cause: 'one-pod', claims: onePod }];
  return oneNode.length > 0 ? [{ cause: 'volume-elsewhere', claims: oneNode }] : [];
}

/** What a claim comes to may depend on the node; that its volume is elsewhere tells the most. */
export function onePerClaim(waits: readonly Wait[]): readonly Wait[] {
  const elsewhere = waits.filter(({ cause }) => cause === 'volume-elsewhere');
  const told = new Set(elsewhere.flatMap(({ claims }) => claims));
  return [
    ...elsewhere,
    ...waits.filter((wait) => !elsewhere.includes(wait) && !wait.claims.some((name) => told.has(name))),
  ];
}
