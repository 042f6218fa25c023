import type { Page } from '../page.ts';

export const page: Page = {
  story: [
    'web-old runs on node-a and writes to claim data, which is mounted there; node-a answers, but somebody takes it for dead.',
    'Somebody gives node-a the taint node.kubernetes.io/out-of-service:NoExecute.',
    'The taint manager deletes web-old, whose kubelet still gives it time to end, and the Deployment makes web-new on node-b.',
    'As soon as web-old has ended for the API, the attach-detach controller detaches the disk, without waiting until node-a has unmounted it.',
    'node-b mounts the disk while node-a may still write what it holds in memory: the file system is damaged.',
  ],
  drawing: `
 node-a (Ready, out-of-service)    node-b
+---------------------------+     +---------------------------+
| web-old       Terminating |     | web-new       Running     |
|    |                      |     |    |                      |
| [claim data: mounted]     |  +----[claim data: mounted]     |
+-------:-------------------+  |  +---------------------------+
        :.....detached.........+
`,
  why:
    'The taint says that the machine is off. The attach-detach controller looks at its key alone, whatever the effect and ' +
    'whether the node is Ready or not, and leaves out both waits that it has for a healthy node. Nothing takes the taint off.',
  commands: {
    bad: 'kubectl taint nodes node-a node.kubernetes.io/out-of-service=nodeshutdown:NoExecute  # while it is Ready',
    good: 'kubectl drain node-a --ignore-daemonsets --delete-emptydir-data',
  },
  ways: [
    { by: 'the node answers', how: 'drain it. What hangs there, end by its pods.' },
    {
      by: 'the node does not answer',
      how: 'switch its machine off where you can see that it is off (BMC, console of the cloud), wait for NotReady, and taint it then.',
    },
    {
      by: 'a program that fences',
      how: 'name its account in `exemptUsers`, if it taints before the node is NotReady.',
    },
  ],
};
