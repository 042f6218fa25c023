import { MODE_LABEL, MODES, modeFrom } from '../decision/mode.ts';
import { didYouMean, nearest } from '../did-you-mean.ts';
import { MUTATE_LABEL, MUTATE_VALUES, mutateValueFrom } from '../mutations/repair.ts';
import { known } from '../objects/fact.ts';
import { PREFIX } from '../objects/metadata.ts';
import { matchesName } from '../objects/name-pattern.ts';
import { matchesSelector } from '../objects/selector.ts';
import { bounded, type Check, type Group, listed, notSeen, ok, problem, quoted, warning } from './check.ts';
import { entriesOf, type Installation, type LabelledNamespace } from './installation.ts';
import type { Settings } from './settings.ts';

/** Which namespaces enforce, and which labels do not do what they look like. */
export function namespaceChecks(installation: Installation): Group {
  const { namespaces, settings } = installation;
  const title = 'namespaces';
  if (!namespaces.known) return { title, checks: [notSeen(namespaces.because)] };
  const all = namespaces.value;
  return {
    title,
    checks: [
      ...modes(all, settings),
      ...bounded(all.flatMap(mistyped), 'mistyped labels'),
      ...bounded(
        all.flatMap((one) => withoutEffect(one, installation)),
        'labels without effect',
      ),
    ],
  };
}

function modes(all: readonly LabelledNamespace[], { defaultMode }: Settings): readonly Check[] {
  const labelled = Map.groupBy(
    all.filter(({ labels }) => labels.has(MODE_LABEL)),
    ({ labels }) => modeFrom(known(labels), defaultMode).mode,
  );
  const unlabelled = all.filter(({ labels }) => !labels.has(MODE_LABEL)).length;
  const mutated = all.filter(({ labels }) => mutateValueFrom(known(labels)) !== undefined);
  const told = MODES.flatMap((mode) => {
    const names = (labelled.get(mode) ?? []).map(({ name }) => name);
    return names.length === 0 ? [] : [ok(`${mode}: ${listed(names)}`)];
  });
  return [
    ...told,
    ...(unlabelled === 0 ? [] : [ok(`${unlabelled} without the label: ${defaultMode}`)]),
    ...(mutated.length === 0 ? [] : [ok(`repaired: ${listed(mutated.map(({ name }) => name))}`)]),
  ];
}

const VALUES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [MODE_LABEL, MODES],
  [MUTATE_LABEL, MUTATE_VALUES],
]);

/** Labels of a namespace that are looked at; nobody writes so many by hand. */
const MOST_LABELS = 1000;

function mistyped({ name, labels, annotations }: LabelledNamespace): readonly Check[] {
  const keys = [...labels].slice(0, MOST_LABELS).flatMap(([key, value]) => labelCheck(name, key, value, labels));
  const notes = [...VALUES.keys()].flatMap((key) => annotationCheck(name, key, annotations.get(key), labels));
  return [...keys, ...notes];
}

function labelCheck(
  namespace: string,
  key: string,
  value: string,
  labels: LabelledNamespace['labels'],
): readonly Check[] {
  const says = `namespace ${namespace} has label ${key}=${value}`;
  const values = VALUES.get(key);
  if (values === undefined) {
    const meant = nearKey(key);
    if (meant !== undefined && !labels.has(meant))
      return [problem(`${says}, which says nothing, did you mean ${meant}?`, relabelled(namespace, meant, value, key))];
    return key.startsWith(PREFIX) ? [warning(`${says}, which says nothing`, unlabelled(namespace, key))] : [];
  }
  if (values.includes(value)) return [];
  const none = `${says}, which is none of ${values.join(', ')}${didYouMean(value, values)}`;
  return [problem(none, relabelled(namespace, key, value))];
}

/** What people write for our domain, beside what is nearly it. */
const OWN_NAME = 'rwo-guard';

/** The label that somebody meant who typed this one; `undefined` where it is about something else. */
function nearKey(key: string): string | undefined {
  const [prefix = '', name = ''] = key.split('/');
  const isOurs = prefix === OWN_NAME || nearest(prefix, [PREFIX.slice(0, -1)]) !== undefined;
  const names = [...VALUES.keys()].map((label) => label.slice(PREFIX.length));
  const meant = isOurs ? nearest(name, names) : undefined;
  return meant === undefined ? undefined : PREFIX + meant;
}

/** With the value that is nearest to what stands there; where none is, without the label: whoever knows has to choose. */
function relabelled(namespace: string, key: string, value: string, instead?: string): string {
  const meant = nearest(value, VALUES.get(key) ?? []);
  if (meant === undefined) return unlabelled(namespace, instead ?? key);
  const gone = instead === undefined ? '' : ` ${quoted(instead)}-`;
  return `kubectl label namespace ${namespace} --overwrite ${key}=${meant}${gone}`;
}

function unlabelled(namespace: string, key: string): string {
  return `kubectl label namespace ${namespace} ${quoted(key)}-`;
}

function annotationCheck(
  namespace: string,
  key: string,
  value: string | undefined,
  labels: LabelledNamespace['labels'],
): readonly Check[] {
  if (value === undefined || labels.has(key)) return [];
  const says = `namespace ${namespace} has ${key} as an annotation, where only a label counts`;
  const removed = `kubectl annotate namespace ${namespace} ${key}-`;
  const isValue = nearest(value, VALUES.get(key) ?? []) !== undefined;
  return [problem(says, isValue ? `${relabelled(namespace, key, value)} && ${removed}` : removed)];
}

function withoutEffect(namespace: LabelledNamespace, installation: Installation): readonly Check[] {
  const { name, labels } = namespace;
  const mode = labels.get(MODE_LABEL);
  const fix = (key: string) => unlabelled(name, key);
  const exempt = installation.settings.exemptNamespaces.some((pattern) => matchesName(pattern, name));
  const found: Check[] = [];
  if (mode === 'enforce' && exempt)
    found.push(warning(`namespace ${name} is labelled enforce, and exemptNamespaces exempts it`, fix(MODE_LABEL)));
  else if (mode === 'enforce' && isExcluded(labels, 'enforce.rwo-guard.dev', installation))
    found.push(warning(`namespace ${name} is labelled enforce, and the webhooks leave it out`, fix(MODE_LABEL)));
  if (mode === 'off' && labels.has(MUTATE_LABEL))
    found.push(warning(`namespace ${name} asks for repairs, and its mode is off`, fix(MUTATE_LABEL)));
  return found;
}

function isExcluded(labels: LabelledNamespace['labels'], name: string, installation: Installation): boolean {
  const entry = entriesOf(installation).find((one) => one.name === name);
  return entry !== undefined && !matchesSelector(entry.namespaceSelector, labels);
}
