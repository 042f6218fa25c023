import { isWorkloadKind, KINDS, kindOf, WORKLOAD_KINDS, type WorkloadKind } from '../objects/kinds.ts';
import type { OwnerReference } from '../objects/metadata.ts';
import { idOf, isObjectName } from '../objects/object-key.ts';
import type { Workload } from '../objects/workload.ts';
import type { LookedUp } from '../snapshot/snapshot.ts';
import type { Context, WorkloadRef } from './context.ts';

/** What became of the question whether an owner is really there. */
export type Owner =
  | { readonly type: 'there'; readonly workload: Workload }
  /** The owner does not exist, or is another object of that name. */
  | { readonly type: 'made-up' }
  /** Nobody can tell. `because` completes "its owner …". */
  | { readonly type: 'unknown'; readonly because: string };

/** API groups of which Kubernetes' own controllers make what an owner of theirs controls. */
const OWN_GROUPS: ReadonlySet<string> = new Set(WORKLOAD_KINDS.map((kind) => KINDS[kind].apiVersion));

/** Whether the reference names something of Kubernetes itself, which can be looked up, and no custom resource. */
export function isOfKubernetes({ apiVersion }: OwnerReference): boolean {
  return OWN_GROUPS.has(apiVersion);
}

/**
 * Looks up the owner that a reference names: in the watched state, and where that does not have it with this uid, at the API
 * server. An owner's uid is what tells it from one that was thought up, and what can be no object's name is never asked for.
 */
export async function ownerAt(context: Context, namespace: string, reference: OwnerReference): Promise<Owner> {
  const kind = kindOf(reference);
  const { name, uid } = reference;
  if (!isWorkloadKind(kind) || !isObjectName(name)) return { type: 'made-up' };
  const watched = context.deps.snapshot.get(kind, namespace, name);
  if (watched.known && watched.value?.uid === uid) return { type: 'there', workload: watched.value };
  const [workload] = await lookUpWorkloads(context, [{ kind, namespace, name }]);
  const found = workload === undefined ? watched : workload.found;
  if (!found.known) return { type: 'unknown', because: `cannot be told: ${found.because}` };
  return found.value?.uid === uid ? { type: 'there', workload: found.value } : { type: 'made-up' };
}

type FoundWorkload = LookedUp & { readonly kind: WorkloadKind };

/** Asks the API server, each object once a review; what it gives no answer for is left out. */
export async function lookUpWorkloads(
  { lookUps, signal }: Context,
  refs: readonly WorkloadRef[],
): Promise<readonly FoundWorkload[]> {
  await lookUps.ask(
    refs.filter((ref) => !lookUps.has(ref)),
    signal,
  );
  const ids = new Set(refs.map(idOf));
  return lookUps.found.filter((object): object is FoundWorkload => ids.has(idOf(object)));
}
