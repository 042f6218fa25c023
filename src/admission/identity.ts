import { matchesName } from '../objects/name-pattern.ts';
import type { AdmissionRequest } from './review.ts';

/** Whom the operator leaves alone. Names are exact, or end in `*`. */
export interface Exempt {
  readonly namespaces: readonly string[];
  readonly users: readonly string[];
  /** Further accounts whose scaling is judged and never denied. */
  readonly autoscalers: readonly string[];
}

const SYSTEM_GROUPS = ['system:nodes', 'system:serviceaccounts:kube-system'];
const SYSTEM_USERS = ['system:kube-*', 'system:apiserver'];

/** kube-controller-manager's autoscaler, which is told apart from the other controllers of kube-system. */
const HORIZONTAL_POD_AUTOSCALER = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';

/** Why a request is not judged because of who sends it or where; `undefined` if it is. */
export function neverJudged(request: AdmissionRequest, exempt: Exempt): string | undefined {
  if (exempt.namespaces.some((pattern) => matchesName(pattern, request.namespace ?? '')))
    return 'the namespace is exempt';
  if (isAutoscaler(request, exempt)) return undefined;
  const { username = '', groups } = request.userInfo;
  if ((groups ?? []).some((group) => SYSTEM_GROUPS.includes(group))) return 'a controller of Kubernetes sends it';
  if (SYSTEM_USERS.some((pattern) => matchesName(pattern, username))) return 'a controller of Kubernetes sends it';
  return exempt.users.some((pattern) => matchesName(pattern, username)) ? 'the user is exempt' : undefined;
}

export function isAutoscaler({ userInfo, subResource }: AdmissionRequest, exempt: Exempt): boolean {
  if (subResource !== 'scale') return false;
  return [HORIZONTAL_POD_AUTOSCALER, ...exempt.autoscalers].some((name) => matchesName(name, userInfo.username ?? ''));
}

/** A service account of another namespace, as operators have one: whoever may only write in this one cannot be it. */
export function isOperator({ userInfo, namespace }: AdmissionRequest): boolean {
  const own = /^system:serviceaccount:([^:]+):[^:]+$/.exec(userInfo.username ?? '')?.[1];
  return own !== undefined && own !== namespace;
}
