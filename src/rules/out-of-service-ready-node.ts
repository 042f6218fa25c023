/*
 * A node must not be called out of service while it is Ready. That taint says that the machine is off, and the
 * attach-detach controller believes it: it detaches what is still mounted, without waiting and whatever the effect.
 *
 * Judged: changes of a node's taints, by the condition Ready that it has at that moment.
 * Allowed: the taint on a node whose condition Ready is False or Unknown, and taking it off.
 */
import { isOutOfService } from '../objects/node-status.ts';
import type { GuardRule } from './rule.ts';

export const outOfServiceReadyNode: GuardRule = {
  judges: 'guard',
  meta: {
    id: 'out-of-service-ready-node',
    subject: 'Node',
    severity: 'error',
    brief: 'out-of-service taint on a Ready node detaches mounted disks',
    says: 'the out-of-service taint on a Ready node detaches disks that are still mounted',
    reason: 'it is Ready, and out-of-service says that its machine is off',
    remedy:
      'Drain a node that answers. Of one that does not, switch the machine off, wait until the node is NotReady, and taint it then.',
    references: [
      'https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown',
    ],
  },
  check(facts) {
    if (facts.action !== 'update-node') return [];
    if (facts.node.ready !== 'True' || !isOutOfService(facts.node)) return [];
    return [
      {
        detail: 'out-of-service while it is Ready',
        why: 'its volumes are detached at once while they are mounted, and what runs there loses what it writes',
        claims: [],
        fix: {
          short: 'drain it, or switch it off first',
          written: 'kubectl drain, or where it hangs: switch the machine off, wait for NotReady, taint it then',
        },
      },
    ];
  },
};
