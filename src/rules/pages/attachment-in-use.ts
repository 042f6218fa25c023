import type { Page } from '../page.ts';

export const page: Page = {
  story: [
    'web-old runs on node-a with claim data mounted; web-new waits on node-b for it (Multi-Attach).',
    "Somebody deletes the VolumeAttachment of node-a, or takes its attacher's finalizer off, so that web-new goes on.",
    'Deleted, the attacher detaches the disk without asking whether it is mounted. Without its finalizer the object is gone, and the disk is attached all the same.',
    'The attach-detach controller finds no attachment on node-a and attaches the disk to node-b.',
    'Both nodes have the file system mounted, or web-old loses it while it writes: data is lost.',
  ],
  drawing: `
 node-a                            node-b
+---------------------------+     +---------------------------+
| web-old       Running     |     | web-new       Running     |
|    |                      |     |    |                      |
| [claim data: mounted]     |     | [claim data: mounted]     |
+-------X-------------------+     +---------------------------+
   VolumeAttachment, deleted
`,
  why:
    'For an attacher, a VolumeAttachment that is being deleted is the order to detach, and its finalizer is how it says that it ' +
    'has. The wait until a volume is unmounted is done before, by the attach-detach controller: who deletes by hand leaves it out.',
  commands: {
    bad: 'kubectl delete volumeattachment csi-0123456789abcdef',
    good: 'kubectl delete pod web-old  # the attachment goes by itself once the volume is unmounted',
  },
  ways: [
    { by: 'the node answers', how: 'delete the pods that use the volume, or scale to 0 and back; then wait.' },
    {
      by: 'the node is dead',
      how: 'switch its machine off, wait for NotReady, and `kubectl taint nodes NODE node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`: pods and attachments then go at once.',
    },
    { by: 'the node is gone', how: 'what is left over of it is not in use, and may be deleted.' },
    { by: 'a program that fences', how: 'name its account in `exemptUsers`.' },
  ],
};
