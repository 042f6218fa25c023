import { type Draft, NEIGHBOUR, nameOf, PLACE, SCENARIO_LABEL } from './draft.ts';
import type { WorkloadObject } from './workload.ts';

/** The other workload that mounts the claim: one pod, on the first node, and nothing that it asks of others. */
export function neighbourOf(draft: Draft): WorkloadObject | undefined {
  if (draft.neighbour === undefined) return undefined;
  const { kind, claim } = draft.neighbour;
  const isBlock = draft.claims.some(({ metadata, spec }) => metadata?.name === claim && spec?.volumeMode === 'Block');
  const container = {
    name: 'app',
    image: 'example.com/app',
    ...(isBlock
      ? { volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }
      : { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
  };
  const template = {
    metadata: { labels: { app: NEIGHBOUR } },
    spec: {
      nodeSelector: { [SCENARIO_LABEL]: nameOf(draft.plan), [PLACE]: 'home' },
      tolerations: [{ operator: 'Exists' }],
      containers: [container],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
    },
  };
  const selector = { matchLabels: { app: NEIGHBOUR } };
  const metadata = { name: NEIGHBOUR, namespace: draft.namespace };
  switch (kind) {
    case 'Job': {
      const spec = { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };
      return { apiVersion: 'batch/v1', kind, metadata, spec };
    }
    case 'StatefulSet':
      return {
        apiVersion: 'apps/v1',
        kind,
        metadata,
        spec: { replicas: 1, serviceName: NEIGHBOUR, selector, template },
      };
    case 'Deployment':
    case 'ReplicaSet':
      return { apiVersion: 'apps/v1', kind, metadata, spec: { replicas: 1, selector, template } };
    default:
      return kind satisfies never;
  }
}

/** Only for the forecast to read: the harness scales in its place. */
export function autoscalerOf({ plan, namespace, maximum }: Draft): WorkloadObject | undefined {
  if (maximum === undefined) return undefined;
  const target = { apiVersion: 'apps/v1', kind: plan.kind, name: nameOf(plan) };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: nameOf(plan), namespace },
    spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: maximum },
  };
}
