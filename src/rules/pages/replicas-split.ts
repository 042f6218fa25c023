import { type Page, WANT_REPLICAS } from '../page.ts';

export const page: Page = {
  story: [
    'No pod of Deployment web is there yet.',
    'The Deployment creates web-1 and web-2, because replicas is 2.',
    'The scheduler binds web-1 to one node; claim data is attached there, and web-1 becomes ready.',
    'The scheduler binds web-2 to another node, which passes all filters too.',
    'web-2 waits, because claim data is attached to the first node, where web-1 uses it, and one node may have it at a time (Multi-Attach).',
    'With replicas 2 the Deployment keeps web-1: web-2 waits for ever.',
  ],
  drawing: `
 one node                        another node
+---------------------------+   +---------------------------+
| web-1         Running     |   | web-2         waiting     |
|    |                      |   |    :                      |
| [disk of claim data]      |   |    x  Multi-Attach error  |
+---------------------------+   +---------------------------+
  both are wanted, for as long as replicas is 2
`,
  why:
    'All replicas of a Deployment mount the same claim. ReadWriteOnce means one node and not one pod, so two replicas work for as ' +
    'long as they happen to share a node, and the scheduler spreads replicas where it can. Recreate does not help, for all replicas are wanted at once.',
  ways: [
    { by: 'kubectl', how: '`kubectl scale --replicas=1 deployment/NAME`, and the same in the manifest.' },
    { by: 'Helm 3 and 4', how: "set the chart's value for the replicas, and switch its autoscaler off." },
    {
      by: 'Argo CD and Flux',
      how: 'commit it; they set back what is scaled in the cluster alone, if Git names the replicas.',
    },
    {
      by: 'volumeClaimTemplates or another access mode',
      how: 'neither can be added to what exists: make a new StatefulSet or claim, copy the data, and delete the old one.',
    },
  ],
  others: WANT_REPLICAS,
};
