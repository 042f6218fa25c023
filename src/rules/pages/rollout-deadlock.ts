import { type Page, RECREATE_BY_WAY, STATEFUL_SET, WANT_ROLLING_UPDATE } from '../page.ts';
import { RECREATE_IN_PLACE } from '../remedy.ts';

export const page: Page = {
  story: [
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
| web-old       Running     |   | web-new       waiting     |
|    |                      |   |    :                      |
| [disk of claim data]      |   |    x  Multi-Attach error  |
+---------------------------+   +---------------------------+
  stays until web-new is ready    waits until the disk is free
`,
  why:
    'A Deployment keeps what is available before it takes anything away, and with one replica the defaults (25% and 25%) come ' +
    'to one pod more and none less. The scheduler asks whether the volume can reach a node, and not whether another node has it. ' +
    'The attach and detach controller attaches a ReadWriteOnce volume to no second node. Each does as it should, and nobody waits ' +
    'for a person: not even progressDeadlineSeconds takes the rollout back.',
  patch: `${RECREATE_IN_PLACE} deployment/NAME`,
  ways: [...RECREATE_BY_WAY, STATEFUL_SET],
  others: WANT_ROLLING_UPDATE,
};
