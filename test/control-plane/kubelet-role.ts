import type { Identity } from './certificate-authority.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import { grant, type PolicyRule, subjectOf } from './role.ts';

/** KWOK plays the kubelets, so it comes as one: guards and exemptions must see a node where on a real cluster there is one. */
export const KWOK_IDENTITY: Identity = { user: 'system:node:kwok', groups: ['system:nodes'] };

/**
 * What kubelets do, and the status of attachments, which KWOK sets as well. Real clusters give it to each node for its own
 * objects by the Node authorizer; stand-ins act for any node.
 */
const KUBELET_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'update'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'patch', 'update', 'delete'] },
  { apiGroups: [''], resources: ['nodes/status', 'pods/status'], verbs: ['patch', 'update'] },
  {
    apiGroups: [''],
    resources: ['persistentvolumeclaims', 'persistentvolumes', 'configmaps', 'secrets'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
  {
    apiGroups: ['storage.k8s.io'],
    resources: ['csinodes', 'volumeattachments'],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments/status'], verbs: ['patch', 'update'] },
];

export async function grantKubelets(api: KubernetesApi): Promise<void> {
  await grant(api, 'stand-in-kubelet', KUBELET_RULES, subjectOf('Group', 'system:nodes'));
}
