/**
 * Kinds of which no more is read than that they are there. Definitions of custom resources, which programs print, are most
 * of the bytes of many a repository. A ConfigMap is read, for people write those, and want to hear that one is broken.
 */
export const NEEDLESS_KINDS = [
  'CustomResourceDefinition',
  'Service',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'Ingress',
  'NetworkPolicy',
  'ServiceMonitor',
  'PodMonitor',
  'PrometheusRule',
  'GrafanaDashboard',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
] as const;

const IS_NEEDLESS = new RegExp(`^kind: +(["']?)(?:${NEEDLESS_KINDS.join('|')})\\1 *(?: #.*)?\\r?$`);

/** Finds out whether a text may have needless documents: nearly all have none, and are not looked at line by line. */
const MAY_HAVE_NEEDLESS = new RegExp(`^kind: +["']?(?:${NEEDLESS_KINDS.join('|')})\\b`, 'm');

/** What ends a document or a line elsewhere than usual. */
const UNUSUAL = /^(?:%|\.\.\.)|\r(?!\n)|[\u0085\u2028\u2029]/m;

const BEFORE_DOCUMENT = /^(?=---(?:\s|$))/m;

/**
 * The text with nothing left of documents that nobody needs but their `apiVersion` and `kind`, each on its line. Only what
 * plainly is one is left out: a mapping of plain keys at the beginning of lines, one of which is such a kind. Whatever is
 * unusual stays, for the parser to tell what it is.
 */
export function withoutNeedless(text: string): string {
  if (!MAY_HAVE_NEEDLESS.test(text) || UNUSUAL.test(text)) return text;
  return text.split(BEFORE_DOCUMENT).map(shortened).join('');
}

function shortened(document: string): string {
  // A template may end up as anything, and a hook may be one that only a test creates.
  if (!MAY_HAVE_NEEDLESS.test(document) || document.includes('{{') || document.includes('helm.sh/hook'))
    return document;
  const lines = document.split('\n');
  const identity = needlessIdentity(lines);
  if (identity === undefined) return document;
  return lines
    .map((line, index) => ((index === 0 && SEPARATOR.test(line)) || identity.has(index) ? line : ''))
    .join('\n');
}

const SEPARATOR = /^--- *(?: #.*)?\r?$/;
const BLANK = /^[ \t]*(?:#.*)?\r?$/;
const FIELD = /^([A-Za-z][\w./-]*):(?:[ \r]|$)/;
const IDENTITY = /^\w+: +(["']?)[\w./-]+\1 *(?: #.*)?\r?$/;

/** Which lines tell `apiVersion` and `kind`; `undefined` unless each does once, and plainly, and nobody needs the kind. */
function needlessIdentity(lines: readonly string[]): ReadonlySet<number> | undefined {
  const identity = new Map<string, number>();
  let isNeedless = false;
  let last = '';
  for (const [index, line] of lines.entries()) {
    if (BLANK.test(line) || (index === 0 && SEPARATOR.test(line))) continue;
    if (line.startsWith(' ') || line.startsWith('- ')) {
      // Before the first field the whole document is indented, and what follows a plain word may be a part of it.
      if (last === '' || identity.has(last)) return undefined;
      continue;
    }
    last = FIELD.exec(line)?.[1] ?? '';
    if (last === '') return undefined;
    if (last !== 'apiVersion' && last !== 'kind') continue;
    if (identity.has(last) || !IDENTITY.test(line)) return undefined;
    identity.set(last, index);
    isNeedless ||= IS_NEEDLESS.test(line);
  }
  return isNeedless && identity.size === 2 ? new Set(identity.values()) : undefined;
}
