import { Budget } from '../budget.ts';
import { accessModeFacts } from '../facts/access-mode-facts.ts';
import { gatherFacts, gathering } from '../facts/gather.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { Pod } from '../objects/pod.ts';
import type { Workload } from '../objects/workload.ts';
import type { Standing } from '../report/report.ts';
import { bySeverity, evaluateClaim, type Finding, foundIn, isIn, overBudgetFindings } from '../rules/evaluate.ts';
import { type Judge, judge } from '../rules/judge.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import type { StoryBudget } from '../stories/story-budget.ts';
import { claimStory, type Story, storyFor } from '../stories/told.ts';
import type { RunningPods } from './running-pods.ts';
import { standingOf } from './standing.ts';

/** By what a cluster's objects are judged. */
export interface Standings {
  readonly snapshot: ClusterSnapshot;
  /** Absent where pods could not be read: then nobody says what has come about. */
  readonly pods: RunningPods | undefined;
  /** When the cluster was read, as the API writes times. */
  readonly readAt: string;
  readonly matrix: StorageMatrix;
  readonly judge: Judge;
  /** How much the stories of findings may take; none are told without it. */
  readonly stories: StoryBudget | undefined;
}

/** A finding about an object of a cluster. */
export interface StandingFinding {
  readonly finding: Finding;
  readonly facts?: WorkloadFacts;
  readonly now?: Standing | undefined;
  /** The pod that waits for it now. */
  readonly waiting?: Pod | undefined;
  readonly story?: Story | undefined;
}

/** More nodes than this with pods of one workload are not told apart: what is found anywhere holds there as well. */
const MOST_PLACES = 8;

/** What may come of a workload that is there: in the worst case, and from where its pods are now. Gravest first. */
export function judgeStanding(workload: Workload, by: Standings): readonly StandingFinding[] {
  const budget = new Budget();
  const found = budget.answer(() => judgedWithin(budget, workload, by), undefined);
  return found ?? overBudgetFindings(by.judge.rules, foundIn(workload)).map((finding) => ({ finding }));
}

function judgedWithin(budget: Budget, workload: Workload, by: Standings): readonly StandingFinding[] {
  const { snapshot, matrix, pods, readAt, stories } = by;
  const factsFor = (given: Budget): WorkloadFacts => gatherFacts(workload, snapshot, matrix, given).facts;
  const facts = factsFor(budget);
  const anywhere = judge(by.judge, facts);
  const places = pods && placesOf(workload, pods);
  const here = places && rolloutsFrom(places, by.judge, factsFor);
  const isDueHere = (finding: Finding): boolean => here !== undefined && isIn(finding, here);
  const onlyHere = (here ?? []).filter((finding) => !isIn(finding, anywhere));
  return bySeverity([...anywhere, ...onlyHere]).map((finding) => ({
    finding,
    facts,
    ...(pods && finding.judges !== 'open' ? standingOf(finding, { workload, pods, readAt, here }) : {}),
    story: stories?.spend(factsFor, (about) =>
      storyFor(finding, { facts: about, running: isDueHere(finding) ? { before: about, places } : {} }),
    ),
  }));
}

/**
 * The nodes that its pods are on; nothing where they are on none, or on so many that nothing is told apart by them. Where some
 * have started, those decide: the others may be waiting for what these hold.
 */
function placesOf(workload: Workload, pods: RunningPods): ReadonlySet<string> | undefined {
  const own = pods.of(workload) ?? [];
  const started = own.filter(({ isStarting }) => !isStarting);
  const places = new Set((started.length > 0 ? started : own).flatMap(({ nodeName }) => nodeName ?? []));
  return places.size === 0 || places.size > MOST_PLACES ? undefined : places;
}

/** What the next rollout comes to from there; nothing where that takes more than a review has. */
function rolloutsFrom(
  places: ReadonlySet<string>,
  { rules }: Judge,
  factsFor: (budget: Budget) => WorkloadFacts,
): readonly Finding[] | undefined {
  const budget = new Budget();
  const found = budget.answer(() => {
    const facts = factsFor(budget);
    return judge({ rules }, facts, { before: facts, places });
  }, undefined);
  return budget.gaveUp ? undefined : found?.filter(({ judges }) => judges === 'rollout');
}

/** What is wrong with a claim by itself. */
export function judgeStandingClaim(
  claim: PersistentVolumeClaim,
  { snapshot, matrix, judge: { rules }, stories }: Standings,
): readonly StandingFinding[] {
  const { facts } = gathering(snapshot, matrix, new Budget(), (reading) => accessModeFacts(claim, reading));
  return evaluateClaim(rules, claim, facts).map((finding) => ({ finding, story: stories && claimStory(finding) }));
}
