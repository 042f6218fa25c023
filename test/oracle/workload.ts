import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { type Draft, nameOf, type Template } from './draft.ts';
import type { Kind } from './plan.ts';
import type { Scenario } from './scenario.ts';

/** The annotation that `kubectl rollout restart` changes. */
const RESTARTED = 'kubectl.kubernetes.io/restartedAt';

type Steps = Pick<Scenario, 'running' | 'preludes' | 'wanted' | 'next'>;

/** An object with a spec, as far as scenarios look into one. */
export interface WorkloadObject extends KubernetesObject {
  readonly spec: object;
}

/** The same workload at each of its steps. */
export function workloadOf(draft: Draft): Steps {
  const { plan, before, after } = draft;
  switch (plan.action) {
    case 'create':
      return { running: undefined, preludes: [], wanted: workload(draft, { template: before }), next: undefined };
    case 'scale': {
      const from = workload(draft, { template: before, replicas: plan.from });
      return { running: from, preludes: [], wanted: workload(draft, { template: before }), next: undefined };
    }
    case 'update':
      return update(draft, restarted(after, '1'));
    default:
      return plan.action satisfies never;
  }
}

function update(draft: Draft, template: Template): Steps {
  const { before, after, pause, onlyStrategyChanges, replicasBefore, strategyBefore } = draft;
  const replicas = replicasBefore ?? draft.plan.replicas;
  const running = workload(draft, { template: before, strategy: strategyBefore, replicas });
  const wanted = workload(draft, {
    template: onlyStrategyChanges ? before : template,
    ...(pause === 'update' ? { paused: true } : {}),
  });
  const changesMore = JSON.stringify(before) !== JSON.stringify(after) || pause !== 'never' || onlyStrategyChanges;
  const again = restarted(onlyStrategyChanges ? before : after, '2');
  // Pods below a partition would be of a revision before the running one, which no object tells.
  const mixed = draft.manner.has('partition') && !onlyStrategyChanges;
  return {
    running,
    preludes: pause === 'until-update' ? [workload(draft, { template, strategy: strategyBefore, paused: true })] : [],
    wanted,
    next:
      changesMore && !mixed
        ? workload(draft, { template: again, ...(pause === 'update' ? { paused: true } : {}) })
        : undefined,
  };
}

function restarted(template: Template, at: string): Template {
  const annotations = { ...template.metadata.annotations, [RESTARTED]: at };
  return { ...template, metadata: { ...template.metadata, annotations } };
}

interface Version {
  readonly template: Template;
  readonly replicas?: number;
  readonly strategy?: string;
  readonly paused?: boolean;
}

const API_VERSION: Readonly<Record<Kind, string>> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  ReplicaSet: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
};

function workload(draft: Draft, version: Version): WorkloadObject {
  const { kind } = draft.plan;
  return {
    apiVersion: API_VERSION[kind],
    kind,
    metadata: { name: nameOf(draft.plan), namespace: draft.namespace },
    spec: specOf(draft, version),
  };
}

function specOf(draft: Draft, { template, paused, ...version }: Version): object {
  const { kind } = draft.plan;
  const replicas = version.replicas ?? draft.plan.replicas;
  const strategy = version.strategy ?? draft.plan.strategy;
  const selector = { matchLabels: { app: nameOf(draft.plan) } };
  switch (kind) {
    case 'Deployment':
      return {
        replicas,
        selector,
        strategy: strategyOf(strategy),
        ...(paused === undefined ? {} : { paused }),
        template,
      };
    case 'ReplicaSet':
      return { replicas, selector, template };
    case 'StatefulSet':
      return {
        replicas,
        selector,
        serviceName: nameOf(draft.plan),
        template,
        volumeClaimTemplates: draft.claimTemplates,
        ...(draft.manner.has('Parallel') ? { podManagementPolicy: 'Parallel' } : {}),
        updateStrategy: draft.manner.has('OnDelete')
          ? { type: 'OnDelete' }
          : { type: 'RollingUpdate', rollingUpdate: { partition: draft.manner.has('partition') ? 1 : 0 } },
      };
    case 'DaemonSet':
      return { selector, template, updateStrategy: daemonSetStrategyOf(strategy) };
    case 'Job':
      return { parallelism: replicas, completions: replicas, template: onceOnly(template) };
    case 'CronJob':
      return {
        schedule: '@every 5s',
        concurrencyPolicy: [...draft.manner].find((manner) => /^(Forbid|Replace)$/.test(manner)) ?? 'Allow',
        jobTemplate: { spec: { parallelism: replicas, completions: replicas, template: onceOnly(template) } },
      };
    default:
      return kind satisfies never;
  }
}

function onceOnly(template: Template): object {
  return { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
}

function strategyOf(strategy: string): object {
  const [maxSurge, maxUnavailable] = strategy.split('/').map(intOrPercent);
  if (maxUnavailable !== undefined) return { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
  return strategy === 'default' ? {} : { type: strategy };
}

function daemonSetStrategyOf(strategy: string): object {
  const [maxSurge, maxUnavailable] = strategy.split('/').map(intOrPercent);
  // For a DaemonSet one of the two has to be 0, and none may be above 100 %.
  if (maxUnavailable === undefined) return {};
  if (/\d{3}%/.test(strategy)) return {};
  const rollingUpdate = maxSurge === 0 ? { maxSurge, maxUnavailable } : { maxSurge, maxUnavailable: 0 };
  return { type: 'RollingUpdate', rollingUpdate };
}

function intOrPercent(text: string): number | string {
  return text.endsWith('%') ? text : Number(text);
}
