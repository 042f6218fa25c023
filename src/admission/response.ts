import type { Verdict } from '../decision/decide.ts';
import { MOST_OF_DENIAL } from '../decision/denial.ts';
import { MOST_OF_ANNOTATION } from '../decision/message.ts';
import { listed, shown } from '../decision/shown.ts';
import type { JsonPatchOperation, Removal } from '../mutations/json-patch.ts';
import { weightOf } from '../objects/json-size.ts';
import type { AdmissionResponse, AdmissionReviewResponse } from './admission.ts';

/** What a request is answered with: a decision, or a change to the object. */
export type Answer = Verdict | Patched;

export interface Patched {
  readonly verdict: 'mutate';
  readonly patch: readonly (JsonPatchOperation | Removal)[];
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** Above this the API server cuts every warning to 256 characters (`apiserver/pkg/endpoints/filters/warning.go`). */
const MOST_OF_WARNINGS = 4_096;

/** One warning, or one line of a denial: names as long as they may be. */
const MOST_OF_LINE = 1_024;

/** Bytes of a patch as JSON. In base64, and beside everything else that an answer holds, that is still less than 64 KB. */
const MOST_OF_PATCH = 24 * 1024;

/** Whether an answer has room for the patch. It repeats parts of the object, whose size is the sender's choice. */
export function hasRoomFor(patch: readonly JsonPatchOperation[]): boolean {
  return weightOf(patch, MOST_OF_PATCH) <= MOST_OF_PATCH;
}

/**
 * The one place where answers become what the API server reads (`k8s.io/api/admission/v1/types.go`). Whatever is read
 * there is one line of what can be seen, a denial a few of them, and not long: nothing that was written before has to see to that.
 */
export function toResponse(uid: string, answer: Answer): AdmissionReviewResponse {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: responseTo(uid, answer) };
}

function responseTo(uid: string, answer: Answer): AdmissionResponse {
  const warnings = listed(
    answer.warnings.map((warning) => shown(warning, MOST_OF_LINE)),
    MOST_OF_WARNINGS,
  );
  const told = { warnings, auditAnnotations: annotationsOf(answer) };
  switch (answer.verdict) {
    case 'allow':
      return { uid, allowed: true, ...told };
    case 'deny':
      return { uid, allowed: false, status: statusWith(answer.message), ...told };
    case 'mutate':
      return { uid, allowed: true, patchType: 'JSONPatch', patch: base64(answer.patch), ...told };
    default:
      return answer satisfies never;
  }
}

/** The API server and kubectl print the lines as they are (`apiserver/pkg/admission/plugin/webhook/errors:ToStatusErr`). */
function statusWith(message: readonly string[]): NonNullable<AdmissionResponse['status']> {
  const lines = message.map((line) => shown(line, MOST_OF_LINE));
  return { code: 403, reason: 'Forbidden', message: listed(lines, MOST_OF_DENIAL, 1).join('\n') };
}

function annotationsOf({ annotations }: Answer): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).map(([key, text]) => [key, shown(text, MOST_OF_ANNOTATION)]));
}

function base64(patch: Patched['patch']): string {
  return Buffer.from(JSON.stringify(patch)).toString('base64');
}
