import { WORKLOAD_KINDS, type WorkloadKind } from '../../src/objects/kinds.ts';
import { lines } from './webhook-manifests.ts';

/** The Deployment has tests of its own. */
export type OtherKind = Exclude<WorkloadKind, 'Deployment'>;

export const OTHER_KINDS = WORKLOAD_KINDS.filter((kind): kind is OtherKind => kind !== 'Deployment');

export interface WorkloadOptions {
  readonly name?: string;
  readonly claim?: string;
  /** Pods at once. A DaemonSet has one on each of three nodes, or one alone. */
  readonly pods?: number;
  readonly image?: string;
  readonly annotation?: string;
  /** Further lines of YAML of the spec; of a CronJob's own one. */
  readonly spec?: readonly string[];
}

/** A workload of any kind but the Deployment whose pods mount one claim, as a person would write it. */
export function workload(kind: OtherKind, namespace: string, options: WorkloadOptions = {}): string {
  const { name = 'web', spec = [], annotation } = options;
  return lines(
    `apiVersion: ${kind === 'Job' || kind === 'CronJob' ? 'batch/v1' : 'apps/v1'}`,
    `kind: ${kind}`,
    'metadata:',
    `  namespace: ${namespace}`,
    `  name: ${name}`,
    ...(annotation === undefined ? [] : [`  annotations: { rwo-guard.dev/ignore: "${annotation}" }`]),
    'spec:',
    ...[...specOf(kind, options), ...spec].map((line) => `  ${line}`),
  );
}

function specOf(kind: OtherKind, options: WorkloadOptions): readonly string[] {
  const { name = 'web', pods = 1 } = options;
  const selector = `selector: { matchLabels: { app: ${name} } }`;
  switch (kind) {
    case 'StatefulSet':
      return [`replicas: ${pods}`, `serviceName: ${name}`, selector, ...template(options)];
    case 'ReplicaSet':
      return [`replicas: ${pods}`, selector, ...template(options)];
    case 'DaemonSet':
      return [selector, ...template(options, pods === 1 ? ['nodeSelector: { kubernetes.io/hostname: a }'] : [])];
    case 'Job':
      return runs(options);
    case 'CronJob': {
      const run = runs(options).map((line) => `    ${line}`);
      return ['schedule: 0 3 * * *', 'concurrencyPolicy: Forbid', 'jobTemplate:', '  spec:', ...run];
    }
    default:
      return kind satisfies never;
  }
}

function runs(options: WorkloadOptions): readonly string[] {
  const { pods = 1 } = options;
  return [`parallelism: ${pods}`, `completions: ${pods}`, ...template(options, ['restartPolicy: Never'])];
}

function template(options: WorkloadOptions, pod: readonly string[] = []): readonly string[] {
  const { name = 'web', claim = 'data', image = 'web:1' } = options;
  return [
    'template:',
    `  metadata: { labels: { app: ${name} } }`,
    '  spec:',
    ...pod.map((line) => `    ${line}`),
    '    containers:',
    `      - { name: web, image: ${image}, volumeMounts: [{ name: data, mountPath: /data }] }`,
    '    volumes:',
    `      - { name: data, persistentVolumeClaim: { claimName: ${claim} } }`,
  ];
}
