import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';
import type { Assumption } from './assumption.ts';
import { meetingOfTwo, waitForEachOther } from './meeting.ts';
import { claimReasons, isElsewhere, type Reason, sharedClaims } from './reasons.ts';
import { podsThatStay, waitsForOldPods } from './rolling-update.ts';
import type { Running } from './running.ts';

/** Another user of a claim, in words, and why both may not run at once. */
export interface SharedWith {
  readonly user: string;
  /** Where it is another workload. */
  readonly workload?: ObjectRef;
  readonly reasons: readonly Reason[];
}

/** Who shares a volume with pods that run is where they are, and new pods that come to those come to both. */
export function sharedWith(
  facts: WorkloadFacts,
  { before = facts, places }: Running,
  { inTheWay, tied }: { readonly inTheWay: readonly Reason[]; readonly tied: ReadonlySet<string> },
  assumption: Assumption,
): readonly SharedWith[] {
  const { workload, otherUsers, budget } = facts;
  const held = new Set(before.claims.map(({ identity }) => identity));
  const meetsOldPods = before !== facts && (!waitsForOldPods(workload) || podsThatStay(workload) > 0);
  const comesToOldPods = meetsOldPods && !inTheWay.some(isElsewhere);
  const nowBeside = (other: PodFacts) => {
    if (places === undefined) return { tied };
    const isThere = sharedClaims({ incoming: facts, running: other }).every(({ identity }) => held.has(identity));
    if (!isThere) return { tied };
    return { places, weather: !workload.onEveryNode, tied: comesToOldPods ? held : tied };
  };
  const others = otherUsers.pods.map((other) => {
    const { kind, metadata } = other.workload;
    const { namespace, name } = metadata;
    const met = meetingOfTwo(facts, other, assumption, nowBeside(other));
    const neither = (): readonly Reason[] => neitherFirst(facts, other, assumption);
    const reasons = met.length === 0 && places === undefined ? budget.answer(neither, []) : met;
    return { user: `${kind} ${name}`, workload: { kind, namespace, name }, reasons };
  });
  const overlap = workload.concurrencyPolicy === 'Allow' ? meetingOfTwo(facts, facts, assumption, { tied }) : [];
  const runs = [{ user: 'its next run', reasons: overlap }];
  const unseen =
    assumption === 'harmless'
      ? []
      : otherUsers.unknown.map((user) => ({ user, reasons: claimReasons(facts.claims, assumption) }));
  return [...others, ...runs, ...unseen].filter(({ reasons }) => reasons.length > 0);
}

/** Why pods of two workloads that are held to each other may both wait for ever once none of them runs. */
function neitherFirst(facts: PodFacts, other: PodFacts, assumption: Assumption): readonly Reason[] {
  if (!waitForEachOther(facts, other, assumption)) return [];
  const claims = sharedClaims({ incoming: facts, running: other }).map(({ name }) => name);
  return [{ cause: 'no-node-left', claims }];
}
