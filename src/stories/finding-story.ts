import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { Assumption } from '../forecast/assumption.ts';
import type { Answer, Question } from '../forecast/question.ts';
import { Questions } from '../forecast/questions.ts';
import { cutReplicas } from '../forecast/replicas.ts';
import type { Running } from '../forecast/running.ts';
import { claimShared } from '../rules/claim-shared.ts';
import type { Finding } from '../rules/evaluate.ts';
import { replicasSplit } from '../rules/replicas-split.ts';
import { rolloutTransient } from '../rules/rollout-transient.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';
import { isHeldByOthers, type Meant, wayTo } from './shortest-way.ts';
import { MOST_LINES, storyOf } from './story.ts';
import type { Occasion } from './telling.ts';

/** Of which workload a story is, and what is taken of what is not known. */
export interface About {
  readonly facts: WorkloadFacts;
  readonly running: Running;
  readonly assumption: Assumption;
}

/**
 * The story behind a finding; `undefined` where the search shows no way to what it says. What pods of one workload do to
 * each other is told without those of others, if there is a way without them and nothing holds its pods to theirs.
 */
export function findingStory(
  finding: Finding,
  about: About,
  mostLines: number = MOST_LINES,
): readonly string[] | undefined {
  const { facts } = about;
  const isOfItself = finding.rule !== claimShared.meta && facts.workload.template.podAffinity.length === 0;
  const alone = { ...about, facts: { ...facts, otherUsers: { ...facts.otherUsers, pods: [] } } };
  for (const one of isOfItself && facts.otherUsers.pods.length > 0 ? [alone, about] : [about]) {
    const story = storyOfOne(finding, one, mostLines);
    if (story !== undefined) return story;
  }
  return undefined;
}

function storyOfOne(finding: Finding, about: About, mostLines: number): readonly string[] | undefined {
  const { facts, running, assumption } = about;
  const { replicas } = facts.workload;
  const most = Math.max(replicas, autoscaledTo(about));
  const cut = cutReplicas(facts, running.before, most);
  const before = running.before && cut.before && { ...running.before, workload: cut.before };
  const how = { assumption, most: cut.most, takesAtOnce: true, podsEnd: true };
  const asked = new Questions({ ...facts, workload: cut.wanted }, { ...running, before }, how);
  if (!asked.isLookedAt) return undefined;
  for (const { answer, occasion, meant } of answersFor(finding, asked, about, [cut.wanted.replicas, cut.most])) {
    const way = firstOf(meant ?? meantBy(finding), (one) => wayTo(answer.question, one));
    if (way === undefined) continue;
    const wanted = occasion === 'autoscaling' ? most : replicas;
    return storyOf(way, occasion, { ...facts.workload, replicas: wanted }, mostLines);
  }
  return undefined;
}

function firstOf<T, U>(all: readonly T[], find: (one: T) => U | undefined): U | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One that is not known asks for one replica more where the unknown turns out badly. */
function autoscaledTo({ facts: { autoscaledTo, workload }, assumption }: About): number {
  if (autoscaledTo.known) return autoscaledTo.value;
  return assumption === 'harmless' ? 0 : workload.replicas + 1;
}

/** An answer in which the way may be, and what makes its pods come. */
interface Told {
  readonly answer: Answer;
  readonly occasion: Occasion;
  /** Where it is not what the finding says of itself. */
  readonly meant?: readonly Meant[];
}

function* answersFor(
  finding: Finding,
  asked: Questions,
  { facts, running }: About,
  [replicas, most]: readonly [number, number],
): Generator<Told> {
  if (finding.rule === replicasSplit.meta) {
    const isAutoscaled = finding.severity !== finding.rule.severity;
    yield isAutoscaled
      ? { answer: asked.creation(most), occasion: 'autoscaling' }
      : { answer: asked.creation(replicas), occasion: 'creation' };
    return;
  }
  if (finding.rule !== claimShared.meta || running.before !== undefined) yield* rollouts(asked, running);
  if (finding.rule !== claimShared.meta) return;
  const isOfItself = facts.workload.concurrencyPolicy === 'Allow' && (finding.users ?? []).length === 0;
  if (isOfItself) yield { answer: asked.nextRun(), occasion: 'next run' };
  else yield* besideOthers(asked, replicas);
}

function* rollouts(asked: Questions, { before }: Running): Generator<Told> {
  for (const [index, answer] of asked.rollouts().entries()) {
    yield { answer, occasion: before !== undefined && index === 0 ? 'change' : 'next change' };
  }
}

function* besideOthers(asked: Questions, replicas: number): Generator<Told> {
  yield { answer: asked.creation(replicas), occasion: 'creation' };
  for (const answer of asked.besideNobody()) yield { answer, occasion: 'creation', meant: [NEITHER] };
}

/** Whatever a pod waits for where no pod of either workload is. */
const NEITHER: Meant = { isMeant: () => true, passing: undefined, isAboutOthers: true };

/** What has to be waited for where a story ends, so that it never says other than its finding; the best first. */
function meantBy({ rule, cause, claims, users = [] }: Finding): readonly Meant[] {
  const own = { passing: undefined, isAboutOthers: false };
  if (rule === rolloutTransient.meta) return [{ ...own, isMeant: () => false, passing: new Set(claims) }];
  if (rule === claimShared.meta && users.length > 0) {
    const isTheirs: Meant['isMeant'] = ({ heldBy }, question) =>
      heldBy.some((podClass) => isOneOf(users, podClass, question));
    const others = { passing: undefined, isAboutOthers: true };
    return [
      { ...others, isMeant: (wait, question) => isHeldByOthers(wait, question) && isTheirs(wait, question) },
      { ...others, isMeant: isTheirs },
    ];
  }
  const isOfClaims = (names: readonly string[]): boolean =>
    names.length === 0 ? claims.length === 0 : names.some((name) => claims.includes(name));
  const isMeant: Meant['isMeant'] = (wait, question) =>
    isOfClaims(wait.claims) && (cause === undefined || wait.cause === cause) && !isHeldByOthers(wait, question);
  return [{ ...own, isMeant }];
}

function isOneOf(users: readonly ObjectRef[], podClass: number, { world }: Question): boolean {
  const { kind, metadata } = world.cluster.classes[podClass]?.facts.workload ?? {};
  return users.some(
    (user) => user.kind === kind && user.namespace === metadata?.namespace && user.name === metadata.name,
  );
}
