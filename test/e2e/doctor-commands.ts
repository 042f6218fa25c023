import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Diagnosis } from '../../src/doctor/diagnosis.ts';
import { programs } from '../control-plane/build.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { THIS_RELEASE } from './release.ts';

export interface Seen {
  readonly code: number;
  readonly problems: readonly { readonly says: string; readonly fix?: string }[];
  /** All lines, with their status in front. */
  readonly says: readonly string[];
}

/** What `doctor` says of the cluster, as its administrator when nobody else is named. */
export async function doctor(cluster: ControlPlane, kubeconfig = cluster.adminKubeconfig): Promise<Seen> {
  const args = [THIS_RELEASE.program, 'doctor', '--format', 'json', '--kubeconfig', kubeconfig];
  const { code = 0, stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
  const { groups }: Diagnosis = JSON.parse(stdout);
  const checks = groups.flatMap((group) => group.checks);
  const says = checks.map((check) => `${check.status}: ${check.says}`);
  return { code, problems: checks.filter(({ status }) => status === 'problem'), says };
}

/** The problems, as soon as the API server and its authorizer have heard of everything. */
export async function problemsOnce(count: number, cluster: ControlPlane): Promise<Seen['problems']> {
  let seen: Seen | undefined;
  return until(`${count} problems`, async () => {
    seen = await doctor(cluster);
    return seen.problems.length === count && seen.problems;
  }).catch((error: unknown) => {
    throw new Error(seen?.problems.map(({ says }) => says).join('\n'), { cause: error });
  });
}

/** Runs a command as it is printed, in a shell of the cluster's administrator. */
export async function typed(command: string, cluster: ControlPlane, ...more: readonly string[]): Promise<void> {
  const kubectl = (await programs(['kubectl'])).path.kubectl;
  const path = [...more, kubectl].map((program) => dirname(program)).join(':');
  const env = { PATH: `${path}:${process.env.PATH}`, HOME: cluster.folder, KUBECONFIG: cluster.adminKubeconfig };
  await promisify(execFile)('sh', ['-c', command], { env });
}
