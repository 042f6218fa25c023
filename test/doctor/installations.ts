import { CallCounter, type CallCounts } from '../../src/doctor/call-counts.ts';
import type { Check, Group } from '../../src/doctor/check.ts';
import type { Entry } from '../../src/doctor/entry.ts';
import type { Installation, LabelledNamespace } from '../../src/doctor/installation.ts';
import { neededRights } from '../../src/doctor/rights.ts';
import type { Settings } from '../../src/doctor/settings.ts';
import { known } from '../../src/objects/fact.ts';
import { JUDGED_KINDS, rowOf } from '../../src/objects/kinds.ts';
import { isIn } from '../../src/objects/selector.ts';

export const SETTINGS: Settings = {
  service: { namespace: 'rwo-guard', name: 'rwo-guard' },
  defaultMode: 'warn',
  exemptNamespaces: [],
  exemptUsers: [],
  certificates: { source: 'secret', secretName: 'rwo-guard-tls' },
  clientAuthentication: undefined,
  audit: { enabled: true, events: true, openReports: true },
  webhookConfigurations: { validating: ['rwo-guard'], mutating: ['rwo-guard'] },
};

const ALL_RESOURCES = JUDGED_KINDS.flatMap((kind) => {
  const { apiVersion, list } = rowOf(kind);
  const group = apiVersion === 'v1' ? '' : apiVersion.replace(/\/.*/, '');
  return [`${group}/${list}`, `${group}/${list}/scale`];
});

export function entry(name: string, more: Partial<Entry> = {}): Entry {
  return {
    name,
    index: name.startsWith('advise') ? 1 : 0,
    failurePolicy: 'Ignore',
    timeoutSeconds: 3,
    service: { namespace: 'rwo-guard', name: 'rwo-guard' },
    hasCaBundle: true,
    namespaceSelector: name.startsWith('enforce') ? [isIn('rwo-guard.dev/mode', 'enforce')] : [],
    resources: ALL_RESOURCES,
    ...more,
  };
}

export const DEPLOYMENT = {
  replicas: 2,
  ready: 2,
  updated: 2,
  image: 'registry.example/rwo-guard:0.1.0',
  serviceAccount: 'rwo-guard',
  configMap: 'rwo-guard-config',
  release: undefined,
};

export function namespace(
  name: string,
  labels: Readonly<Record<string, string>> = {},
  annotations: Readonly<Record<string, string>> = {},
): LabelledNamespace {
  const all = { ...labels, 'kubernetes.io/metadata.name': name };
  return { name, labels: new Map(Object.entries(all)), annotations: new Map(Object.entries(annotations)) };
}

/** What `/metrics` says, line by line. */
export function counts(...lines: readonly string[]): CallCounts {
  const counter = new CallCounter();
  for (const line of lines) counter.add(line);
  return counter.counted();
}

export function configurations(
  validating: readonly Entry[] = [entry('enforce.rwo-guard.dev'), entry('advise.rwo-guard.dev')],
  mutating: readonly Entry[] | undefined = [entry('mutate.rwo-guard.dev')],
): Installation['configurations'] {
  return [
    { kind: 'ValidatingWebhookConfiguration', name: 'rwo-guard', found: known(validating) },
    { kind: 'MutatingWebhookConfiguration', name: 'rwo-guard', found: known(mutating) },
  ];
}

/** An installation with nothing wrong, but for what a test says. */
export function installation(more: Partial<Installation> = {}): Installation {
  return {
    version: '0.1.0',
    settings: SETTINGS,
    settingsFrom: known('ConfigMap rwo-guard/rwo-guard-config'),
    clusterVersion: known('v1.36.3'),
    deployment: known(DEPLOYMENT),
    service: known({ ready: known(2) }),
    configurations: configurations(),
    namespaces: known([namespace('shop', { 'rwo-guard.dev/mode': 'enforce' }), namespace('plain')]),
    certificates: known({
      problems: [],
      authorities: [],
      rotation: 'none',
      certificate: { names: [], notAfter: new Date('2027-01-01T00:00:00Z'), fingerprint: '' },
      caBundles: [],
    }),
    rights: neededRights(SETTINGS).map((right) => ({ ...right, granted: known(true) })),
    calls: { probes: [], before: known(counts()), after: known(counts()) },
    ...more,
  };
}

/** What is not in order, a line for each. */
export function told({ checks }: Group): readonly string[] {
  return checks.filter(({ status }) => status !== 'ok').map(inLine);
}

function inLine({ status, says, fix }: Check): string {
  return `${status}: ${says}${fix === undefined ? '' : ` => ${fix}`}`;
}
