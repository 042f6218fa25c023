import { type Page, WANT_ROLLING_UPDATE } from '../page.ts';

export const page: Page = {
  story: [
    'web-old runs on one node, with data attached there.',
    'At the next change of its template the Deployment creates web-new before an old pod goes, because maxSurge is 1.',
    'The scheduler binds web-new to another node, which passes all filters, as the first node does.',
    'web-new waits, because claim data is attached to the first node, where web-old uses it, and one node may have it at a time (Multi-Attach).',
    'The Deployment ends web-old without waiting for web-new, because maxUnavailable is 1.',
    'Then data can move, and web-new starts: the wait ends by itself.',
  ],
  drawing: `
 one node                        another node
+---------------------------+   +---------------------------+
| web-old       Terminating |   | web-new       waiting     |
|    |                      |   |    :                      |
| [disk of claim data] -------------> once web-old has ended|
+---------------------------+   +---------------------------+
`,
  why:
    'maxUnavailable lets the old pod go at once, so the disk becomes free. maxSurge has the new pod created at the same time, ' +
    'so it asks for the disk too early. Until the old pod has ended and the disk is detached, events speak of Multi-Attach.',
  ways: [
    { by: 'however you apply', how: '`maxSurge: 0` is refused nowhere.' },
    {
      by: 'one replica',
      how: '`type: Recreate` waits until the old pod has ended; how it reaches the cluster stands under rollout-deadlock.',
    },
  ],
  others: WANT_ROLLING_UPDATE,
};
