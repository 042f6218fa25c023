import { type ManagedBy, putsBack } from '../objects/managed-by.ts';
import { keyOf } from '../objects/object-key.ts';
import type { ClaimUse, OwnerLink, UsingWorkload } from './claim-use.ts';
import { isOfKubernetes, isReplicated } from './owner.ts';

/** Somebody who may change the replicas of a workload while a person tries to keep it stopped. */
export interface ScaledBack {
  /** `none` only tells of it: it does nothing by itself, or rests while there are no replicas. */
  readonly by: 'autoscaler' | 'GitOps' | 'operator' | 'none';
  readonly words: string;
  /** How it is told to wait. */
  readonly pause: string | undefined;
}

/** Everybody who would scale this workload back, as far as the objects tell. */
export function scaledBackBy(use: ClaimUse, { owner, owners }: UsingWorkload): readonly ScaledBack[] {
  const managers = [owner, ...owners.flatMap(({ found }) => (found.known ? (found.value ?? []) : []))];
  const tools = new Map(
    managers.flatMap(({ managedBy }) => managedBy.map((one) => [JSON.stringify(one), one] as const)),
  );
  return [
    ...autoscalersOf(use, { owner, owners }),
    ...[...tools.values()].map(byTool),
    ...owners.filter(({ apiVersion }) => !isOfKubernetes(apiVersion)).map(byOperator),
  ];
}

/** Who applies the claim's own manifest, which is told for the sake of completeness. */
function byTool(tool: ManagedBy): ScaledBack {
  const { tool: name, namespace, guessed } = tool;
  const words = `${guessed ? 'maybe ' : ''}applied by ${name} ${keyOf(namespace, tool.name)}`;
  return putsBack(tool) ? { by: 'GitOps', words, pause: pauseOf(tool) } : { by: 'none', words, pause: undefined };
}

function pauseOf({ tool, name, namespace }: ManagedBy): string {
  const scope = namespace === '' ? '' : ` -n ${namespace}`;
  switch (tool) {
    case 'Argo CD':
      return `argocd app set ${name} --sync-policy none`;
    case 'Flux Kustomization':
      return `flux suspend kustomization ${name}${scope}`;
    case 'Flux HelmRelease':
      return `flux suspend helmrelease ${name}${scope}`;
    case 'Helm':
      return '';
    default:
      return tool satisfies never;
  }
}

function byOperator({ kind, namespace, name }: OwnerLink): ScaledBack {
  const words = `made by ${kind} ${keyOf(namespace, name)}: its operator decides on replicas`;
  return { by: 'operator', words, pause: undefined };
}

/**
 * One with a least number above 0 rests while its target has no replicas (`pkg/controller/podautoscaler/horizontal.go:reconcileAutoscaler`);
 * KEDA's wakes it up by itself.
 */
function autoscalersOf({ autoscalers }: ClaimUse, { owner }: UsingWorkload): readonly ScaledBack[] {
  if (!autoscalers.known || !isReplicated(owner.apiVersion, owner.kind)) return [];
  return autoscalers.value
    .filter(
      ({ namespace, target }) =>
        namespace === owner.namespace && target.kind === owner.kind && target.name === owner.name,
    )
    .map(({ name, namespace, minReplicas, maxReplicas, controller }) => {
      const words = `scaled by HorizontalPodAutoscaler ${name} (${minReplicas} to ${maxReplicas})`;
      if (controller?.kind === 'ScaledObject') {
        const pause = `kubectl -n ${namespace} annotate scaledobject ${controller.name} autoscaling.keda.sh/paused=true`;
        return { by: 'autoscaler', words: `${words}, which KEDA's ${controller.name} wakes up from 0`, pause } as const;
      }
      if (minReplicas > 0)
        return { by: 'none', words: `${words}, which rests at 0 replicas`, pause: undefined } as const;
      const pause = `kubectl -n ${namespace} patch hpa ${name} -p '{"spec":{"minReplicas":1}}'`;
      return { by: 'autoscaler', words: `${words}, which may scale up from 0`, pause } as const;
    });
}
