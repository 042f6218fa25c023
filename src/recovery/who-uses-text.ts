import { isOutOfService } from '../objects/node-status.ts';
import { keyOf } from '../objects/object-key.ts';
import { nameOfSource } from '../objects/persistent-volume.ts';
import { oneLine } from '../one-line.ts';
import { ago, askedToEnd } from './ago.ts';
import { type ClaimUse, nodesOf, type OwnerLink, type UsingPod, unseenOf } from './claim-use.ts';
import { scaledBackBy } from './scaled-back.ts';

/** The use of a claim for people: from the claim down to the owners of its pods. */
export function whoUsesText(use: ClaimUse): string {
  const lines = [
    ...claimLines(use),
    ...volumeLines(use),
    ...attachmentLines(use),
    ...nodesOf(use).flatMap((node) => nodeLines(use, node)),
    ...podLines(use),
    ...workloadLines(use),
    ...unseenOf(use).map((because) => `not seen: ${because}`),
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

function claimLines({ claim, namespace, name, now, otherClaims }: ClaimUse): readonly string[] {
  const key = keyOf(namespace, name);
  if (!claim.known) return [`claim ${key}: ?`];
  if (claim.value === undefined) return [`claim ${key}: there is none`];
  const { phase, accessModes, deletingSince, finalizers } = claim.value;
  const going = deletingSince === undefined ? [] : [`being deleted since ${ago(deletingSince, now)}`, held(finalizers)];
  const others = otherClaims.known ? otherClaims.value.map((ref) => keyOf(ref.namespace, ref.name)) : [];
  return [
    said(`claim ${key}`, [phase, accessModes.join('+'), ...going]),
    ...others.map((other) => `  same disk as claim ${other}`),
  ];
}

function volumeLines({ volume, claim, attachable, manyNodes }: ClaimUse): readonly string[] {
  if (!volume.known) return ['volume: ?'];
  if (volume.value === undefined)
    return claim.known && claim.value?.volumeName
      ? [`volume ${claim.value.volumeName}: there is none`]
      : ['volume: none yet'];
  const { name, source, accessModes, reclaimPolicy } = volume.value;
  const attaches = attachable.known
    ? attachable.value
      ? 'attached to nodes'
      : 'mounted without being attached'
    : 'attached: ?';
  const handle = 'handle' in source ? source.handle : '';
  const nodes = manyNodes ? 'by several nodes at once' : 'by one node at a time';
  return [
    said(`volume ${name}`, [
      nameOfSource(source),
      handle,
      accessModes.join('+'),
      `${attaches}, ${nodes}`,
      reclaimPolicy,
    ]),
  ];
}

function attachmentLines({ attachments, attachable }: ClaimUse): readonly string[] {
  if (!attachments.known) return ['attachments: ?'];
  if (attachments.value.length === 0) return attachable.known && attachable.value ? ['attachments: none'] : [];
  return attachments.value.flatMap(({ name, nodeName, attached, deleting, finalizers, attachError, detachError }) => [
    said(`attachment to ${nodeName}`, [
      attached ? 'attached' : 'not attached, or not yet',
      ...(deleting ? ['being taken off', held(finalizers)] : []),
      name,
    ]),
    ...(attachError === undefined ? [] : [`  attaching failed: ${attachError}`]),
    ...(detachError === undefined ? [] : [`  detaching failed: ${detachError}`]),
  ]);
}

function nodeLines(use: ClaimUse, name: string): readonly string[] {
  const node = use.node(name);
  if (!node.known) return [`node ${name}: ?`];
  if (node.value === undefined) return [`node ${name}: there is none`];
  const { ready, readySince, taints, bootId, deleting } = node.value;
  const status = ready === 'True' ? 'Ready' : ready === 'False' ? 'not Ready' : 'silent (Ready is Unknown)';
  const since = ago(readySince, use.now);
  return [
    said(`node ${name}`, [
      since === '' ? status : `${status} since ${since}`,
      ...(deleting ? ['being deleted'] : []),
      ...(isOutOfService(node.value) ? ['out of service'] : []),
      bootId === undefined ? '' : `boot ${bootId}`,
    ]),
    ...taints.map(({ key, value, effect }) => `  taint ${key}${value === '' ? '' : `=${value}`}:${effect}`),
  ];
}

function podLines(use: ClaimUse): readonly string[] {
  if (!use.pods.known) return ['pods: ?'];
  if (use.pods.value.length === 0) return ['pods: none'];
  return use.pods.value.flatMap((pod) => [
    said(`pod ${keyOf(pod.namespace, pod.name)}`, [
      pod.nodeName === undefined ? 'on no node' : `on ${pod.nodeName}`,
      ...wordsOf(pod, use.now),
    ]),
    ...(pod.unschedulable === undefined ? [] : [`  not scheduled: ${pod.unschedulable}`]),
    ...pod.owners.map((link) => `  of ${linkText(link)}`),
    ...(pod.owners.length === 0 ? ['  of nobody: when it is deleted, it does not come back'] : []),
  ]);
}

function wordsOf(pod: UsingPod, now: number): readonly string[] {
  const { phase, endsBy, graceSeconds, finalizers, isStarting, ended } = pod;
  const asked = ago(askedToEnd(pod), now);
  const going = endsBy === undefined ? [] : [`Terminating since ${asked} (grace ${graceSeconds ?? '?'} s)`];
  return [phase, ...(isStarting && !ended ? ['no container has started'] : []), ...going, held(finalizers)];
}

function workloadLines(use: ClaimUse): readonly string[] {
  if (!use.workloads.known) return ['workloads: ?'];
  return use.workloads.value.flatMap(({ owner, owners }) => [
    said(`${owner.kind} ${keyOf(owner.namespace, owner.name)}`, [
      owner.replicas === undefined ? '' : `${owner.replicas} ${owner.replicas === 1 ? 'replica' : 'replicas'}`,
      owner.suspended ? 'suspended' : '',
      owner.deleting ? 'being deleted' : '',
    ]),
    ...owners.map((link) => `  of ${linkText(link)}`),
    ...scaledBackBy(use, { owner, owners }).map(({ words }) => `  ${words}`),
  ]);
}

function linkText({ kind, namespace, name, found }: OwnerLink): string {
  const key = `${kind} ${keyOf(namespace, name)}`;
  if (!found.known) return `${key} (not read)`;
  return found.value === undefined ? `${key} (there is none)` : key;
}

function held(finalizers: readonly string[]): string {
  return finalizers.length === 0 ? '' : `held by ${finalizers.join(', ')}`;
}

function said(what: string, words: readonly string[]): string {
  return `${what}: ${words.filter((word) => word !== '').join('; ')}`;
}
