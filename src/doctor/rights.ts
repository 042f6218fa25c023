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
export function neededRights({ service, certificates, webhookConfigurations }: Settings): readonly Right[] {
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
  const asked = [...clusterState(), ...(validating.includes('rwo-guard-guards') ? ofGuards() : [])];
  if (certificates.source === 'files') return [...asked, ...read];
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
    ...asked,
    ...read,
    ...written,
    stored('get', certificates.secretName),
    stored('update', certificates.secretName),
    stored('create', ''),
  ];
}

/** What nothing watches, and is read when somebody acts. */
function ofGuards(): readonly Right[] {
  const right = { role: 'rwo-guard-guards', namespace: '', group: '', name: '' };
  return [
    { ...right, resource: 'nodes', verb: 'get', otherwise: 'whether a node still uses a volume is not known' },
    { ...right, resource: 'pods', verb: 'list', otherwise: 'whether a pod still uses a volume is not known' },
  ];
}

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
