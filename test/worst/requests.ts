import type { JsonObject } from '../../src/objects/json.ts';
import { CLAIMS, claimOf, NAMESPACE, WAITING } from './cluster.ts';
import { LISTS, type List } from './lists.ts';
import { type Kind, otherRevision, type Part, workloadOf } from './pods.ts';

/** What a namespace user writes: one kind of workload, and how long which of its lists are. */
export interface Recipe {
  readonly kind?: Kind;
  readonly lists: Readonly<Partial<Record<List, number>>>;
}

/** One input in every way in which it may come. */
export interface WorstInput {
  readonly name: string;
  /** Each a whole AdmissionReview, by what is done. */
  readonly reviews: Readonly<Partial<Record<Way, JsonObject>>>;
}

/** Created, updated from pods of another revision, scaled, or on its way to be repaired. */
export const WAYS = ['create', 'update', 'scale', 'mutate'] as const;

export type Way = (typeof WAYS)[number];

export function workloadInput(name: string, { kind = 'Deployment', lists }: Recipe): WorstInput {
  const parts = partsOf(lists);
  const object = workloadOf(kind, 'web', parts);
  const before = workloadOf(kind, 'web', otherRevision(parts));
  return {
    name,
    reviews: {
      create: reviewOf(object, 'CREATE'),
      update: reviewOf(object, 'UPDATE', before),
      ...(kind === 'Deployment' && { mutate: reviewOf(object, 'UPDATE', before) }),
    },
  };
}

/** The object alone, by any name: its pods are the same. */
export function workloadObject({ kind = 'Deployment', lists }: Recipe, name: string): JsonObject {
  return workloadOf(kind, name, partsOf(lists));
}

/** A claim that all pods mount is added, because nothing else is judged. */
function partsOf(lists: Recipe['lists']): readonly Part[] {
  const parts = Object.entries(lists).map(([list, count]): Part => LISTS[list as List](count));
  const mounts = parts.some(({ claims = [], volumes = [] }) => claims.length + volumes.length > 0);
  return mounts ? parts : [...parts, { claims: CLAIMS.zonal.slice(0, 1) }];
}

/** A claim for which workloads wait. */
export function claimInput(name: string, claim: string): WorstInput {
  const object = claimOf(claim, {}, WAITING);
  const before = claimOf(claim, { accessModes: ['ReadWriteMany'] }, WAITING);
  return { name, reviews: { create: reviewOf(object, 'CREATE'), update: reviewOf(object, 'UPDATE', before) } };
}

/** More replicas for a workload of the cluster. */
export function scaleInput(name: string, workload: string): WorstInput {
  const scale = (replicas: number): JsonObject => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { namespace: NAMESPACE, name: workload },
    spec: { replicas },
  });
  const resource = { group: 'apps', version: 'v1', resource: 'deployments' };
  const { request, ...review } = reviewOf(scale(100), 'UPDATE', scale(1));
  return { name, reviews: { scale: { ...review, request: { ...request, resource, subResource: 'scale' } } } };
}

function reviewOf(object: JsonObject, operation: string, oldObject: JsonObject | null = null) {
  const { apiVersion, kind, metadata } = object as {
    apiVersion: string;
    kind: string;
    metadata: { namespace: string; name: string };
  };
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '00000000-0000-0000-0000-000000000000',
      kind: { group, version, kind },
      resource: { group, version, resource: `${kind.toLowerCase()}s` },
      name: metadata.name,
      namespace: metadata.namespace,
      operation,
      userInfo: { username: 'mallory', groups: ['system:authenticated'] },
      object,
      oldObject,
      dryRun: false,
    },
  };
}
