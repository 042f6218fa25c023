import assert from 'node:assert/strict';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../control-plane/control-plane.ts';
import type { KubectlResult } from '../control-plane/kubectl.ts';
import { until } from '../control-plane/until.ts';
import { type GuardProcess, startGuardProcess } from './guard-process.ts';
import { KUSTOMIZATION, kubectl } from './installation.ts';
import { deployment } from './webhook-manifests.ts';

/** A real API server that a real server of ours guards, and jane, who works there and sees what kubectl prints. */
export interface GuardedCluster {
  readonly cluster: ControlPlane;
  readonly guard: GuardProcess;
  /** What jane types, with a manifest on standard input. */
  typed(stdin: string, ...args: readonly string[]): Promise<KubectlResult>;
  /** Types it, and compares the whole of what kubectl prints. */
  prints(expected: KubectlResult, stdin: string, ...args: readonly string[]): Promise<void>;
  counts(): Promise<Counts>;
  stop(): Promise<void>;
}

/** What the API server and the guard counted of the reviews between them. */
export interface Counts {
  /** Reviews that came to the guard, in all and by kind. */
  readonly reviews: number;
  readonly reviewsOf: (kind: string) => number;
  /** Calls that the API server made. */
  readonly calls: number;
  readonly failedCalls: number;
  readonly failedMatchConditions: number;
  /** Requests that reached both validating entries. */
  readonly judgedTwice: number;
}

export interface GuardedClusterOptions extends ControlPlaneOptions {
  /** What jane applies before anybody guards, one manifest after the other. */
  readonly given: readonly string[];
}

export async function startGuardedCluster({ given, ...options }: GuardedClusterOptions): Promise<GuardedCluster> {
  const cluster = await startControlPlane({ auditLog: true, ...options });
  const jane = await cluster.person({ user: 'jane', groups: ['developers'] });
  const typed = (stdin: string, ...args: readonly string[]) => cluster.kubectl(jane, args, { stdin });
  for (const manifest of given) {
    const { code, stderr } = await typed(manifest, 'apply', '-f', '-');
    assert.equal(code, 0, stderr);
  }
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  const guard = await startGuardProcess(cluster);
  const endpoints = [{ port: guard.port }];
  await cluster.publishWebhookService({ namespace: 'rwo-guard', service: 'rwo-guard', endpoints });
  await until('the webhook to be in force', async () => {
    const { stderr } = await typed(deployment('default', { name: 'probe' }), 'apply', '--dry-run=server', '-f', '-');
    return stderr.includes('claim-unknown');
  });
  return {
    cluster,
    guard,
    typed,
    async prints(expected, stdin, ...args) {
      assert.deepEqual(await typed(stdin, ...args), expected);
    },
    counts: () => countsOf(cluster, guard),
    async stop() {
      await guard.stop();
      await cluster.stop();
    },
  };
}

async function countsOf(cluster: ControlPlane, guard: GuardProcess): Promise<Counts> {
  const ours = await guard.metrics();
  const { body: theirs } = await cluster.api.request<string>('GET', '/metrics');
  const twice = (await cluster.auditEvents()).filter(
    ({ annotations = {} }) => 'enforce.rwo-guard.dev/mode' in annotations && 'advise.rwo-guard.dev/mode' in annotations,
  );
  return {
    reviews: sumOf(ours, 'rwo_guard_admission_requests_total', ''),
    reviewsOf: (kind) => sumOf(ours, 'rwo_guard_admission_requests_total', `kind="${kind}"`),
    calls: sumOf(theirs, 'apiserver_admission_webhook_request_total', '.rwo-guard.dev"'),
    failedCalls: sumOf(theirs, 'apiserver_admission_webhook_fail_open_count', ''),
    failedMatchConditions: sumOf(theirs, 'apiserver_admission_match_condition_evaluation_errors_total', ''),
    judgedTwice: twice.length,
  };
}

/** Adds up the samples of one metric whose labels contain the text. */
function sumOf(metrics: string, name: string, labels: string): number {
  return metrics
    .split('\n')
    .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
