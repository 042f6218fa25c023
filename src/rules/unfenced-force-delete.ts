/*
 * A pod that is deleted by force disappears from the API, and whether its processes have ended nobody knows. On a node that
 * does not answer they may go on writing, while another pod gets the volume.
 *
 * Judged: deleting a pod with a grace period of 0 that has a volume for one node or one pod, on a node that is not Ready
 * and has no out-of-service taint. Switched on by a webhook configuration of its own.
 * Allowed: pods on Ready nodes, on nodes that are gone, and on those of which somebody said that they are off.
 */
import { isOutOfService } from '../objects/node-status.ts';
import type { GuardRule } from './rule.ts';

export const unfencedForceDelete: GuardRule = {
  judges: 'guard',
  meta: {
    id: 'unfenced-force-delete',
    subject: 'Pod',
    severity: 'warning',
    brief: 'force delete does not prove the writer stopped',
    says: 'force delete on a node that does not answer does not prove that the writer stopped (off unless switched on)',
    reason: 'its node does not answer, and may still run it',
    remedy:
      'Switch the machine of the node off, and give the node the out-of-service taint: its pods are then deleted, and their ' +
      'volumes detached, by Kubernetes itself.',
    references: [
      'https://kubernetes.io/docs/tasks/run-application/force-delete-stateful-set-pod/',
      'https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown',
    ],
  },
  check(facts) {
    if (facts.action !== 'force-delete-pod') return [];
    const { pod, node, exclusive } = facts;
    if (!node.known) return [node];
    if (node.value === undefined || node.value.ready === 'True' || isOutOfService(node.value)) return [];
    if (!exclusive.known) return [exclusive];
    const [first] = exclusive.value;
    if (first === undefined) return [];
    return [
      {
        detail: `${pod.nodeName} does not answer and may write to ${first}`,
        why: `node ${pod.nodeName} is not Ready, and nobody said that it is off: the pod may still write while another gets its volume`,
        claims: exclusive.value,
        fix: {
          short: 'switch it off and taint it',
          written: 'switch the machine off, and taint the node out-of-service instead',
        },
      },
    ];
  },
};
