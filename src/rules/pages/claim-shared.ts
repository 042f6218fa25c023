import { COMMIT_IT, type Page, WRITE_IT } from '../page.ts';

export const page: Page = {
  story: [
    'import-first runs on one node, with data attached there.',
    'The CronJob creates import-next while the first run has not finished, because concurrencyPolicy is Allow.',
    'The scheduler binds import-next to another node, which passes all filters, as the first node does.',
    'import-next waits, because claim data is attached to the first node, where import-first uses it, and one node may have it at a time (Multi-Attach).',
    'import-next waits until import-first has finished.',
  ],
  drawing: `
 one node                        another node
+---------------------------+   +---------------------------+
| import-first  Running     |   | import-next   waiting     |
|    |                      |   |    :                      |
| [disk of claim data]      |   |    x  Multi-Attach error  |
+---------------------------+   +---------------------------+
  two Deployments on one claim look the same
`,
  why:
    'A claim belongs to a namespace and not to a workload, so nothing keeps a second one from mounting it. The scheduler does not ' +
    'ask which pod uses a ReadWriteOnce volume already. Beside a Deployment the second pod waits for as long as the first one runs.',
  ways: [WRITE_IT, COMMIT_IT],
  others: [],
};
