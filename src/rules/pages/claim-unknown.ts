import type { Page } from '../page.ts';

export const page: Page = {
  story: [
    'If claim data is a disk for one node at a time, this can happen (rollout-deadlock).',
    'web-old runs on one node, with data attached there.',
    'At the next change of its template the Deployment creates web-new before an old pod goes, because maxSurge 25% of 1 replica rounds up to 1.',
    'The scheduler binds web-new to another node, which passes all filters, as the first node does.',
    'web-new waits, because claim data is attached to the first node, where web-old uses it, and one node may have it at a time (Multi-Attach).',
    'The Deployment keeps its 1 pod available, because maxUnavailable 25% of 1 replica rounds down to 0: web-old stays until web-new is ready.',
    'So the rollout waits for ever.',
  ],
  drawing: `
 one node                        another node
+---------------------------+   +---------------------------+
| web-old       Running     |   | web-new       ?           |
|    |                      |   |    |                      |
| [claim data: a disk, or a |   |                           |
|  share for all nodes?]    |   |                           |
+---------------------------+   +---------------------------+
`,
  why:
    'A Deployment names its claims, and whether they are disks stands in the claim, its volume, its class and its driver. ' +
    'Kubernetes takes these objects in any order. What is not there yet cannot be judged, and silence would read as safe.',
  ways: [
    { by: 'kubectl', how: 'put the claim before the workload in the file.' },
    { by: 'Helm 3 and 4, and charts under Flux', how: 'nothing to do, for they send claims first.' },
    { by: 'Argo CD', how: 'nothing to do where both come in one sync, for it sends claims first.' },
    {
      // github.com/fluxcd/pkg/ssa/sort.go:ReconcileOrder
      by: 'Kustomizations of Flux',
      how:
        'they send Deployments, StatefulSets and CronJobs before claims, so the workload is made unjudged, and the claim is then ' +
        'denied for it where the namespace enforces. Put the claims into a Kustomization of their own, without `wait`, which the ' +
        'other one names in `dependsOn`.',
    },
    { by: 'in CI', how: 'give both to one run of `rwo-guard lint`, or say `--assume-access-mode RWO`.' },
  ],
  others: [],
};
