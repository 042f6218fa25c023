import { BYSTANDER, type Draft, HOSTNAME, nameOf, SCENARIO_LABEL, SCENE } from './draft.ts';
import type { WorkloadObject } from './workload.ts';

/** A workload that has nothing to do with the claim: one pod, on the last node. */
export function bystanderOf({ bystander, nodes, plan, namespace }: Draft): WorkloadObject | undefined {
  if (!bystander) return undefined;
  const labels = { app: BYSTANDER, [SCENE]: nameOf(plan) };
  const spec = {
    nodeSelector: { [SCENARIO_LABEL]: nameOf(plan), [HOSTNAME]: nodes.at(-1)?.metadata?.name ?? '' },
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'app', image: 'example.com/app' }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: BYSTANDER, namespace },
    spec: { replicas: 1, selector: { matchLabels: { app: BYSTANDER } }, template: { metadata: { labels }, spec } },
  };
}
