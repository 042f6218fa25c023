import type { Page } from '../page.ts';

export const page: Page = {
  story: [
    'web-old runs with claim data, and somebody deletes the claim.',
    'The claim stays, Terminating, because a pod uses it.',
    'At the next rollout, eviction or node failure web-new stays Pending: no pod gets a claim that is being deleted.',
    'Once web-old has ended the claim goes, and with the reclaim policy Delete its disk and all data.',
  ],
  drawing: `
 node-a                            node-b
+---------------------------+     +---------------------------+
| web-old       Running     |     | web-new       Pending     |
|    |                      |     |    |                      |
| [claim data: Terminating] |     |    ?                      |
+---------------------------+     +---------------------------+
`,
  why:
    'Kubernetes protects a claim while a pod uses it, and knows nothing of the template that will make the next pod. A deletion ' +
    'cannot be taken back.',
  commands: {
    bad: 'kubectl delete pvc data',
    good: 'kubectl delete deployment web && kubectl delete pvc data',
  },
  ways: [
    { by: 'the data is to go', how: 'delete the workload first, then the claim.' },
    {
      by: 'the claim is to be replaced',
      how: 'have the template mount the other claim, wait for the rollout, then delete this one.',
    },
    {
      by: 'it is deleted already',
      how: 'set `persistentVolumeReclaimPolicy: Retain` on its volume before the last pod ends: the data stays.',
    },
  ],
};
