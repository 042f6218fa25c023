import { callChecks } from './call-checks.ts';
import { certificateChecks } from './certificate-checks.ts';
import { type Check, type Group, STATUSES } from './check.ts';
import { deploymentChecks } from './deployment-checks.ts';
import type { Installation } from './installation.ts';
import { namespaceChecks } from './namespace-checks.ts';
import { rightsChecks } from './rights-checks.ts';
import { webhookChecks } from './webhook-checks.ts';

/** How an installation stands. */
export interface Diagnosis {
  readonly groups: readonly Group[];
  readonly counts: Readonly<Record<Check['status'], number>>;
}

const ALWAYS = [deploymentChecks];
const OF_A_SERVER = [webhookChecks, certificateChecks, callChecks, rightsChecks];

/** Judges what was read. All is well where there are no problems; what was not seen is neither. */
export function diagnose(installation: Installation): Diagnosis {
  const { deployment } = installation;
  // Without a server nothing of the rest can be in order, and whoever looks in the wrong namespace is told that alone.
  const isInstalled = !deployment.known || deployment.value !== undefined;
  const judges = isInstalled ? [...ALWAYS, ...OF_A_SERVER] : ALWAYS;
  const groups = [...judges, namespaceChecks]
    .map((judge) => judge(installation))
    .filter(({ checks }) => checks.length > 0);
  const all = groups.flatMap(({ checks }) => checks);
  const count = (status: Check['status']) => all.filter((check) => check.status === status).length;
  const [ok, warning, problem, notSeen] = STATUSES.map(count);
  return { groups, counts: { ok: ok ?? 0, warning: warning ?? 0, problem: problem ?? 0, 'not-seen': notSeen ?? 0 } };
}
