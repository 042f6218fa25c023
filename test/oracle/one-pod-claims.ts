import type { V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import type { Mirror } from './world.ts';

/**
 * Who uses a claim that takes one pod, and is also the waiting pod's; `undefined` where nobody does. Whoever does so on any node
 * keeps the pod off all of them, but of each node the scheduler tells only the first filter that fails, which ports and disks
 * written into pods are before this (`pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go:Filter`).
 */
export function userOfOnePodClaim(
  waiting: V1Pod,
  pods: readonly V1Pod[],
  claims: Pick<Mirror<V1PersistentVolumeClaim>, 'get'>,
): string | undefined {
  const namespace = waiting.metadata?.namespace ?? '';
  const wanted = claimsIn(waiting).filter((name) =>
    claims.get(namespace, name)?.spec?.accessModes?.includes('ReadWriteOncePod'),
  );
  const user = pods.find(
    (pod) => pod !== waiting && pod.spec?.nodeName !== undefined && claimsIn(pod).some((name) => wanted.includes(name)),
  );
  return user?.metadata?.name;
}

function claimsIn({ spec }: V1Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
