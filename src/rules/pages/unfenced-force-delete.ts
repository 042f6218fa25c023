import type { Page } from '../page.ts';

export const page: Page = {
  story: [
    'node-a stopped answering. web-old is Terminating there, and web-new waits on node-b for claim data.',
    'Somebody deletes web-old with --force --grace-period=0. It is gone from the API, and nobody has asked node-a.',
    'After six minutes the attach-detach controller detaches the disk by force, and node-b mounts it.',
    'If node-a was only cut off, web-old runs there all the while and writes: two writers on one disk.',
  ],
  drawing: `
 node-a (does not answer)          node-b
+---------------------------+     +---------------------------+
| web-old       Running?    |     | web-new       Running     |
|    |                      |     |    |                      |
| [claim data: mounted?]    |     | [claim data: mounted]     |
+---------------------------+     +---------------------------+
`,
  why:
    'A force delete takes the object away without waiting for the kubelet, which alone knows whether the processes have ended. ' +
    'A StatefulSet promises one pod of each name at most, and even that is broken by it.',
  commands: {
    bad: 'kubectl delete pod web-old --force --grace-period=0',
    good: 'kubectl taint nodes node-a node.kubernetes.io/out-of-service=nodeshutdown:NoExecute  # once its machine is off',
  },
  ways: [
    {
      by: 'the machine can be switched off',
      how: 'do that, then taint the node: pods and attachments go at once, without the six minutes.',
    },
    { by: 'the node will come back', how: 'wait: its kubelet ends the pod by itself.' },
  ],
};
