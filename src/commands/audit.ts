import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { Audit } from '../audit/audit.ts';
import { standingIn } from '../audit/standing-objects.ts';
import { realTime } from '../cluster/time.ts';
import type { Config } from '../config.ts';
import { storageMatrix } from '../facts/storage-backend.ts';
import { RecurringAnswers } from '../forecast/recurring-answers.ts';
import { dayOf } from '../lint/settings.ts';
import { rules } from '../rules/index.ts';
import type { JudgedCluster } from './judged-cluster.ts';

/** Left alone as by the webhooks' namespaceSelectors, with our own namespace. */
const OF_THE_SYSTEM = ['kube-system', 'kube-node-lease'];

/** The name of the Lease, which the manifests give rights to. */
const LEASE = 'rwo-guard-audit';

/** Events have room for 128 characters (`pkg/apis/core/validation/events.go:ReportingInstanceLengthLimit`), a uuid takes 36. */
const MOST_OF_HOST = 90;

/** The audit of a watched cluster; none where it is switched off, or nothing is watched. */
export function auditOf(cluster: JudgedCluster, config: Config, log: Logger): Audit | undefined {
  const { audited, snapshot, staleFor } = cluster;
  if (audited === undefined || !config.audit.enabled) return undefined;
  const { service, storage, defaultMode, exemptions, exemptNamespaces } = config;
  const audit = new Audit({
    api: audited.api,
    by: {
      snapshot,
      matrix: storageMatrix(storage),
      judge: { rules, answers: new RecurringAnswers() },
      defaultMode,
      exemptions: () => ({ policy: exemptions, today: dayOf(Date.now()) }),
      exemptNamespaces: [...OF_THE_SYSTEM, service.namespace, ...exemptNamespaces],
    },
    standing: standingIn(audited.tables),
    isCurrent: () => audited.hearsAll() && staleFor?.() === undefined,
    lease: { namespace: service.namespace, name: LEASE },
    identity: `${hostname().slice(0, MOST_OF_HOST)}_${randomUUID()}`,
    writes: config.audit,
    time: realTime,
    log,
  });
  audited.listen((list, key) => audit.changed(list, key));
  return audit;
}
