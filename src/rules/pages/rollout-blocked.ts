import { DAEMON_SET, type Page, RECREATE_BY_WAY, STATEFUL_SET, WANT_ROLLING_UPDATE } from '../page.ts';
import { RECREATE_IN_PLACE } from '../remedy.ts';

export const page: Page = {
  story: [
    'web-old runs on one node, with data attached there.',
    'At the next change of its template the Deployment creates web-new before an old pod goes, because maxSurge 25% of 1 replica rounds up to 1.',
    'web-new stays Pending, because claim data is ReadWriteOncePod, and web-old has it.',
    'The Deployment keeps its 1 pod available, because maxUnavailable 25% of 1 replica rounds down to 0: web-old stays until web-new is ready.',
    'So the rollout waits for ever.',
  ],
  drawing: `
 one node                        another node
+---------------------------+   +---------------------------+
| web-old       Running     |   |                           |
|    |                      |   |   free, and of no use     |
| [disk of claim data]      |   |                           |
+---------------------------+   +---------------------------+
  web-new   Pending, on no node: one pod may have the claim
`,
  why:
    'The scheduler binds a pod only where all its filters pass. It lets one pod at a time have a ReadWriteOncePod claim, on the ' +
    'same node too. Required anti-affinity, spread, host ports and the place of a volume can leave a new pod without a node in the ' +
    'same way, for as long as an old pod runs. The Deployment keeps the old pod until the new one is ready.',
  patch: `${RECREATE_IN_PLACE} deployment/NAME`,
  ways: [...RECREATE_BY_WAY, STATEFUL_SET, DAEMON_SET],
  others: WANT_ROLLING_UPDATE,
};
