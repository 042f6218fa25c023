import { setTimeout as sleep } from 'node:timers/promises';
import { CertificatesError, certificateStatus, kubernetesApi, requestRotation } from '../../certs/index.ts';
import { loadKubeConfig } from '../cluster/kube-config.ts';
import { type Config, readConfig } from '../config.ts';
import { UsageError } from '../usage-error.ts';
import { certificatesOf } from './certificates.ts';
import { CERTS_FORMATS } from './certs-format.ts';
import type { ClusterOptions, Surroundings } from './command.ts';

export interface CertsOptions extends ClusterOptions {
  /** The namespace in which rwo-guard is installed. */
  readonly namespace?: string;
  /** What the server is configured by, where names or the source of certificates are not the default. */
  readonly config?: string;
}

export interface CertsStatusOptions extends CertsOptions {
  readonly format?: string;
}

export interface CertsRotateOptions extends CertsOptions {
  readonly distrustOld?: boolean;
  /** Seconds to wait for the replicas. */
  readonly timeout?: string;
}

/** Prints what is served, until when, and whether the caBundle agrees. 0 where all is well, 1 where it is not. */
export async function certsStatus(options: CertsStatusOptions, surroundings: Surroundings): Promise<number> {
  const { format = 'text' } = options;
  const print = CERTS_FORMATS.get(format);
  if (print === undefined)
    throw new UsageError(`--format must be ${[...CERTS_FORMATS.keys()].join(' or ')}, not ${format}`);
  const target = await targetOf(options, surroundings);
  return explained(surroundings, async () => {
    const status = await certificateStatus(target);
    surroundings.stdout.write(print(status));
    return status.problems.length === 0 ? 0 : 1;
  });
}

const POLL_MS = 2_000;
/** Twice what a rotation takes at most: looks of twelve seconds, a minute of trust, the replicas' minute and a half. */
const DEFAULT_TIMEOUT_SECONDS = 360;

/** Asks the replicas for a new CA and waits until they have it. 0 once that is so, 1 where it is not in time. */
export async function certsRotate(options: CertsRotateOptions, surroundings: Surroundings): Promise<number> {
  const { distrustOld = false, timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  const seconds = Number(timeout);
  if (!(seconds >= 0)) throw new UsageError(`--timeout must be a number of seconds, not ${timeout}`);
  const target = await targetOf(options, surroundings);
  if (target.from === 'files') throw new UsageError('the certificates are mounted: whoever mounts them rotates them');
  const { stdout, stderr } = surroundings;
  const stop = surroundings.stopRequested();
  return explained(surroundings, async () => {
    const request = await requestRotation(target.api, target.secret, { distrustOld });
    stderr.write(
      `asked for a new CA: ${distrustOld ? 'it takes about three minutes' : 'it takes about a minute and a half'} and interrupts nothing\n`,
    );
    for (
      const end = performance.now() + seconds * 1000;
      performance.now() < end && !stop.aborted;
      await sleep(POLL_MS)
    ) {
      if (!(await request.isDone())) continue;
      stdout.write(
        `a new CA signs; ${distrustOld ? 'the old ones are not trusted any more' : 'the old one stays trusted until it expires'}\n`,
      );
      return 0;
    }
    stderr.write('not done yet: the replicas go on by themselves, if any runs; see certs status and their log\n');
    return 1;
  });
}

async function targetOf({ kubeconfig, context, namespace, config: file }: CertsOptions, { env }: Surroundings) {
  const config = await readConfig({ file, flags: {}, env });
  const installed: Config = namespace === undefined ? config : { ...config, service: { ...config.service, namespace } };
  return certificatesOf(installed, kubernetesApi(loadKubeConfig({ kubeconfig, context })));
}

/** What the cluster does not let us see or do is no mistake of the command line. */
async function explained({ stderr }: Surroundings, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CertificatesError)) throw error;
    stderr.write(`rwo-guard: ${error.message}\n`);
    return 1;
  }
}
