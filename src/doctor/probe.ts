import { modeFrom } from '../decision/mode.ts';
import { mutateValueFrom } from '../mutations/repair.ts';
import { known } from '../objects/fact.ts';
import { PREFIX } from '../objects/metadata.ts';
import { matchesName } from '../objects/name-pattern.ts';
import { matchesSelector } from '../objects/selector.ts';
import { type Entry, type EntryName, isEntryName } from './entry.ts';
import { entriesOf, type Installation } from './installation.ts';
import type { Probe } from './probed.ts';

/** Namespaces in which it is tried: one may refuse a Deployment for a reason of its own. */
const MOST_TRIED = 3;

/** Where each entry that there is can be asked, best first; none where no namespace does. */
export function plannedProbes(
  installation: Pick<Installation, 'configurations' | 'namespaces' | 'settings'>,
): ReadonlyMap<EntryName, readonly Probe[]> {
  return new Map(
    entriesOf(installation).flatMap(({ name, ...entry }) =>
      isEntryName(name) ? [[name, places({ name, ...entry }, name, installation)]] : [],
    ),
  );
}

function places(
  { namespaceSelector }: Entry,
  entry: EntryName,
  { namespaces, settings }: Pick<Installation, 'namespaces' | 'settings'>,
): readonly Probe[] {
  if (!namespaces.known) return [];
  const found: Probe[] = [];
  for (const { name, labels } of namespaces.value) {
    if (found.length === MOST_TRIED) break;
    if (!matchesSelector(namespaceSelector, labels)) continue;
    if (settings.exemptNamespaces.some((pattern) => matchesName(pattern, name))) continue;
    if (says(entry, labels, settings.defaultMode)) found.push({ entry, namespace: name });
  }
  return found;
}

/** Whether an answer of this entry would show: those of an audit stand in the audit log alone. */
function says(
  entry: EntryName,
  labels: ReadonlyMap<string, string>,
  defaultMode: Installation['settings']['defaultMode'],
): boolean {
  if (entry === 'mutate.rwo-guard.dev') return mutateValueFrom(known(labels)) !== undefined;
  const { mode } = modeFrom(known(labels), defaultMode);
  return mode === 'enforce' || mode === 'warn';
}

/** Without a reason it is warned of, whatever is found in the object and whatever nodes there are. */
const IGNORE = `${PREFIX}ignore`;

/** What each entry warns of, and nobody else, where it is asked about the Deployment below. */
const ANSWERS: Readonly<Record<EntryName, string>> = {
  'enforce.rwo-guard.dev': `${IGNORE} does not count`,
  'advise.rwo-guard.dev': `${IGNORE} does not count`,
  'mutate.rwo-guard.dev': 'left-over rollingUpdate dropped',
};

/** Whether one of the warnings is what this entry says of the Deployment below. */
export function isAnswer({ entry }: Probe, warnings: readonly string[]): boolean {
  return warnings.some((warning) => warning.includes(ANSWERS[entry]));
}

/** What everything that is made for a probe is called; a claim of that name is nowhere. */
const NAME = 'rwo-guard-doctor';

/**
 * The Deployment that is sent. Its annotation does not count, which both validating entries tell; for the mutating one, the
 * strategy has what `Recreate` may not have, which is dropped. Its pod keeps to every Pod Security Standard.
 */
export function probeObject({ entry, namespace }: Probe): object {
  const leftOver = { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } };
  const matchLabels = { 'app.kubernetes.io/name': NAME };
  const container = {
    name: NAME,
    image: NAME,
    resources: { requests: { cpu: '1m', memory: '1Mi' }, limits: { cpu: '1m', memory: '1Mi' } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  };
  const spec = {
    securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: NAME } }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, generateName: `${NAME}-`, labels: matchLabels, annotations: { [IGNORE]: '' } },
    spec: {
      replicas: 1,
      selector: { matchLabels },
      template: { metadata: { labels: matchLabels }, spec },
      ...(entry === 'mutate.rwo-guard.dev' ? leftOver : {}),
    },
  };
}

/** Why the answers of our webhooks say nothing about others' requests, when we ask; `undefined` where they do. */
export function notJudgedAs(
  { username, groups }: { readonly username: string; readonly groups: readonly string[] },
  exemptUsers: readonly string[],
): string | undefined {
  if (exemptUsers.some((pattern) => matchesName(pattern, username))) return `you are ${username}, an exempt user`;
  const isOfSystem =
    username.startsWith('system:kube-') ||
    username === 'system:apiserver' ||
    groups.includes('system:nodes') ||
    groups.includes('system:serviceaccounts:kube-system');
  return isOfSystem ? `you are ${username}, whose requests are never judged` : undefined;
}
