import type { JsonObject } from '../../src/objects/json.ts';
import type { WorkloadKind } from '../../src/objects/kinds.ts';
import { container, deployment } from './scene.ts';

/** Every kind but the Deployment, whose object is in the scene. */
export type OtherKind = Exclude<WorkloadKind, 'Deployment'>;

type Built = (spec?: object, metadata?: object, podSpec?: object) => JsonObject;

const labels = { app: 'web' };
const selector = { matchLabels: labels };

function template(podSpec: object): object {
  return {
    metadata: { labels },
    spec: {
      containers: [container('web')],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      ...podSpec,
    },
  };
}

function built(apiVersion: string, kind: OtherKind, spec: object, metadata: object): JsonObject {
  return { apiVersion, kind, metadata: { namespace: 'shop', name: 'web', ...metadata }, spec };
}

/** `shop/web` of each kind, of one pod that mounts the claim `data`, with what defaulting gives. */
export const statefulSet: Built = (spec = {}, metadata = {}, podSpec = {}) =>
  built(
    'apps/v1',
    'StatefulSet',
    {
      replicas: 1,
      serviceName: 'web',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      selector,
      template: template(podSpec),
      ...spec,
    },
    metadata,
  );

export const daemonSet: Built = (spec = {}, metadata = {}, podSpec = {}) =>
  built(
    'apps/v1',
    'DaemonSet',
    {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      selector,
      template: template(podSpec),
      ...spec,
    },
    metadata,
  );

export const replicaSet: Built = (spec = {}, metadata = {}, podSpec = {}) =>
  built('apps/v1', 'ReplicaSet', { replicas: 1, selector, template: template(podSpec), ...spec }, metadata);

export const job: Built = (spec = {}, metadata = {}, podSpec = {}) =>
  built('batch/v1', 'Job', jobSpec(spec, podSpec), metadata);

/** `spec` is that of its Jobs; its runs never overlap. */
export const cronJob: Built = (spec = {}, metadata = {}, podSpec = {}) => scheduled({}, spec, metadata, podSpec);

/** A CronJob by its own spec first, and then that of its Jobs. */
export function scheduled(own: object, spec: object = {}, metadata: object = {}, podSpec: object = {}): JsonObject {
  const jobTemplate = { spec: jobSpec(spec, podSpec) };
  return built(
    'batch/v1',
    'CronJob',
    { schedule: '0 3 * * *', concurrencyPolicy: 'Forbid', suspend: false, jobTemplate, ...own },
    metadata,
  );
}

function jobSpec(spec: object, podSpec: object): object {
  return { parallelism: 1, suspend: false, template: template({ restartPolicy: 'Never', ...podSpec }), ...spec };
}

/** Their pods end, and those that wait for them come then: of these is warned where others are denied. */
export const RUNS: ReadonlySet<WorkloadKind> = new Set<WorkloadKind>(['Job', 'CronJob']);

/** A workload of each kind that runs so many pods at once. */
export const running: Readonly<Record<WorkloadKind, (pods: number, metadata?: object) => JsonObject>> = {
  Deployment: (replicas, metadata) => deployment({ replicas, strategy: { type: 'Recreate' } }, metadata),
  StatefulSet: (replicas, metadata) => statefulSet({ replicas }, metadata),
  // One on each node, so that the number of nodes is the number of pods.
  DaemonSet: (pods, metadata) => daemonSet({}, metadata, pods === 1 ? { nodeName: 'a' } : {}),
  ReplicaSet: (replicas, metadata) => replicaSet({ replicas }, metadata),
  Job: (parallelism, metadata) => job({ parallelism, completions: parallelism }, metadata),
  CronJob: (parallelism, metadata) => cronJob({ parallelism, completions: parallelism }, metadata),
};
