/*
 * The out-of-service taint has to stay until the machine has started anew and its volumes are detached. Taken off before,
 * pods come back to a node that may still have the volumes mounted which others use by now.
 *
 * Judged: an update that takes the taint off. The boot id of the moment when it came is written on the node by us; the
 * kubelet reports another one after a start. `status.volumesAttached` is what the attach-detach controller has not detached.
 * Allowed: another boot id and nothing attached. Where no boot id was written and nothing is attached, nobody can tell.
 */
import { unknown } from '../objects/fact.ts';
import { BOOT_ID_ANNOTATION, isOutOfService, type NodeStatus } from '../objects/node-status.ts';
import type { GuardRule, Problem } from './rule.ts';

export const outOfServiceRemovedEarly: GuardRule = {
  judges: 'guard',
  meta: {
    id: 'out-of-service-removed-early',
    subject: 'Node',
    severity: 'warning',
    brief: 'the taint leaves before restart and detach',
    says: 'the out-of-service taint leaves while the boot id is unchanged or volumes remain attached',
    reason: 'the out-of-service taint leaves too early',
    remedy:
      'Taint the node again, let its machine start anew, and wait until no volume is attached to it. Then take the taint off.',
    references: [
      'https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown',
    ],
  },
  check(facts) {
    if (facts.action !== 'update-node') return [];
    const { node, previous } = facts;
    if (!isOutOfService(previous) || isOutOfService(node)) return [];
    const recorded = previous.annotations.get(BOOT_ID_ANNOTATION);
    if (recorded !== undefined && recorded === node.bootId) return [NOT_RESTARTED];
    if (node.volumesAttached.length > 0) return [attached(node)];
    return recorded === undefined || node.bootId === undefined
      ? [unknown('whether its machine has started anew since the taint came')]
      : [];
  },
};

const NOT_RESTARTED = early('its machine restarted', 'its machine has not started anew since the taint came');

function attached({ volumesAttached: { length } }: NodeStatus): Problem {
  const volumes = length === 1 ? '1 volume' : `${length} volumes`;
  const are = length === 1 ? 'is' : 'are';
  return early(`${volumes} ${are} detached`, `${volumes} ${are} still attached to it`);
}

function early(before: string, because: string): Problem {
  return {
    detail: `in service before ${before}`,
    why: `${because}: pods that come there may find volumes mounted that other nodes write to by now`,
    claims: [],
    fix: {
      short: 'taint it again until then',
      written: 'taint it again, start the machine anew, and wait until status.volumesAttached is empty',
    },
  };
}
