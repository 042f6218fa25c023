import { type Claim, mayBeExclusive, type Reading } from '../facts/claim.ts';
import { claimByName } from '../facts/claim-facts.ts';
import { gathering } from '../facts/gather.ts';
import type { GuardFacts } from '../facts/guard-facts.ts';
import { namespaceLabelsOf } from '../facts/namespace-labels.ts';
import { useByPods, useOnNode, type VolumeUse } from '../facts/volume-use.ts';
import { exclusivityOf } from '../forecast/assumption.ts';
import { type Fact, known, type Unknown } from '../objects/fact.ts';
import { isObjectName } from '../objects/object-key.ts';
import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { Pod } from '../objects/pod.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import { evaluateGuards, isIn } from '../rules/evaluate.ts';
import { applyExemption } from '../rules/exemption.ts';
import { type Context, exemptionTerms, gatherLive } from './context.ts';
import type { GuardedSubject } from './guarded.ts';
import type { Judgement } from './judge-workload.ts';
import type { NodeReading } from './node-reading.ts';

/** What somebody does by hand is judged by what is so now: nodes and pods are read, and nothing of it is from a watch but claims. */
export async function judgeGuarded(context: Context, subject: GuardedSubject, nodes: NodeReading): Promise<Judgement> {
  const { rules } = context.deps;
  const { kind, metadata } = subject;
  const { namespace, name } = metadata;
  const object = { kind, namespace, name };
  const facts = await factsOf(context, subject, nodes);
  const before =
    facts.action === 'update-node' ? evaluateGuards(rules, object, { ...facts, node: facts.previous }) : [];
  const found = evaluateGuards(rules, object, facts);
  const { kept, exemptions, problems } = applyExemption(found, metadata, rules, exemptionTerms(context.deps));
  return {
    judged: {
      found: kept.filter((finding) => !isIn(finding, before)),
      existing: kept.filter((finding) => isIn(finding, before)),
      exemptions,
      notes: problems,
      deniable: true,
    },
    namespaceLabels: await labelsOf(namespace, context),
  };
}

/** Those of no namespace say nothing, so that the mode of guards holds. */
function labelsOf(
  namespace: string,
  context: Context,
): Judgement['namespaceLabels'] | Promise<Judgement['namespaceLabels']> {
  return namespace === '' ? known(new Map()) : reading(context, (read) => namespaceLabelsOf(namespace, read));
}

async function factsOf(
  context: Context,
  { guarded, metadata: { namespace, name } }: GuardedSubject,
  nodes: NodeReading,
): Promise<GuardFacts> {
  switch (guarded.action) {
    case 'update-node':
    case 'delete-node':
      return guarded;
    case 'release-attachment':
      return { ...guarded, use: await useOf(context, guarded.attachment, nodes) };
    case 'force-delete-pod': {
      const exclusive = await reading(context, (read) => exclusiveOf(guarded.pod, read));
      return { ...guarded, node: await nodes.node(guarded.pod.nodeName ?? '', context.signal), exclusive };
    }
    case 'delete-claim':
      return { ...guarded, claim: name, users: context.deps.snapshot.workloadsMounting(namespace, name) };
    default:
      return guarded satisfies never;
  }
}

/** Reads one node and one volume, and pods of one namespace only where these do not tell. */
async function useOf(context: Context, attachment: VolumeAttachment, nodes: NodeReading): Promise<Fact<VolumeUse>> {
  const { budget, signal } = context;
  const node = await nodes.node(attachment.nodeName, signal);
  const volume = await reading(context, (read) => volumeOf(attachment, read));
  const use = useOnNode(attachment, volume, node, budget);
  if (use !== undefined) return use;
  const bound = volume.known ? volume.value : undefined;
  const namespace = attachment.disk === undefined ? bound?.claimRef?.namespace : '';
  const pods = namespace === undefined ? known([]) : await nodes.podsOn(attachment.nodeName, namespace, signal);
  return useByPods(attachment, bound, pods, budget);
}

function volumeOf({ volumeName }: VolumeAttachment, { snapshot, missed }: Reading): Fact<PersistentVolume | undefined> {
  if (!isObjectName(volumeName)) return known(undefined);
  const found = snapshot.get('PersistentVolume', '', volumeName);
  if (!found.known || found.value === undefined) missed({ kind: 'PersistentVolume', namespace: '', name: volumeName });
  return found;
}

/** A disk that is written into a pod attaches to one node. */
function exclusiveOf({ namespace, claims, disks }: Pod, read: Reading): Fact<readonly string[]> {
  const all = claims.map((name) => claimByName(namespace, name, read));
  const certain = [...all.filter(isCertain).map(({ name }) => name), ...disks];
  if (certain.length > 0) return known(certain);
  const [open] = all
    .filter(mayBeExclusive)
    .flatMap(({ accessModes, attachable, onePod }) =>
      [accessModes, attachable, onePod].flatMap((fact): readonly Unknown[] => (fact.known ? [] : [fact])),
    );
  return open ?? known([]);
}

function isCertain(claim: Claim): boolean {
  return exclusivityOf(claim, 'harmless') !== 'shared';
}

function reading<T>(context: Context, read: (reading: Reading) => T): T | Promise<T> {
  const { deps, budget } = context;
  return gatherLive(context, (snapshot) => gathering(snapshot, deps.matrix, budget, read));
}
