import type { Mode } from '../decision/mode.ts';
import { type JsonPatchOperation, type Removal, removeAt, setAt } from '../mutations/json-patch.ts';
import { BOOT_ID_ANNOTATION, isOutOfService } from '../objects/node-status.ts';
import type { GuardedSubject } from './guarded.ts';
import type { Repaired } from './repair-workload.ts';

/** Writes on a node, when the out-of-service taint comes, which start of its machine that was, and takes it off with the taint. */
export function recordBootId(subject: GuardedSubject, mode: Mode | undefined): Repaired {
  const patch = mode === 'off' ? undefined : patchOf(subject);
  if (patch === undefined) return { answer: { verdict: 'allow', warnings: [], annotations: {} } };
  const answer = { verdict: 'mutate', patch: [patch], warnings: [], annotations: { mutated: 'boot-id' } } as const;
  return { answer, mutation: 'boot-id' };
}

const ANNOTATION = ['metadata', 'annotations', BOOT_ID_ANNOTATION] as const;

function patchOf({ guarded, object }: GuardedSubject): JsonPatchOperation | Removal | undefined {
  if (guarded.action !== 'update-node') return undefined;
  const { node, previous } = guarded;
  const isRecorded = node.annotations.has(BOOT_ID_ANNOTATION);
  if (!isOutOfService(node)) return isRecorded ? removeAt(ANNOTATION) : undefined;
  if (isOutOfService(previous) || node.bootId === undefined) return undefined;
  return setAt(object, ANNOTATION, node.bootId);
}
