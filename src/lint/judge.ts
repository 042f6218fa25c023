import { Budget } from '../budget.ts';
import { accessModeFacts } from '../facts/access-mode-facts.ts';
import type { Claim } from '../facts/claim.ts';
import { gatherFacts, gathering } from '../facts/gather.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { RecurringAnswers } from '../forecast/recurring-answers.ts';
import type { Metadata } from '../objects/metadata.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import { claimNames, type Workload } from '../objects/workload.ts';
import { bySeverity, evaluateClaim, type Finding, foundIn, overBudgetFindings } from '../rules/evaluate.ts';
import { applyExemption, type Exemption } from '../rules/exemption.ts';
import { rules } from '../rules/index.ts';
import { judge } from '../rules/judge.ts';
import type { StoryBudget } from '../stories/story-budget.ts';
import { claimStory, type Story, storyFor } from '../stories/told.ts';
import type { Manifest } from '../yaml/read-manifests.ts';
import { type Assumptions, assumed, assumptionsAbout } from './assumed-facts.ts';
import { type NodeSupply, nodeSupply } from './assumed-nodes.ts';
import { assumedClass, type InputCluster, inNamespace, seenFrom, unknownClass } from './input-cluster.ts';
import type { InputObjects, LintSubject } from './input-objects.ts';
import { claimsOf, doubtsAbout, nearestTo, type RelatedObject, sharing } from './related.ts';

/** What the input is judged by, beside what stands in it. */
export interface Judging {
  readonly assumptions: Assumptions;
  readonly matrix: StorageMatrix;
  /** How much the stories of findings may take; none are told without it. */
  readonly stories?: StoryBudget | undefined;
  readonly answers?: RecurringAnswers;
  /** As `2026-12-31`, in UTC: exemptions that ended before do not count. */
  readonly today?: string | undefined;
}

/** A finding with the object that it is about. */
export interface LintFinding {
  readonly manifest: Manifest;
  readonly finding: Finding;
  /** The facts of the workload that was judged, with what was assumed. */
  readonly facts?: WorkloadFacts;
  /** The claims that it is about, and the workloads that share them, as far as the input has them. */
  readonly related: readonly RelatedObject[];
  /** What was assumed of those claims, in words. */
  readonly assumed: readonly string[];
  /** How it comes about, where that was asked for. */
  readonly story?: Story | undefined;
}

export interface LintJudgement {
  readonly findings: readonly LintFinding[];
  readonly ignored: number;
  /** What exempted itself, and why. */
  readonly exemptions: readonly Exemption[];
  /** What is wrong with annotations, one line each. */
  readonly notes: readonly string[];
}

/** One object of the input, and by what it was judged. */
export interface JudgedSubject extends LintJudgement {
  /** What its annotation exempts. */
  readonly exempt: readonly LintFinding[];
  /** Gathers the facts of a workload once more for its stories, with what was assumed; none of one that was not read to the end. */
  readonly factsFor?: (budget: Budget) => WorkloadFacts;
}

/** Judges every claim and every workload as the webhook judges their creation. */
export function judged(objects: InputObjects, judging: Judging): LintJudgement {
  const judgeOne = judgeOf(objects, judging);
  const parts = objects.subjects.map((subject): LintJudgement => {
    const { findings, ignored, exemptions, notes } = judgeOne(subject); // its facts would be kept until all are judged
    return { findings, ignored, exemptions, notes };
  });
  return {
    findings: parts.flatMap(({ findings }) => findings),
    ignored: parts.reduce((sum, { ignored }) => sum + ignored, 0),
    exemptions: parts.flatMap(({ exemptions }) => exemptions),
    notes: parts.flatMap(({ notes }) => notes),
  };
}

/** Judges one object of the input after the other. */
export function judgeOf(objects: InputObjects, judging: Judging): (subject: LintSubject) => JudgedSubject {
  const guess = judging.assumptions.attach !== 'unknown';
  const supply = nodeSupply(judging.assumptions.nodes);
  return (subject) => {
    const { file } = subject.manifest;
    const cluster = { state: objects.clusterFrom(file), guess };
    switch (subject.type) {
      case 'claim':
        return judgedClaim(subject.claim, subject.manifest, cluster, judging);
      case 'workload': {
        const workload = inNamespace(subject.workload, objects.claimNamespaces.namespaceOf(subject.workload, file));
        return judgedWorkload(workload, subject.manifest, { objects, cluster, supply }, judging);
      }
      default:
        return subject satisfies never;
    }
  };
}

function judgedClaim(
  claim: PersistentVolumeClaim,
  manifest: Manifest,
  cluster: InputCluster,
  { matrix, stories, today }: Judging,
): JudgedSubject {
  const snapshot = seenFrom(claim.metadata.namespace, cluster);
  const { facts } = gathering(snapshot, matrix, new Budget(), (reading) => accessModeFacts(claim, reading));
  const found = evaluateClaim(rules, claim, facts);
  const whole = (finding: Finding) => ({
    ...{ manifest, finding, related: [], assumed: assumedClass(claim, cluster) },
    story: stories && claimStory(finding),
  });
  return exempted(found, { manifest, metadata: claim.metadata, today }, whole);
}

interface InputAround {
  readonly objects: InputObjects;
  readonly cluster: InputCluster;
  readonly supply: NodeSupply;
}

/** Each workload has a budget of its own. One that has more claims than that lets read is not judged, which is told. */
function judgedWorkload(
  workload: Workload,
  manifest: Manifest,
  surroundings: InputAround,
  judging: Judging,
): JudgedSubject {
  const budget = new Budget();
  const judgement = budget.answer(() => judgedWithin(budget, workload, manifest, surroundings, judging), undefined);
  if (judgement !== undefined) return judgement;
  const found = overBudgetFindings(rules, foundIn(workload));
  return exempted(found, { manifest, metadata: workload.metadata, today: judging.today }, (finding) => ({
    manifest,
    finding,
    related: [],
    assumed: [],
  }));
}

function judgedWithin(
  budget: Budget,
  workload: Workload,
  manifest: Manifest,
  { objects, cluster, supply }: InputAround,
  { assumptions, matrix, stories, answers, today }: Judging,
): JudgedSubject {
  const { kind, metadata } = workload;
  const near = nearestTo(manifest.file, objects.index);
  const snapshot = seenFrom(metadata.namespace, cluster, kind === 'StatefulSet' ? metadata.name : undefined);
  const gathered = gatherFacts(workload, snapshot, matrix, budget).facts;
  const facts = assumed(gathered, assumptions, supply);
  const found = judge({ rules, answers }, facts);
  const factsFor = (given: Budget): WorkloadFacts =>
    assumed(gatherFacts(workload, snapshot, matrix, given).facts, assumptions, supply);
  // A disk that the pods name without a claim has nothing to do with a claim of its name.
  const names = new Set(claimNames(workload));
  const mounted = gathered.claims.filter(({ name }) => names.has(name));
  const judgement = exempted(found, { manifest, metadata, today }, (finding) => {
    const about = new Set(finding.claims);
    const claims = mounted.filter(({ name }) => about.has(name));
    const assumptionsOf = (claim: Claim): readonly string[] => {
      const fact = snapshot.get('PersistentVolumeClaim', metadata.namespace, claim.name);
      const asked = fact.known ? fact.value : undefined;
      const nobodyKnows = asked && unknownClass(asked, snapshot);
      return [...assumptionsAbout(claim, assumptions, nobodyKnows), ...(asked ? assumedClass(asked, cluster) : [])];
    };
    return {
      manifest,
      finding,
      facts,
      related: [...claimsOf(claims, workload, near), ...sharing(finding, near)],
      assumed: [...new Set(claims.flatMap(assumptionsOf))],
      story: stories?.spend(factsFor, (about) => storyFor(finding, { facts: about, running: {} })),
    };
  });
  const doubts = doubtsAbout(mounted, workload, manifest, near);
  const nowhere = budget.answer(() => fitsNowhere(gathered, manifest), []);
  return { ...judgement, factsFor, notes: [...judgement.notes, ...doubts, ...nowhere] };
}

/** Told where the input has nodes and claims are at stake: on no node, nothing can be wrong. To ask for the line costs, and waits. */
function fitsNowhere(facts: WorkloadFacts, manifest: Manifest): readonly string[] {
  const { workload, claims, nodes } = facts;
  if (claims.length === 0 || !nodes.known || nodes.value.landing(facts).size > 0) return [];
  const pods = `the pods of ${workload.kind} ${workload.metadata.name}`;
  return [`${manifest.file}:${manifest.line}: no node of the input fits ${pods}, so nothing is said of where they run`];
}

interface Annotated {
  readonly manifest: Manifest;
  readonly metadata: Metadata;
  readonly today: string | undefined;
}

function exempted(
  found: readonly Finding[],
  { manifest, metadata, today }: Annotated,
  whole: (finding: Finding) => LintFinding,
): JudgedSubject {
  const { kept, ignored, exemptions, problems } = applyExemption(found, metadata, rules, { policy: 'allow', today });
  const notes = problems.map((problem) => `${manifest.file}:${manifest.line}: ${problem}`);
  const exempt = bySeverity(ignored).map(whole);
  return { findings: bySeverity(kept).map(whole), exempt, ignored: ignored.length, exemptions, notes };
}
