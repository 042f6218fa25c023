import { MUTATE_LABEL } from '../mutations/repair.ts';
import { isScalable, JUDGED_KINDS, rowOf } from '../objects/kinds.ts';
import { matchesSelector } from '../objects/selector.ts';
import { type Check, type Group, notSeen, ok, problem, quoted, warning } from './check.ts';
import { ENTRIES, type Entry } from './entry.ts';
import { type ConfigurationRead, entriesOf, type Installation, reinstall } from './installation.ts';

/** Is everything there that sends requests to the server, and does it send the right ones to the right place? */
export function webhookChecks(installation: Installation): Group {
  const { configurations } = installation;
  return {
    title: 'webhook configurations',
    checks: configurations.flatMap((configuration) => configurationChecks(configuration, installation)),
  };
}

function configurationChecks({ kind, name, found }: ConfigurationRead, installation: Installation): readonly Check[] {
  const full = `${kind} ${name}`;
  if (!found.known) return [notSeen(found.because)];
  if (found.value === undefined) return [absent(full, kind, installation)];
  const there = new Set(entriesOf(installation).map((entry) => entry.name));
  const missing = Object.entries(ENTRIES).filter(([entry, of]) => of === kind && !there.has(entry) && !ofGuards(name));
  return [
    ...missing.map(([entry]) => problem(`${full} has no ${entry}: ${UNUSED[kind]}`, reinstall(installation))),
    ...found.value.flatMap((entry) => entryChecks(entry, kind, installation)),
  ];
}

const UNUSED = {
  ValidatingWebhookConfiguration: 'nothing is judged',
  MutatingWebhookConfiguration: 'nothing is repaired',
} as const;

/** By the names that the manifests give them. */
function ofGuards(name: string): boolean {
  return /\brwo-guard-(guards|force-delete)$/.test(name);
}

/** Without the mutating one everything is judged all the same; it is missed where a namespace asks for repairs. */
function absent(full: string, kind: ConfigurationRead['kind'], installation: Installation): Check {
  const { namespaces } = installation;
  if (ofGuards(full)) return problem(`${full} does not exist: what it guards is not judged`, reinstall(installation));
  const says = `${full} does not exist: ${UNUSED[kind]}`;
  const isMissed =
    kind === 'ValidatingWebhookConfiguration' ||
    (namespaces.known && namespaces.value.some(({ labels }) => labels.has(MUTATE_LABEL)));
  return (isMissed ? problem : warning)(says, reinstall(installation));
}

function entryChecks(entry: Entry, kind: ConfigurationRead['kind'], installation: Installation): readonly Check[] {
  const wrong = [misdirected(entry, installation), uncovered(entry, kind, installation)].filter(
    (check) => check !== undefined,
  );
  return wrong.length > 0 ? wrong : [matches(entry, installation)];
}

function misdirected({ name, service }: Entry, { settings }: Installation): Check | undefined {
  const { service: ours } = settings;
  if (service === undefined || (service.namespace === ours.namespace && service.name === ours.name)) return undefined;
  return problem(
    `${name} calls Service ${service.namespace}/${service.name}, not ${ours.namespace}/${ours.name}`,
    `rwo-guard doctor -n ${quoted(service.namespace)}`,
  );
}

/** What the entries of guards are there for, which stand in configurations of their own. */
const GUARDED: ReadonlyMap<string, readonly string[]> = new Map([
  ['guard.rwo-guard.dev', ['/nodes', 'storage.k8s.io/volumeattachments', '/persistentvolumeclaims']],
  ['boot-id.rwo-guard.dev', ['/nodes']],
  ['force-delete.rwo-guard.dev', ['/pods']],
]);

/** Whatever is judged and never sent. */
function uncovered(entry: Entry, kind: ConfigurationRead['kind'], installation: Installation): Check | undefined {
  const missing = (GUARDED.get(entry.name) ?? judged(kind)).filter(
    (resource) => !entry.resources.some((rule) => covers(rule, resource)),
  );
  if (missing.length === 0) return undefined;
  return problem(`the rules of ${entry.name} leave out ${missing.join(', ')}`, reinstall(installation));
}

/** Group and plural of all that is judged, scale included; Deployments alone are repaired. */
function judged(kind: ConfigurationRead['kind']): readonly string[] {
  if (kind === 'MutatingWebhookConfiguration') return ['apps/deployments'];
  return JUDGED_KINDS.flatMap((judgedKind) => {
    const { apiVersion, list } = rowOf(judgedKind);
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return [`${group}/${list}`, ...(isScalable(judgedKind) ? [`${group}/${list}/scale`] : [])];
  });
}

/** `apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go:Matcher`: of a resource without a subresource too. */
function covers(rule: string, resource: string): boolean {
  const [ruleGroup = '', ruleResource = '', ruleSub = ''] = rule.split('/');
  const [group = '', name = '', sub = ''] = resource.split('/');
  const is = (pattern: string, text: string) => pattern === '*' || pattern === text;
  return is(ruleGroup, group) && is(ruleResource, name) && (is(ruleSub, sub) || (rule.endsWith('/*/*') && sub === ''));
}

function matches({ name, failurePolicy, timeoutSeconds, namespaceSelector }: Entry, installation: Installation): Check {
  const how = `${name} (${failurePolicy}, ${timeoutSeconds} s)`;
  const { namespaces } = installation;
  if (!namespaces.known) return notSeen(`whether ${how} matches a namespace: ${namespaces.because}`);
  const count = namespaces.value.filter(({ labels }) => matchesSelector(namespaceSelector, labels)).length;
  if (count > 0) return ok(`${how} is called for ${count} of ${namespaces.value.length} namespaces`);
  return ok(`${how} is called for no namespace: none is labelled for it`);
}
