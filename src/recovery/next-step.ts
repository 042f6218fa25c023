import { isOutOfService } from '../objects/node-status.ts';
import type { ClaimUse } from './claim-use.ts';
import { diagnose } from './diagnose.ts';
import type { Case, Diagnosis } from './diagnosis.ts';
import type { Next } from './next.ts';
import { recordOf } from './record.ts';
import type { Mandate } from './refusals.ts';
import { nextOfStopAndStart } from './stop-and-start.ts';
import { hasWaitedLong, names, nodeOf, podsOn, viewOf } from './view.ts';

/** Cases that end by stopping everything that uses the claim. */
export function isStopAndStart(id: Case): boolean {
  return id === 'rollout-deadlock' || id === 'shared-volume-stuck';
}

/** Of what is under way first, then of the case that is there now. */
export function nextStep(use: ClaimUse, mandate: Mandate): Next {
  const underWay = use.claim.known && use.claim.value ? recordOf(use.claim.value.metadata.annotations) : undefined;
  const diagnosis = diagnose(use);
  if (underWay !== undefined) {
    const ofNode = isOfNode(diagnosis.case) ? nextOfNode(use, diagnosis, mandate) : undefined;
    return ofNode?.type === 'do' ? ofNode : nextOfStopAndStart(use, diagnosis.case, mandate);
  }
  if (mandate.rollBack) return { type: 'done', words: 'no recovery is under way' };
  const { case: id, safety } = diagnosis;
  switch (id) {
    case 'rollout-deadlock':
    case 'shared-volume-stuck':
      if (safety.is === 'unsafe') return { type: 'refuse', because: [`${safety.because}: ${safety.wouldBe}`] };
      return nextOfStopAndStart(use, id, mandate);
    case 'two-owners':
      if (safety.is === 'unsafe') return { type: 'refuse', because: [`${safety.because}: ${safety.wouldBe}`] };
      if (mandate.keep === undefined)
        return { type: 'refuse', because: ['say which owner keeps the claim: --keep KIND/NAME'] };
      return nextOfStopAndStart(use, id, mandate);
    case 'node-down':
    case 'node-down-pod-gone':
    case 'deleted-node':
      return nextOfNode(use, diagnosis, mandate);
    case 'slow-termination': {
      const ending = viewOf(use).pods.filter(({ deleting }) => deleting);
      const off = `the volume to come off ${diagnosis.node}`;
      return { type: 'wait', for: ending.length > 0 ? `${names(ending)} to end` : off };
    }
    case 'nothing-wrong':
      return { type: 'done', words: 'nothing is wrong with it' };
    case 'not-told': {
      const { waiting } = viewOf(use);
      const isNew = waiting.length > 0 && !waiting.some((pod) => hasWaitedLong(pod, use.now));
      return isNew ? { type: 'wait', for: `${names(waiting)} to come up` } : BY_HAND;
    }
    case 'no-claim':
    case 'claim-deleting':
    case 'unmount-hangs':
    case 'replicas-split':
    case 'volume-limit':
    case 'mode-refused':
      return BY_HAND;
    default:
      return id satisfies never;
  }
}

const BY_HAND: Next = {
  type: 'refuse',
  because: ['there is no step that could be taken from here: the plan says what to do by hand'],
};

/** Cases of a node that is silent or gone. */
export function isOfNode(id: Case): boolean {
  return id === 'node-down' || id === 'node-down-pod-gone' || id === 'deleted-node';
}

function nextOfNode(use: ClaimUse, { case: id, node = '' }: Diagnosis, { nodeIsOff }: Mandate): Next {
  const view = viewOf(use);
  const isOff = nodeIsOff.includes(node);
  const pods = podsOn(view, node);
  const attachment = view.attachments.find(({ nodeName }) => nodeName === node);
  const status = nodeOf(view, node);
  const isDeclared = status !== undefined && isOutOfService(status);
  const gone = pods.length > 0 ? `${names(pods)} to go` : `the volume to come off ${node}`;
  if (id === 'deleted-node') {
    if (!isOff || attachment === undefined || pods.length > 0 || attachment.deleting)
      return { type: 'wait', for: gone };
    return { type: 'do', action: { type: 'delete-attachment', name: attachment.name, node } };
  }
  if (isDeclared) return { type: 'wait', for: gone };
  if (isOff) return { type: 'do', action: { type: 'out-of-service', node, bootId: status?.bootId } };
  if (id === 'node-down-pod-gone')
    return { type: 'wait', for: `${gone}, by force after 6 minutes unless that is switched off` };
  return {
    type: 'refuse',
    because: [`is the machine of ${node} off, and does it stay off? If so: --node-is-off ${node}`],
  };
}
