/* What a part of the input is: manifests, or something else that lies beside them in repositories. */
import { basename } from 'node:path';
import { stringAt } from '../objects/json.ts';
import { allOf, type Manifests } from '../yaml/read-manifests.ts';
import { holdsAction, isHelmTemplate, isPrintedByHelm, isTemplated, liesInChart } from '../yaml/templates.ts';

/** Something of the input that is no manifest and was not expected to be one. */
export interface Skipped {
  readonly file: string;
  readonly because: string;
  /** What would make manifests of it, a part of a chart or of a kustomization. */
  readonly rendersBy?: 'helm template' | 'kustomize build';
}

/** What was read from one file, or from stdin. */
export interface InputPart extends Omit<Manifests, 'foreign'> {
  readonly skipped: readonly Skipped[];
}

export function skippedPart(skipped: Skipped): InputPart {
  return { ...allOf([]), skipped: [skipped] };
}

/**
 * Parts the manifests of a file from what is none. Only what says that it is Kubernetes' and cannot be read is unreadable:
 * of all else a note tells.
 */
export function partOfFile(file: string, text: string, found: Manifests): InputPart {
  if (text.includes('{{') && liesInChart(file, TEMPLATES)) return skippedPart({ file, ...HELM_TEMPLATE });
  const { foreign, ...rest } = withoutTemplates(found, text, file);
  const manifests = rest.manifests.filter(({ object }) => !isKustomization(stringAt(object, 'apiVersion')));
  const skipped = [...rest.skipped];
  if (manifests.length < rest.manifests.length) skipped.push({ file, ...KUSTOMIZATION });
  const known = knownForeign(file);
  const isOurs = rest.unreadable.length === 0 || found.manifests.length > 0 || known === KUSTOMIZATION || claims(text);
  if (foreign.length > 0 || !isOurs) skipped.push({ file, ...(known ?? { because: NO_OBJECT }) });
  return { ...rest, manifests, unreadable: isOurs ? rest.unreadable : [], skipped };
}

function claims(text: string): boolean {
  return isPrintedByHelm(text) || saysKubernetes(text);
}

export const NO_OBJECT = 'no Kubernetes object';

const TEMPLATES: ReadonlySet<string> = new Set(['templates']);

const LINT_RENDERED = 'lint what helm template prints';
const HELM_TEMPLATE = { because: `a Helm template; ${LINT_RENDERED}`, rendersBy: 'helm template' } as const;
const CHART = { because: `a chart; ${LINT_RENDERED}`, rendersBy: 'helm template' } as const;
const VALUES = { because: `values of a chart; ${LINT_RENDERED}` } as const;
const OTHER_TEMPLATE = { because: 'a template; lint what is made of it' } as const;

const LINT_BUILT = 'lint what kustomize build prints';
const KUSTOMIZATION = { because: `a kustomization; ${LINT_BUILT}`, rendersBy: 'kustomize build' } as const;
export const PATCH = {
  because: `a patch of a kustomization, not judged; ${LINT_BUILT}`,
  rendersBy: 'kustomize build',
} as const;

/**
 * Takes away what cannot be read because the file is a template, and what YAML can read although the API server could not;
 * a note tells of it once. The other documents are judged.
 */
function withoutTemplates(found: Manifests, text: string, file: string): Manifests & Pick<InputPart, 'skipped'> {
  const isPlain = found.unreadable.length + found.foreign.length === 0 && !text.includes('{{');
  if (isPlain || !isTemplated(text)) return { ...found, skipped: [] };
  const [manifests, actions] = partedBy(found.manifests, ({ object }) => !holdsAction(object));
  if (isPrintedByHelm(text)) {
    const unrendered = actions.map(({ line }) => ({ file, line, because: UNRENDERED }));
    return { ...found, manifests, unreadable: [...found.unreadable, ...unrendered], skipped: [] };
  }
  if (actions.length + found.unreadable.length + found.foreign.length === 0) return { ...found, skipped: [] };
  const skipped = [{ file, ...(isHelmTemplate(text) ? HELM_TEMPLATE : OTHER_TEMPLATE) }];
  return { ...found, manifests, unreadable: [], foreign: [], skipped };
}

const UNRENDERED = `an action of a template stands in it; ${LINT_RENDERED}`;

function partedBy<T>(things: readonly T[], isFirst: (thing: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [things.filter(isFirst), things.filter((thing) => !isFirst(thing))];
}

function isKustomization(apiVersion: string | undefined): boolean {
  return apiVersion?.startsWith('kustomize.config.k8s.io/') ?? false;
}

/** What a file is by its name, where Helm or kustomize would read it. */
function knownForeign(path: string): Omit<Skipped, 'file'> | undefined {
  const name = basename(path).replace(/\.(ya?ml|json)$/, '');
  if (/^kustomization$/i.test(name)) return KUSTOMIZATION;
  if (name === 'Chart') return CHART;
  return /(^|[-._])values([-._]|$)/.test(name) ? VALUES : undefined;
}

/**
 * Whether a text that cannot be read says that it is Kubernetes': that it has an `apiVersion` and a `kind` where objects have
 * them. What lies deeper, as the script of a workflow, says nothing of the text itself. The fields of JSON may stand anywhere.
 */
function saysKubernetes(text: string): boolean {
  // Of UTF-16 every other character is left, and what stood before them.
  const letters = text.replaceAll(/[\0\uFFFD\uFEFF]/g, '');
  const [apiVersion, kind] = /^\s*\{/.test(letters) ? JSON_FIELDS : YAML_FIELDS;
  return apiVersion.test(letters) && kind.test(letters);
}

const YAML_FIELDS = [/^ {0,3}["']?apiVersion["']?[ \t]*:/m, /^ {0,3}["']?kind["']?[ \t]*:/m] as const;
const JSON_FIELDS = [/["']?\bapiVersion["']?\s*:/, /["']?\bkind["']?\s*:/] as const;
