import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import { idOfWorkload } from '../objects/workload.ts';
import { type Assumption, type Exclusivity, exclusivityOf } from './assumption.ts';
import type { SharedWith } from './outcome.ts';
import { reasonsOf } from './question.ts';
import type { Reason } from './reasons.ts';
import type { Wait } from './why-pods-wait.ts';

/** Pods of another workload that hold a volume of this one. */
interface User {
  readonly facts: PodFacts;
  readonly podClass: number;
}

/** Who shares volumes with a workload. */
interface Users {
  readonly facts: WorkloadFacts;
  readonly others: readonly User[];
  /** Those of which no pod is scheduled where none of either runs. */
  readonly neither: readonly User[];
  readonly assumption: Assumption;
}

/** By other user, why its pods keep those of the workload waiting. */
export function sharedWith(
  waits: readonly Wait[],
  { facts, others, neither, assumption }: Users,
): readonly SharedWith[] {
  const all = [...waits, ...neither.map((user) => waitForEachOther(user, facts))];
  const found = [...Map.groupBy(others, (user) => idOfWorkload(user.facts.workload)).values()].flatMap((pods) => {
    const theirs = new Set(pods.map(({ podClass }) => podClass));
    const held = all.filter(({ heldBy }) => heldBy.some((podClass) => theirs.has(podClass)));
    const reasons = reasonsOf(onePerClaim(held), facts);
    return reasons.length === 0 ? [] : pods.slice(0, 1).map((user) => ({ ...userNamed(user), reasons }));
  });
  const unseen = assumption === 'harmless' ? [] : facts.otherUsers.unknown;
  const reasons = unseen.length === 0 ? [] : reasonsBesideUnseen(facts, assumption);
  return [...found, ...(reasons.length === 0 ? [] : unseen.map((user) => ({ user, reasons })))];
}

function waitForEachOther(user: User, facts: WorkloadFacts): Wait {
  const theirs = new Set(user.facts.claims.map(({ identity }) => identity));
  const shared = facts.claims.filter(({ identity }) => theirs.has(identity));
  return { cause: 'no-node-left', claims: shared.map(({ name }) => name), heldBy: [user.podClass] };
}

/** Another workload as it is told of. */
function userNamed({ facts: { workload } }: User): Omit<SharedWith, 'reasons'> {
  const { kind, metadata } = workload;
  const { namespace, name } = metadata;
  return { user: `${kind} ${name}`, workload: { kind, namespace, name } };
}

/** What its claims do to it where another user has them, which nobody can look up. */
function reasonsBesideUnseen({ claims }: PodFacts, assumption: Assumption): readonly Reason[] {
  const named = (exclusivity: Exclusivity): readonly string[] =>
    claims.filter((claim) => exclusivityOf(claim, assumption) === exclusivity).map(({ name }) => name);
  const [onePod, oneNode] = [named('one-pod'), named('one-node')];
  if (onePod.length > 0) return [{ cause: 'one-pod', claims: onePod }];
  return oneNode.length > 0 ? [{ cause: 'volume-elsewhere', claims: oneNode }] : [];
}

/** What a claim comes to may depend on the node; that its volume is elsewhere tells the most. */
function onePerClaim(waits: readonly Wait[]): readonly Wait[] {
  const elsewhere = waits.filter(({ cause }) => cause === 'volume-elsewhere');
  const told = new Set(elsewhere.flatMap(({ claims }) => claims));
  return [
    ...elsewhere,
    ...waits.filter((wait) => !elsewhere.includes(wait) && !wait.claims.some((name) => told.has(name))),
  ];
}
