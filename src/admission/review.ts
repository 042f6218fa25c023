import { Ajv } from 'ajv';
import { MOST_OF_OBJECT_NAME } from '../objects/json.ts';
import { MalformedReviewError } from './admission.ts';

/** A request as the API server sends it. The objects are untyped still: facts/ reads them. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespace?: string;
  readonly name?: string;
  readonly operation: string;
  readonly userInfo: { readonly username?: string; readonly groups?: readonly string[] };
  readonly dryRun?: boolean;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  /** How it is created, updated or deleted, such as with which `gracePeriodSeconds`. */
  readonly options?: unknown;
}

interface AdmissionReview {
  readonly apiVersion: 'admission.k8s.io/v1';
  readonly kind: 'AdmissionReview';
  readonly request: AdmissionRequest;
}

const text = { type: 'string' } as const;

/** Longest of all are names of Kubernetes (`apimachinery/pkg/util/validation/validation.go`); a uid, a kind or a verb has fewer. */
const word = { type: 'string', maxLength: MOST_OF_OBJECT_NAME } as const;

/** The envelope only: what is in it must stay as it came, so nothing is coerced, defaulted or removed. */
const envelope = {
  type: 'object',
  required: ['apiVersion', 'kind', 'request'],
  properties: {
    apiVersion: { const: 'admission.k8s.io/v1' },
    kind: { const: 'AdmissionReview' },
    request: {
      type: 'object',
      required: ['uid', 'kind', 'resource', 'operation', 'userInfo'],
      properties: {
        uid: { ...word, minLength: 1 },
        kind: group('kind'),
        resource: group('resource'),
        subResource: word,
        namespace: text,
        name: text,
        operation: word,
        userInfo: {
          type: 'object',
          properties: { username: text, groups: { type: ['array', 'null'], items: text } },
        },
        dryRun: { type: ['boolean', 'null'] },
      },
    },
  },
};

function group(last: string): object {
  return {
    type: 'object',
    required: ['group', 'version', last],
    properties: { group: word, version: word, [last]: word },
  };
}

/** Makes the only place where an AdmissionReview is untyped; past it, it is what it says it is. */
export function reviewParser(): (body: unknown) => AdmissionRequest {
  // The schema is our own. To check it by a schema of schemas takes four times as long as to compile it.
  const isReview = new Ajv({
    strict: true,
    allowUnionTypes: true,
    meta: false,
    validateSchema: false,
  }).compile<AdmissionReview>(envelope);
  return (body) => {
    if (isReview(body)) return body.request;
    const [first] = isReview.errors ?? [];
    throw new MalformedReviewError(`${first?.instancePath || '/'} ${first?.message ?? 'is not what it should be'}`);
  };
}
