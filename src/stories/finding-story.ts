import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { Assumption } from '../forecast/assumption.ts';
import { cutReplicas } from '../forecast/fewer-replicas.ts';
import { autoscaledReplicas } from '../forecast/forecast.ts';
import type { Answer, Question } from '../forecast/question.ts';
import { Questions } from '../forecast/questions.ts';
import type { Running } from '../forecast/running.ts';
import { claimShared } from '../rules/claim-shared.ts';
import type { Finding } from '../rules/evaluate.ts';
import { replicasSplit } from '../rules/replicas-split.ts';
import { rolloutTransient } from '../rules/rollout-transient.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';
import { isHeldByOthers, type Meant, wayTo } from './shortest-way.ts';
import { type StoryLine, storyOf } from './story.ts';
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
export function findingStory(finding: Finding, about: About, mostLines: number): readonly StoryLine[] | undefined {
  const { workload, otherUsers } = about.facts;
  const isOfItself = finding.rule !== claimShared.meta && workload.template.podAffinity.length === 0;
  const alone = { ...about, facts: { ...about.facts, otherUsers: { ...otherUsers, pods: [] } } };
  const story = isOfItself && otherUsers.pods.length > 0 ? storyOfOne(finding, alone, mostLines) : undefined;
  return story ?? storyOfOne(finding, about, mostLines);
}

function storyOfOne(finding: Finding, about: About, mostLines: number): readonly StoryLine[] | undefined {
  const { facts, running, assumption } = about;
  const { replicas } = facts.workload;
  const most = autoscaledReplicas(facts, assumption) ?? replicas;
  const cut = cutReplicas(facts, running.before, most);
  const before = running.before && cut.before && { ...running.before, workload: cut.before };
  const how = { assumption, most: cut.most, takesAtOnce: true, podsEnd: true };
  const asked = new Questions({ ...facts, workload: cut.wanted }, { ...running, before }, how);
  if (!asked.isLookedAt) return undefined;
  for (const { answer, occasion, meant } of answersFor(finding, asked, about, [cut.wanted.replicas, cut.most])) {
    for (const one of meant ?? meantBy(finding)) {
      const way = wayTo(answer.question, one);
      const wanted = occasion === 'autoscaling' ? most : replicas;
      if (way !== undefined) return storyOf(way, occasion, { ...facts.workload, replicas: wanted }, mostLines);
    }
  }
  return undefined;
}

/** An answer in which the way may be, and what makes its pods come. */
interface Told {
  readonly answer: Answer;
  readonly occasion: Occasion;
  /** Where it is not what the finding says of itself. */
  readonly meant?: readonly Meant[];
}

function* answersFor(
  { rule, users = [] }: Finding,
  asked: Questions,
  { facts, running }: About,
  [replicas, most]: readonly [number, number],
): Generator<Told> {
  if (rule === replicasSplit.meta) {
    yield { answer: asked.creation(replicas), occasion: 'creation' };
    if (most > replicas) yield { answer: asked.creation(most), occasion: 'autoscaling' };
    return;
  }
  const { before } = running;
  const isShared = rule === claimShared.meta;
  const rollouts = isShared && before === undefined ? [] : asked.rollouts();
  for (const [index, answer] of rollouts.entries()) {
    yield { answer, occasion: before !== undefined && index === 0 ? 'change' : 'next change' };
  }
  if (!isShared) return;
  if (facts.workload.concurrencyPolicy === 'Allow' && users.length === 0) {
    yield { answer: asked.nextRun(), occasion: 'next run' };
    return;
  }
  yield { answer: asked.creation(replicas), occasion: 'creation' };
  for (const answer of asked.besideNobody()) yield { answer, occasion: 'creation', meant: [NEITHER] };
}

/** Whatever a pod waits for where no pod of either workload is. */
const NEITHER: Meant = { isMeant: () => true, isAboutOthers: true };

/** What has to be waited for where a story ends, so that it never says other than its finding; the best first. */
function meantBy({ rule, cause, claims, users = [] }: Finding): readonly Meant[] {
  if (rule === rolloutTransient.meta) return [{ isMeant: () => false, passing: claims, isAboutOthers: false }];
  if (rule === claimShared.meta && users.length > 0) {
    const isTheirs: Meant['isMeant'] = ({ heldBy }, question) =>
      heldBy.some((podClass) => isOneOf(users, podClass, question));
    const isTheirsAlone: Meant['isMeant'] = (wait, question) =>
      isHeldByOthers(wait, question) && isTheirs(wait, question);
    return [isTheirsAlone, isTheirs].map((isMeant) => ({ isMeant, isAboutOthers: true }));
  }
  const isOfClaims = (names: readonly string[]): boolean =>
    names.length === 0 ? claims.length === 0 : names.some((name) => claims.includes(name));
  const isMeant: Meant['isMeant'] = (wait, question) =>
    isOfClaims(wait.claims) && (cause === undefined || wait.cause === cause) && !isHeldByOthers(wait, question);
  return [{ isMeant, isAboutOthers: false }];
}

function isOneOf(users: readonly ObjectRef[], podClass: number, { world }: Question): boolean {
  const { kind, metadata } = world.cluster.classes[podClass]?.facts.workload ?? {};
  return users.some(
    (user) => user.kind === kind && user.namespace === metadata?.namespace && user.name === metadata.name,
  );
}
