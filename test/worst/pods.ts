import type { JsonObject } from '../../src/objects/json.ts';

/** A part of a workload: lists of several parts are joined. */
export interface Part {
  readonly replicas?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly nodeTerms?: readonly JsonObject[];
  readonly affinity?: readonly JsonObject[];
  readonly antiAffinity?: readonly JsonObject[];
  readonly spread?: readonly JsonObject[];
  readonly tolerations?: readonly JsonObject[];
  readonly claims?: readonly string[];
  readonly volumes?: readonly JsonObject[];
  readonly ports?: readonly JsonObject[];
  /** Of a StatefulSet: names of claims that each pod has for itself. */
  readonly claimTemplates?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly JsonObject[];
}

export interface Place {
  readonly kind?: Kind;
  readonly namespace?: string;
}

export const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob'] as const;

export type Kind = (typeof KINDS)[number];

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

export function deploymentOf(name: string, parts: readonly Part[], { namespace = 'strict' }: Place = {}): JsonObject {
  return workloadOf('Deployment', name, parts, namespace);
}

/** A workload as the API server writes it, with all parts. Its pods are `app: web` unless a part says otherwise. */
export function workloadOf(kind: Kind, name: string, parts: readonly Part[], namespace = 'strict'): JsonObject {
  const labels = { app: 'web', ...joined(parts, 'labels') };
  const selector = { matchLabels: { app: labels.app } };
  const template = { metadata: { labels }, spec: podSpecOf(parts) };
  const replicas = Math.max(1, ...parts.map((part) => part.replicas ?? 1));
  const metadata = {
    namespace,
    name,
    annotations: joined(parts, 'annotations'),
    managedFields: listed(parts, 'managedFields'),
  };
  const batch = { apiVersion: 'batch/v1', kind, metadata };
  switch (kind) {
    case 'Deployment':
      return { apiVersion: 'apps/v1', kind, metadata, spec: { replicas, strategy: ROLLING, selector, template } };
    case 'StatefulSet': {
      const volumeClaimTemplates = listed(parts, 'claimTemplates').map((claim) => ({ metadata: { name: claim } }));
      const spec = { replicas, updateStrategy: { type: 'RollingUpdate' }, selector, template, volumeClaimTemplates };
      return { apiVersion: 'apps/v1', kind, metadata, spec };
    }
    case 'DaemonSet': {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      return { apiVersion: 'apps/v1', kind, metadata, spec: { updateStrategy, selector, template } };
    }
    case 'ReplicaSet':
      return { apiVersion: 'apps/v1', kind, metadata, spec: { replicas, selector, template } };
    case 'Job':
      return { ...batch, spec: { parallelism: replicas, completions: replicas, template } };
    case 'CronJob':
      return { ...batch, spec: { schedule: '* * * * *', jobTemplate: { spec: { parallelism: replicas, template } } } };
    default:
      return kind satisfies never;
  }
}

const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } };

function podSpecOf(parts: readonly Part[]): JsonObject {
  const volumes = [
    ...listed(parts, 'claims').map((claimName, at) => ({ name: `claim-${at}`, persistentVolumeClaim: { claimName } })),
    ...listed(parts, 'volumes'),
  ];
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const [nodeTerms, affinity] = [listed(parts, 'nodeTerms'), listed(parts, 'affinity')];
  const antiAffinity = listed(parts, 'antiAffinity');
  return {
    containers: [{ name: 'web', image: 'web:1', ports: listed(parts, 'ports'), volumeMounts }],
    nodeSelector: joined(parts, 'nodeSelector'),
    affinity: {
      ...(nodeTerms.length > 0 && { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: nodeTerms } } }),
      ...(affinity.length > 0 && { podAffinity: { [REQUIRED]: affinity } }),
      ...(antiAffinity.length > 0 && { podAntiAffinity: { [REQUIRED]: antiAffinity } }),
    },
    topologySpreadConstraints: listed(parts, 'spread'),
    tolerations: listed(parts, 'tolerations'),
    volumes,
  };
}

type ListKey = Exclude<keyof Part, 'replicas' | 'labels' | 'nodeSelector' | 'annotations'>;

function listed<Key extends ListKey>(parts: readonly Part[], key: Key): NonNullable<Part[Key]>[number][] {
  return parts.flatMap((part): readonly NonNullable<Part[Key]>[number][] => part[key] ?? []);
}

function joined(parts: readonly Part[], key: 'labels' | 'nodeSelector' | 'annotations'): JsonObject {
  return Object.assign({}, ...parts.map((part) => part[key] ?? {}));
}

/** Parts that say nearly the same: pods of them are another revision, and every list is the other way round. */
export function otherRevision(parts: readonly Part[]): readonly Part[] {
  const turned = parts.map((part) =>
    Object.fromEntries(
      Object.entries(part).map(([key, value]) => [key, Array.isArray(value) ? value.toReversed() : value]),
    ),
  );
  return [...turned.reverse(), { labels: { revision: 'before' } }];
}
