import type { DecidedFinding } from '../decision/decide.ts';
import type { Mode } from '../decision/mode.ts';
import type { Exemption } from '../rules/exemption.ts';

/** What the API server gets back; the shape is `k8s.io/api/admission/v1`. */
export interface AdmissionReviewResponse {
  readonly apiVersion: 'admission.k8s.io/v1';
  readonly kind: 'AdmissionReview';
  readonly response: AdmissionResponse;
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly patchType?: 'JSONPatch';
  /** A JSON patch, base64. */
  readonly patch?: string;
}

/** What one review came to, for the log line and the metrics. No object's content, and no secret, is in it. */
export interface Observation {
  readonly webhook: 'validate' | 'mutate';
  readonly uid: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly operation: string;
  readonly user: string;
  readonly dryRun: boolean;
  /** `skip` means that the review was none of our business and nothing was judged. */
  readonly verdict: 'allow' | 'warn' | 'deny' | 'mutate' | 'skip';
  /** The mode of the namespace, where something was judged by it. */
  readonly mode?: Mode | undefined;
  readonly findings: readonly DecidedFinding[];
  readonly mutations: readonly string[];
  /** Rules that found something and did not count, because an object says so. */
  readonly exempted: readonly Exemption[];
  /** Why nothing was judged. */
  readonly skipped?: string | undefined;
  /** Whether something was left unjudged because it would have taken too long. */
  readonly overBudget: boolean;
}

export interface Admitted {
  readonly review: AdmissionReviewResponse;
  readonly observation: Observation;
}

/**
 * The admission protocol's two paths. `body` is the parsed JSON of the request, of which nothing is known; `signal`
 * ends when the API server stops waiting. Rejects with MalformedReviewError where the body is no AdmissionReview, and
 * with anything else only because of a bug of ours.
 */
export interface Admission {
  validate(body: unknown, signal: AbortSignal): Promise<Admitted>;
  mutate(body: unknown, signal: AbortSignal): Promise<Admitted>;
}

/** The body is no AdmissionReview of `admission.k8s.io/v1` with a request and a uid. */
export class MalformedReviewError extends Error {
  readonly code = 'MALFORMED_REVIEW';

  constructor(problem: string) {
    super(`this is no AdmissionReview of admission.k8s.io/v1: ${problem}; send what the API server sends`);
    this.name = 'MalformedReviewError';
  }
}
