import type { Decision } from '../decision/decide.ts';
import type { JsonPatchOperation } from '../mutations/json-patch.ts';
import type { AdmissionResponse, AdmissionReviewResponse } from './admission.ts';

/** What a request is answered with: a decision, or a change to the object. */
export type Answer = Decision | Patched;

export interface Patched {
  readonly verdict: 'mutate';
  readonly patch: readonly JsonPatchOperation[];
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** The one place where answers become what the API server reads (`k8s.io/api/admission/v1/types.go`). */
export function toResponse(uid: string, answer: Answer): AdmissionReviewResponse {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: responseTo(uid, answer) };
}

function responseTo(uid: string, answer: Answer): AdmissionResponse {
  const told = { warnings: answer.warnings, auditAnnotations: answer.annotations };
  switch (answer.verdict) {
    case 'allow':
      return { uid, allowed: true, ...told };
    case 'deny':
      return { uid, allowed: false, status: { code: 403, reason: 'Forbidden', message: answer.message }, ...told };
    case 'mutate':
      return { uid, allowed: true, patchType: 'JSONPatch', patch: base64(answer.patch), ...told };
    default:
      return answer satisfies never;
  }
}

function base64(patch: readonly JsonPatchOperation[]): string {
  return Buffer.from(JSON.stringify(patch)).toString('base64');
}
