import { accessModeFacts } from '../facts/access-mode-facts.ts';
import type { Claim } from '../facts/claim.ts';
import { gatherFacts, gathering, type WorkloadFacts } from '../facts/gather.ts';
import type { Metadata } from '../facts/metadata.ts';
import { idOf } from '../facts/object-key.ts';
import type { PersistentVolumeClaim } from '../facts/persistent-volume-claim.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import type { Workload } from '../facts/workload.ts';
import { forecast } from '../forecast/outcome.ts';
import { type Assumptions, assumed, assumptionsAbout } from '../offline/assumed-facts.ts';
import { type NodeSupply, nodeSupply } from '../offline/assumed-nodes.ts';
import type { Manifest } from '../offline/read-manifests.ts';
import { assumedClass, inNamespace, seenFrom, type WrittenCluster } from '../offline/written-cluster.ts';
import { homeOf, namespacesOfClaims, type WrittenObjects } from '../offline/written-objects.ts';
import { bySeverity, evaluateClaim, evaluateWorkload, type Finding } from '../rules/evaluate.ts';
import { applyExemption } from '../rules/exemption.ts';
import { rules } from '../rules/index.ts';

/** By what the input is judged, beside what stands in it. */
export interface Judging {
  readonly assumptions: Assumptions;
  readonly matrix: StorageMatrix;
}

/** A finding with the object that it is about. */
export interface LintFinding {
  readonly manifest: Manifest;
  readonly finding: Finding;
  /** Of a workload, with what was assumed. */
  readonly facts?: WorkloadFacts;
  /** The claims that it is about, and the workloads that share them, as far as the input has them. */
  readonly related: readonly RelatedObject[];
  /** What was assumed of those claims, in words. */
  readonly assumed: readonly string[];
}

export interface RelatedObject {
  readonly manifest: Manifest;
  readonly message: string;
  /** Of the field that matters. */
  readonly path: string;
}

export interface Judged {
  readonly findings: readonly LintFinding[];
  readonly ignored: number;
  /** What is wrong with annotations, one line each. */
  readonly notes: readonly string[];
}

/** Judges every claim and every workload as the webhook judges their creation. */
export function judged(objects: WrittenObjects, judging: Judging): Judged {
  const cluster = { ...objects.cluster, guess: judging.assumptions.attach !== 'unknown' };
  const homes = namespacesOfClaims(objects);
  const supply = nodeSupply(judging.assumptions.nodes);
  const parts = objects.subjects.map((subject) => {
    switch (subject.type) {
      case 'claim':
        return judgedClaim(subject.claim, subject.manifest, cluster, judging);
      case 'workload': {
        const workload = inNamespace(subject.workload, homeOf(subject.workload, homes));
        return judgedWorkload(workload, subject.manifest, { objects, cluster, supply }, judging);
      }
      default:
        return subject satisfies never;
    }
  });
  return {
    findings: parts.flatMap(({ findings }) => findings),
    ignored: parts.reduce((sum, { ignored }) => sum + ignored, 0),
    notes: parts.flatMap(({ notes }) => notes),
  };
}

function judgedClaim(
  claim: PersistentVolumeClaim,
  manifest: Manifest,
  cluster: WrittenCluster,
  { matrix }: Judging,
): Judged {
  const snapshot = seenFrom(claim.metadata.namespace, cluster);
  const { facts } = gathering(snapshot, matrix, (reading) => accessModeFacts(claim, reading));
  const found = evaluateClaim(rules, claim.metadata.name, facts);
  const whole = (finding: Finding) => ({ manifest, finding, related: [], assumed: assumedClass(claim, cluster) });
  return exempted(found, manifest, claim.metadata, whole);
}

interface Surroundings {
  readonly objects: WrittenObjects;
  readonly cluster: WrittenCluster;
  readonly supply: NodeSupply;
}

function judgedWorkload(
  workload: Workload,
  manifest: Manifest,
  { objects, cluster, supply }: Surroundings,
  { assumptions, matrix }: Judging,
): Judged {
  const { kind, metadata } = workload;
  const snapshot = seenFrom(metadata.namespace, cluster, kind === 'StatefulSet' ? metadata.name : undefined);
  const gathered = gatherFacts(workload, snapshot, matrix).facts;
  const facts = assumed(gathered, assumptions, supply);
  const found = evaluateWorkload(rules, workload, forecast(facts));
  return exempted(found, manifest, metadata, (finding) => {
    const claims = gathered.claims.filter(({ name }) => finding.claims.includes(name));
    const classes = claims.flatMap(({ name }) => {
      const claim = snapshot.claim(metadata.namespace, name);
      return claim.known && claim.value !== undefined ? assumedClass(claim.value, cluster) : [];
    });
    return {
      manifest,
      finding,
      facts,
      related: [...claimsOf(claims, workload, objects), ...sharing(finding, objects)],
      assumed: [...claims.flatMap((claim) => assumptionsAbout(claim, assumptions)), ...classes],
    };
  });
}

function exempted(
  found: readonly Finding[],
  manifest: Manifest,
  { annotations }: Metadata,
  whole: (finding: Finding) => LintFinding,
): Judged {
  const { kept, ignored, problems } = applyExemption(found, annotations, rules);
  const notes = problems.map((problem) => `${manifest.file}:${manifest.line}: ${problem}`);
  return { findings: bySeverity(kept).map(whole), ignored: ignored.length, notes };
}

function claimsOf(claims: readonly Claim[], workload: Workload, objects: WrittenObjects): readonly RelatedObject[] {
  return claims.flatMap(({ name, accessModes }) => {
    const manifest = manifestOf('PersistentVolumeClaim', workload.metadata.namespace, name, objects);
    const modes = accessModes.known ? `, ${accessModes.value.join(', ')}` : '';
    return manifest === undefined ? [] : [{ manifest, message: `claim ${name}${modes}`, path: 'spec.accessModes' }];
  });
}

/** The other workload whose pods use the claim that this finding is about. */
function sharing({ user }: Finding, objects: WrittenObjects): readonly RelatedObject[] {
  if (user === undefined) return [];
  const { kind, namespace, name } = user;
  const manifest = manifestOf(kind, namespace, name, objects);
  return manifest === undefined ? [] : [{ manifest, message: `${kind} ${name} uses it too`, path: '' }];
}

function manifestOf(
  kind: string,
  namespace: string,
  name: string,
  { manifestOf: found }: WrittenObjects,
): Manifest | undefined {
  return found.get(idOf({ kind, namespace, name })) ?? found.get(idOf({ kind, namespace: '', name }));
}
