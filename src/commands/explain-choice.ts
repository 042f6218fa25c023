import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { objectAt, stringAt } from '../objects/json.ts';
import { JUDGED_KINDS, type Kind, rowOf } from '../objects/kinds.ts';
import { UsageError } from '../usage-error.ts';
import type { Manifest } from '../yaml/read-manifests.ts';

/** One object as kubectl is told it: `deployment/web`. */
export interface Choice {
  /** As it was written. */
  readonly text: string;
  readonly kind: string;
  readonly name: string;
}

/** What to read, and what of it to explain; everything where nothing is chosen. */
export interface Chosen {
  readonly paths: readonly string[];
  readonly choices: readonly Choice[];
}

/** The names by which kubectl knows each kind. */
const KINDS: ReadonlyMap<string, Kind> = new Map(
  JUDGED_KINDS.flatMap((kind) => {
    const { list, shortName = list } = rowOf(kind);
    return [kind.toLowerCase(), list, shortName].map((name) => [name, kind] as const);
  }),
);

/** Tells files from objects: what is there is a file. Throws UsageError where no file is left. */
export function chosenFrom(args: readonly string[], workingDirectory: string): Chosen {
  const paths: string[] = [];
  const choices: Choice[] = [];
  for (const text of args) {
    const choice = choiceFrom(text);
    const path = isAbsolute(text) ? text : join(workingDirectory, text);
    if (choice === undefined || existsSync(path)) paths.push(text);
    else choices.push(choice);
  }
  if (paths.length > 0) return { paths, choices };
  throw new UsageError('explain reads files: name one, a folder or - for stdin, before KIND/NAME');
}

function choiceFrom(text: string): Choice | undefined {
  const [kind = '', name = '', ...more] = text.split('/');
  const known = KINDS.get(kind.toLowerCase());
  return known === undefined || name === '' || more.length > 0 ? undefined : { text, kind: known, name };
}

/** Of manifests those that are chosen, by name and, where that was given, by namespace. */
export function isChosen({ object }: Manifest, choices: readonly Choice[], namespace: string | undefined): boolean {
  if (namespace !== undefined && namespaceOf({ object }) !== namespace) return false;
  if (choices.length === 0) return true;
  const name = stringAt(objectAt(object, 'metadata'), 'name');
  return choices.some((choice) => choice.kind === object.kind && choice.name === name);
}

/** As kubectl would take it, where the manifest names none. */
export function namespaceOf({ object }: Pick<Manifest, 'object'>): string {
  return stringAt(objectAt(object, 'metadata'), 'namespace') || 'default';
}

/** Throws UsageError for a choice that nothing in the input is, and tells of one that is in several namespaces. */
export function doubtsAboutChoices(
  manifests: readonly Manifest[],
  choices: readonly Choice[],
  namespace: string | undefined,
): readonly string[] {
  return choices.flatMap((choice) => {
    const everywhere = manifests.filter((manifest) => isChosen(manifest, [choice], undefined));
    const spaces = [...new Set(everywhere.map(namespaceOf))].toSorted();
    if (everywhere.length === 0) {
      throw new UsageError(`there is no ${choice.text} in the input${othersLike(manifests, choice)}`);
    }
    if (namespace !== undefined && !spaces.includes(namespace)) {
      throw new UsageError(`there is no ${choice.text} in namespace ${namespace}; it is in ${spaces.join(', ')}`);
    }
    return namespace === undefined && spaces.length > 1
      ? [`${choice.text} is in ${spaces.length} namespaces, ${spaces.join(', ')}: choose one by --namespace`]
      : [];
  });
}

/** As many names as help to see a slip. */
const MOST_NAMES = 5;

function othersLike(manifests: readonly Manifest[], { kind }: Choice): string {
  const names = manifests.flatMap(({ object }) =>
    object.kind === kind ? (stringAt(objectAt(object, 'metadata'), 'name') ?? []) : [],
  );
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return `, nor any other ${kind}`;
  const more = distinct.length > MOST_NAMES ? ` and ${distinct.length - MOST_NAMES} more` : '';
  return `; there is ${distinct.slice(0, MOST_NAMES).join(', ')}${more}`;
}
