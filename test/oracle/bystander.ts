import { BYSTANDER, type Draft, nameOf, PLACE, SCENARIO_LABEL, SCENE } from './draft.ts';
import type { WorkloadObject } from './workload.ts';

/** A workload that has nothing to do with the claim: one pod, on another node than the first. */
export function bystanderOf({ bystander, plan, namespace }: Draft): WorkloadObject | undefined {
  if (!bystander) return undefined;
  const labels = { app: BYSTANDER, [SCENE]: nameOf(plan) };
  const spec = {
    nodeSelector: { [SCENARIO_LABEL]: nameOf(plan), [PLACE]: 'away' },
    // What only discourages does, so that it keeps away from the pods of the scenario.
    tolerations: [
      { operator: 'Exists', effect: 'NoSchedule' },
      { operator: 'Exists', effect: 'NoExecute' },
    ],
    containers: [{ name: 'app', image: 'example.com/app' }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: BYSTANDER, namespace },
    spec: { replicas: 1, selector: { matchLabels: { app: BYSTANDER } }, template: { metadata: { labels }, spec } },
  };
}
