import type { WorkloadFacts } from '../facts/gather.ts';
import type { ObjectRef } from '../facts/snapshot.ts';
import type { Assumption } from '../forecast/assumption.ts';
import type { Answer, Question } from '../forecast/model/question.ts';
import { Questions } from '../forecast/model/questions.ts';
import { cutReplicas } from '../forecast/model/replicas.ts';
import type { Budget } from '../forecast/model/search.ts';
import type { Running } from '../forecast/running.ts';
import { claimShared } from '../rules/claim-shared.ts';
import type { Finding } from '../rules/evaluate.ts';
import { replicasSplit } from '../rules/replicas-split.ts';
import { rolloutTransient } from '../rules/rollout-transient.ts';
import { isHeldByOthers, type Meant, shortestWay } from './shortest-way.ts';
import { MOST_LINES, storyOf } from './story.ts';
import type { Occasion } from './telling.ts';

/** Of which workload a story is, and what is taken of what is not known. */
export interface About {
  readonly facts: WorkloadFacts;
  readonly running: Running;
  readonly assumption: Assumption;
}

/** The story behind a finding; `undefined` where the search shows no way to what it says. */
export function findingStory(
  finding: Finding,
  about: About,
  budget: Budget,
  mostLines: number = MOST_LINES,
): readonly string[] | undefined {
  const { facts, running, assumption } = about;
  const { replicas } = facts.workload;
  const most = Math.max(replicas, autoscaledTo(about));
  const cut = cutReplicas(facts, running.before, most);
  const before = running.before && cut.before && { ...running.before, workload: cut.before };
  const how = { assumption, most: cut.most, budget, takesAtOnce: true };
  const asked = new Questions({ ...facts, workload: cut.wanted }, { ...running, before }, how);
  if (!asked.isLookedAt) return undefined;
  for (const { answer, occasion, meant } of answersFor(finding, asked, about, [cut.wanted.replicas, cut.most])) {
    const way = shortestWay(answer.question, meant ?? meantBy(finding), budget);
    if (way === undefined) continue;
    const wanted = occasion === 'autoscaling' ? most : replicas;
    return storyOf(way, occasion, { ...facts.workload, replicas: wanted }, mostLines);
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
  readonly meant?: Meant;
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
  for (const answer of asked.besideNobody()) {
    yield { answer, occasion: 'creation', meant: { isMeant: () => true, passing: undefined } };
  }
}

/** What has to be waited for where a story ends, so that it never says other than its finding. */
function meantBy({ rule, cause, claims, users = [] }: Finding): Meant {
  if (rule === rolloutTransient.meta) return { isMeant: () => false, passing: new Set(claims) };
  if (rule === claimShared.meta && users.length > 0) {
    return {
      isMeant: ({ heldBy }, question) => heldBy.some((podClass) => isOneOf(users, podClass, question)),
      passing: undefined,
    };
  }
  const isOfClaims = (names: readonly string[]): boolean =>
    names.length === 0 ? claims.length === 0 : names.some((name) => claims.includes(name));
  return {
    isMeant: (wait, question) =>
      isOfClaims(wait.claims) && (cause === undefined || wait.cause === cause) && !isHeldByOthers(wait, question),
    passing: undefined,
  };
}

function isOneOf(users: readonly ObjectRef[], podClass: number, { world }: Question): boolean {
  const { kind, metadata } = world.cluster.classes[podClass]?.facts.workload ?? {};
  return users.some(
    (user) => user.kind === kind && user.namespace === metadata?.namespace && user.name === metadata.name,
  );
}
