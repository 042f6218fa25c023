import { OTHER_KINDS, workload } from './kind-manifests.ts';
import { claim, deployment, documents } from './webhook-manifests.ts';

/** So many workloads, with a claim for each, in ten namespaces: of each kind as many, and every second one a hazard. */
export const COUNT = 300;

export const NAMESPACES: readonly string[] = Array.from({ length: 10 }, (_, n) => `team-${n}`);

export interface AuditedWorkload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Whether anything is wrong with it once there is more than one node. */
  readonly isHazard: boolean;
}

const KINDS = ['Deployment', ...OTHER_KINDS] as const;

export const WORKLOADS: readonly AuditedWorkload[] = Array.from({ length: COUNT }, (_, n) => ({
  kind: KINDS[n % KINDS.length] ?? 'Deployment',
  namespace: NAMESPACES[n % NAMESPACES.length] ?? '',
  name: `w-${n}`,
  isHazard: Math.floor(n / KINDS.length) % 2 === 0,
}));

export const HAZARDS: readonly string[] = WORKLOADS.filter(({ isHazard }) => isHazard).map(nameOf);

/** `Deployment team-0/w-0`. */
export function nameOf({ kind, namespace, name }: Pick<AuditedWorkload, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

export function manifests(workloads: readonly AuditedWorkload[]): string {
  return documents(...workloads.flatMap((one) => [claim(one.namespace, one.name), manifestOf(one)]));
}

function manifestOf({ kind, namespace, name, isHazard }: AuditedWorkload): string {
  const options = { name, claim: name };
  const other = OTHER_KINDS.find((one) => one === kind);
  if (other !== undefined) return workload(other, namespace, { ...options, pods: isHazard ? 2 : 1 });
  return deployment(namespace, isHazard ? options : { ...options, strategy: ['type: Recreate'] });
}
