import type { Page } from '../page.ts';

export const page: Page = {
  story: [
    'node-a stopped answering, and somebody gave it the taint node.kubernetes.io/out-of-service.',
    'Its pods were deleted, claim data was detached from it, and web-new writes to it on node-b.',
    'The network comes back. node-a was never off: its kernel still has the disk mounted, with data in memory.',
    'Somebody takes the taint off, and the scheduler sends pods there again.',
    'node-a writes what it had in memory, or a pod finds the old mount: the file system is damaged.',
  ],
  drawing: `
 node-a (taint off, same boot)     node-b
+---------------------------+     +---------------------------+
|                           |     | web-new       Running     |
| [old mount of the disk]   |     | [claim data: mounted]     |
+---------------------------+     +---------------------------+
`,
  why:
    'Kubernetes sets the taint and takes it off for nobody, and does not look whether the machine was ever off. A node says in ' +
    'status.nodeInfo.bootID which start of its machine it is. When the taint comes, that is written on the node as ' +
    'rwo-guard.dev/out-of-service-boot-id: where it is the same when the taint leaves, the machine did not start anew.',
  commands: {
    bad: 'kubectl taint nodes node-a node.kubernetes.io/out-of-service-  # the machine was never switched off',
    good: 'kubectl get node node-a -o jsonpath="{.status.nodeInfo.bootID} {.status.volumesAttached}"  # another one, and nothing',
  },
  ways: [
    {
      by: 'the machine is at hand',
      how: 'start it anew, wait until nothing is attached to the node, and take the taint off.',
    },
    { by: 'the machine will not come back', how: 'delete the Node, and the taint goes with it.' },
  ],
};
