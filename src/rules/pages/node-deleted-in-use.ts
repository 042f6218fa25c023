import type { Page } from '../page.ts';

export const page: Page = {
  story: [
    'web-old runs on node-a with claim data mounted.',
    'Somebody deletes the Node object.',
    'After 40 seconds pod garbage collection deletes web-old, and the Deployment makes web-new on node-b.',
    'web-new waits: the node was never seen to unmount the disk, so that the attach-detach controller detaches it after six minutes more.',
    'Where forced detaching is switched off (disable-force-detach-on-timeout), it waits for ever. If the machine runs on, web-old may write all the while.',
  ],
  drawing: `
 node-a (deleted)                  node-b
+ - - - - - - - - - - - - - +     +---------------------------+
: web-old       ?           :     | web-new       Waiting     |
:    |                      :     |    |                      |
: [claim data: attached]    :     |    ?  six minutes         |
+ - - - - - - - - - - - - - +     +---------------------------+
`,
  why:
    'The attach-detach controller keeps what a node said last of its mounts, for a machine does not stop because its object is ' +
    'gone. Nobody can say any more that the volume is unmounted, so that only time does.',
  commands: {
    bad: 'kubectl delete node node-a',
    good: 'kubectl drain node-a --ignore-daemonsets --delete-emptydir-data && kubectl delete node node-a',
  },
  ways: [
    { by: 'the node answers', how: 'drain it, and wait until status.volumesAttached of the node is empty.' },
    {
      by: 'the node is dead',
      how: 'switch its machine off and give it the out-of-service taint first, which leaves no wait.',
    },
  ],
};
