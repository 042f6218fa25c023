import type { Page } from '../page.ts';

export const page: Page = {
  story: [
    'Claim data asks for ReadWriteMany on ebs.csi.aws.com.',
    'When its volume is to be made, the provisioner refuses: the claim stays Pending, and with it every pod that mounts it.',
    'Where it makes the volume all the same, a second node cannot attach it, and pods wait there.',
  ],
  drawing: `
 one node                        another node
+---------------------------+   +---------------------------+
| a pod         Pending     |   | a pod         Pending     |
|    :                      |   |    :                      |
+----:----------------------+   +----:----------------------+
     '- claim data, Pending: no ReadWriteMany by this class -'
`,
  why:
    'The API server takes any access mode for any class; only the provisioner knows what its storage can do, and it is asked when ' +
    'the volume is made. A disk of one machine cannot be attached to two. Some provisioners do not look at the mode, and make a ' +
    'disk that bears a promise it cannot keep.',
  ways: [
    {
      by: 'kubectl, Helm 3 and 4, Argo CD and Flux',
      how:
        'class and access modes of a claim cannot be changed. While it is Pending it holds no data: delete it, and apply it ' +
        'with another class or mode.',
    },
  ],
  others: [],
};
