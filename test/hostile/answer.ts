import type { HostileRequest } from './request.ts';

export interface HostileAnswer {
  readonly status: number;
  readonly body: Buffer;
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Everything that no answer may be, whatever was asked; empty where it is in order. */
export function problemsWith(
  { status, body }: HostileAnswer,
  { uid, hazard, wire }: HostileRequest,
): readonly string[] {
  if (status >= 500) return [`status ${status}`];
  if (wire !== undefined) return []; // whatever such bytes are taken for
  if (body.length > 64 * 1024) return [`${body.length} bytes`];
  if (status !== 200) return status >= 400 ? [] : [`status ${status}`];
  const review = parsed(body);
  if (review === undefined) return ['an answer that is no JSON'];
  return reviewProblems(review, uid, hazard);
}

interface Review {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly response?: {
    readonly uid?: unknown;
    readonly allowed?: unknown;
    readonly status?: { readonly message?: unknown; readonly code?: unknown };
    readonly warnings?: readonly unknown[];
    readonly auditAnnotations?: Readonly<Record<string, unknown>>;
    readonly patch?: unknown;
  };
}

function parsed(body: Buffer): Review | undefined {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** `apiserver/pkg/admission/plugin/webhook/request/admissionreview.go:VerifyAdmissionResponse`, and our own limits. */
function reviewProblems({ apiVersion, kind, response = {} }: Review, uid: unknown, hazard: boolean): readonly string[] {
  const { warnings = [], auditAnnotations = {}, status, patch } = response;
  const denial = typeof status?.message === 'string' ? status.message.split('\n') : [status?.message ?? ''];
  const lines = [...warnings, ...Object.values(auditAnnotations), ...denial];
  const problems: string[] = [];
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') problems.push('no AdmissionReview');
  if (typeof uid !== 'string' || response.uid !== uid) problems.push('another uid');
  if (typeof response.allowed !== 'boolean') problems.push('neither allowed nor denied');
  if (response.allowed === false && status?.code !== 403) problems.push('a denial without 403');
  if (lines.some((line) => typeof line !== 'string' || UNSEEN.test(line)))
    problems.push('a line with what is not seen');
  if (bytes(warnings.join('')) > 4_096) problems.push('more than 4 KB of warnings');
  if (bytes(String(status?.message ?? '')) > 2_048) problems.push('a denial of more than 2 KB');
  if (patch !== undefined && !isPatch(patch)) problems.push('a patch that is none');
  if (hazard && response.allowed !== false) problems.push('a hazard that was admitted');
  return problems;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

function isPatch(patch: unknown): boolean {
  return typeof patch === 'string' && Array.isArray(parsed(Buffer.from(patch, 'base64')));
}
