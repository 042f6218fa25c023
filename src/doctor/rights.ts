import { ALL_KINDS, rowOf } from '../objects/kinds.ts';
import type { Settings } from './settings.ts';

/** Something that the server's account has to be allowed, and the role of the manifests that allows it. */
export interface Right {
  readonly role: string;
  /** Empty for all namespaces, and for what is in none. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Empty for all objects. */
  readonly name: string;
  /** What does not work without it. */
  readonly otherwise: string;
}

/** Every right that the server uses under these settings, as the manifests grant them. */
export function neededRights(settings: Settings): readonly Right[] {
  return [...clusterState(), ...ofGuards(settings), ...ofCertificates(settings), ...ofAudit(settings)];
}

function ofCertificates({ service, certificates, webhookConfigurations }: Settings): readonly Right[] {
  const { validating, mutating } = webhookConfigurations;
  const configurations = [
    ...validating.map((name) => ({ resource: 'validatingwebhookconfigurations', name })),
    ...mutating.map((name) => ({ resource: 'mutatingwebhookconfigurations', name })),
  ].map((one) => ({ ...one, namespace: '', group: 'admissionregistration.k8s.io' }));
  const read = configurations.map((one) => ({
    ...one,
    role: 'rwo-guard-ca-bundle',
    verb: 'get',
    otherwise: 'no replica becomes ready',
  }));
  if (certificates.source === 'files') return read;
  const written = configurations.map((one) => ({
    ...one,
    role: 'rwo-guard-ca-injection',
    verb: 'patch',
    otherwise: 'caBundle is never set or renewed',
  }));
  const secret = {
    namespace: service.namespace,
    group: '',
    resource: 'secrets',
    role: 'rwo-guard-serving-certificate',
  };
  const stored = (verb: string, name: string) => ({ ...secret, verb, name, otherwise: 'certificates are not kept' });
  return [
    ...read,
    ...written,
    stored('get', certificates.secretName),
    stored('update', certificates.secretName),
    stored('create', ''),
  ];
}

/** What nothing watches, and is read when somebody acts. */
function ofGuards({ webhookConfigurations }: Settings): readonly Right[] {
  if (!webhookConfigurations.validating.includes('rwo-guard-guards')) return [];
  const right = { role: 'rwo-guard-guards', namespace: '', group: '', name: '' };
  return [
    { ...right, resource: 'nodes', verb: 'get', otherwise: 'whether a node still uses a volume is not known' },
    { ...right, resource: 'pods', verb: 'list', otherwise: 'whether a pod still uses a volume is not known' },
  ];
}

/** With Reports where OpenReports is installed; the role is there in any case. */
function ofAudit({ audit, service }: Settings): readonly Right[] {
  if (!audit.enabled) return [];
  const role = 'rwo-guard-audit';
  const lease = { role, namespace: service.namespace, group: 'coordination.k8s.io', resource: 'leases' };
  const leading = { ...lease, otherwise: 'what was applied before is not audited' };
  const told = (group: string, resource: string, verbs: readonly string[], otherwise: string): readonly Right[] =>
    verbs.map((verb) => ({ role, namespace: '', group, resource, verb, name: '', otherwise }));
  const events = told('events.k8s.io', 'events', ['list', 'create', 'patch'], 'the audit writes no Events');
  const verbs = ['list', 'create', 'patch', 'delete'];
  const reports = told('openreports.io', 'reports', verbs, 'the audit writes no Reports');
  return [
    { ...leading, verb: 'get', name: LEASE },
    { ...leading, verb: 'update', name: LEASE },
    { ...leading, verb: 'create', name: '' },
    ...(audit.events ? events : []),
    ...(audit.openReports ? reports : []),
  ];
}

/** By which the replicas agree on the one that audits. */
const LEASE = 'rwo-guard-audit';

function clusterState(): readonly Right[] {
  return ALL_KINDS.flatMap((kind) => {
    const { apiVersion, list, verbs } = rowOf(kind);
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return verbs.map((verb) => ({
      role: 'rwo-guard-cluster-state',
      namespace: '',
      group,
      resource: list,
      verb,
      name: '',
      otherwise: 'what depends on them is judged as claim-unknown, and not denied',
    }));
  });
}
