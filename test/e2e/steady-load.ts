import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { deployment } from './admission-requests.ts';

/** Requests that go on until they are stopped, of a person who does not know what happens to the webhook meanwhile. */
export interface SteadyLoad {
  /** So many more at the same time, in all of the namespaces: the API server keeps its connections, and opens more for these. */
  atOnce(count: number): Promise<void>;
  /** Ends it; gives what became of it. */
  stop(): Promise<LoadResult>;
}

export interface LoadResult {
  /** Requests in all, and what the API server said of those that it refused. */
  readonly requests: number;
  readonly refused: readonly string[];
  /** Calls of webhooks, as the API server counts them. */
  readonly calls: number;
  /** Calls that failed where `failurePolicy` is `Ignore`. */
  readonly failedOpen: number;
  /** Calls that failed where it is `Fail`. */
  readonly rejectedByError: number;
}

/** About twenty requests a second in each namespace: enough to meet every moment of a change, and little for two cores. */
const PAUSE_MS = 50;

/** Creates Deployments that mount a claim, in a dry run, in each of the namespaces at the same time; ends with the test. */
export async function startSteadyLoad(
  t: TestContext,
  cluster: ControlPlane,
  namespaces: readonly string[],
): Promise<SteadyLoad> {
  const before = await counted(cluster);
  const refused: string[] = [];
  let [requests, stopped] = [0, false];
  t.after(() => {
    stopped = true;
  });
  const send = async (namespace: string) => {
    await cluster.api
      .create(deployment(namespace), { dryRun: true })
      .catch((error: unknown) => refused.push(`${new Date().toISOString()} ${error}`));
    requests += 1;
  };
  const loops = namespaces.map(async (namespace) => {
    while (!stopped) {
      await send(namespace);
      await sleep(PAUSE_MS);
    }
  });
  return {
    async atOnce(count) {
      await Promise.all(namespaces.flatMap((namespace) => Array.from({ length: count }, () => send(namespace))));
    },
    async stop() {
      stopped = true;
      await Promise.all(loops);
      const after = await counted(cluster);
      return {
        requests,
        refused,
        calls: after.calls - before.calls,
        failedOpen: after.failedOpen - before.failedOpen,
        rejectedByError: after.rejectedByError - before.rejectedByError,
      };
    },
  };
}

/** Until the entry that fails closed lets requests through, the other one is called as well. */
export async function untilCallsSucceed(
  t: TestContext,
  cluster: ControlPlane,
  namespaces: readonly string[],
): Promise<void> {
  await until('calls succeed', async () => {
    const load = await startSteadyLoad(t, cluster, namespaces);
    const { calls, failedOpen, refused } = await load.stop();
    return calls > 1 && failedOpen === 0 && refused.length === 0;
  });
}

async function counted(cluster: ControlPlane): Promise<Omit<LoadResult, 'requests' | 'refused'>> {
  const { body } = await cluster.api.request<string>('GET', '/metrics');
  const sum = (name: string, counts: (labels: string) => boolean = () => true) =>
    body
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) && counts(line))
      .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  return {
    calls: sum('apiserver_admission_webhook_request_total'),
    failedOpen: sum('apiserver_admission_webhook_fail_open_count'),
    rejectedByError: sum(
      'apiserver_admission_webhook_rejection_count',
      (labels) => !labels.includes('error_type="no_error"'),
    ),
  };
}
