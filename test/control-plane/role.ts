import type { Identity } from './certificate-authority.ts';
import type { KubernetesApi, KubernetesObject } from './kubernetes-api.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The rules behind the ClusterRoles `view` and `edit`. Those two are empty until the controller manager has aggregated them;
 * these are there as soon as the API server is.
 */
const EDIT_ROLES = ['system:aggregate-to-view', 'system:aggregate-to-edit'];

/** What a person who runs workloads on a cluster of their own does beyond `edit`: namespaces, nodes and storage. */
export const CLUSTER_RESOURCES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['namespaces', 'nodes', 'persistentvolumes'], verbs: ['*'] },
  {
    apiGroups: ['storage.k8s.io'],
    resources: ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments'],
    verbs: ['*'],
  },
];

/** Adds `edit` in all namespaces, and `rules`, to what this user may do: the first of its groups if it has one, else the user. */
export async function grantEdit(
  api: KubernetesApi,
  { user, groups = [] }: Identity,
  rules: readonly PolicyRule[] = CLUSTER_RESOURCES,
): Promise<void> {
  const [group] = groups;
  const subject = group === undefined ? subjectOf('User', user) : subjectOf('Group', group);
  const own = `${subject.name}-own`;
  await grant(api, own, rules, subject);
  for (const role of EDIT_ROLES) await bind(api, `${subject.name}-${role}`, role, subject);
}

/** Gives a user, or a group, a ClusterRole of its own with these rules. */
export async function grant(
  api: KubernetesApi,
  name: string,
  rules: readonly PolicyRule[],
  subject: Subject,
): Promise<void> {
  const role: KubernetesObject & { readonly rules: readonly PolicyRule[] } = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules,
  };
  await api.apply(role);
  await bind(api, name, name, subject);
}

export interface Subject {
  readonly apiGroup: string;
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

export function subjectOf(kind: Subject['kind'], name: string): Subject {
  return { apiGroup: 'rbac.authorization.k8s.io', kind, name };
}

async function bind(api: KubernetesApi, name: string, clusterRole: string, subject: Subject): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const binding: KubernetesObject & { readonly roleRef: object; readonly subjects: readonly Subject[] } = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: clusterRole },
    subjects: [subject],
  };
  await api.apply(binding);
}
