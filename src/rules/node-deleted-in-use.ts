/*
 * A node should be drained before it is deleted. Its pods are then collected only after a while, and volumes that its
 * kubelet had mounted stay attached to it for six minutes more, or for ever where forced detaching is switched off.
 *
 * Judged: deleting a Node, by what its status says is attached and in use.
 * Allowed: a node from which all that it had mounted is detached. Kubernetes' own controllers are not judged.
 */
import type { GuardRule } from './rule.ts';

export const nodeDeletedInUse: GuardRule = {
  judges: 'guard',
  meta: {
    id: 'node-deleted-in-use',
    subject: 'Node',
    severity: 'warning',
    brief: 'deleting a node whose volumes are in use',
    says: 'the node is deleted while volumes of it are in use',
    reason: 'it is deleted while its volumes are in use',
    remedy:
      'Drain the node, and wait until its volumes are detached. Where it is dead, switch its machine off and give it the ' +
      'out-of-service taint, which detaches them without the wait; delete it then.',
    references: [
      'https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown',
    ],
  },
  check(facts) {
    if (facts.action !== 'delete-node') return [];
    const attached = new Set(facts.node.volumesAttached);
    const { length } = facts.node.volumesInUse.filter((volume) => attached.has(volume));
    if (length === 0) return [];
    const volumes = length === 1 ? '1 volume' : `${length} volumes`;
    return [
      {
        detail: `${volumes} in use there`,
        why: `${volumes} of it ${length === 1 ? 'is' : 'are'} mounted: they stay attached six minutes longer than its pods, or for ever`,
        claims: [],
        fix: {
          short: 'drain it first',
          written: 'kubectl drain, and delete it when status.volumesAttached is empty',
        },
      },
    ];
  },
};
