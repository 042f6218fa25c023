import { dirname, join } from 'node:path/posix';

/** One source file; `path` is relative to the repository, with slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What a folder, or a file directly in `src`, may use besides itself. */
export interface Allowed {
  /** Decides from what it is given: no Node, no package, no clock, no waiting, no casts. */
  readonly pure?: true;
  readonly imports?: readonly string[];
  /** Of these the types alone, which are gone when the program runs. */
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
  readonly packageTypes?: readonly string[];
  readonly node?: true;
}

export type Table = Readonly<Record<string, Allowed>>;

/** Names that say nothing, under which anything would fit. */
const DRAWERS = /(^|\/)(utils?|helpers?|common|misc|types|enums|core|lib|manager|service)(\/|\.ts$)/;

const MOST_LINES = 350;

/** What would make a pure folder depend on more than its arguments, and what would silence the compiler there. */
const IMPURE: readonly (readonly [RegExp, string])[] = [
  [/\bnew Date\b|\bDate\.now\b|\bperformance\.now\b/, 'reads a clock'],
  [/\bprocess\./, 'looks at the process'],
  [/\bconsole\b/, 'writes to the console'],
  [/\bMath\.random\b/, 'throws dice'],
  [/\bawait\b/, 'waits'],
  [/\bas (?!const\b)/, 'casts'],
  [/[\w)\]]!(?=[.,;)\]\s[(])/, 'claims that something is not null'],
  [/\bany\b/, 'says any'],
];

/** Everything that a file does against the architecture, each a sentence that begins with its path. */
export function violations({ path, text }: SourceFile, table: Table): readonly string[] {
  const area = areaOf(path);
  const allowed = table[area];
  if (allowed === undefined) return [`${path}: ${area} is not in the table of what may import what`];
  const code = codeOf(text);
  const body = code.replaceAll(IMPORT, '');
  const found = [...importsIn(text)].flatMap((used) => forbidden(used, path, area, allowed) ?? []);
  if (text.split('\n').length > MOST_LINES) found.push(`has more than ${MOST_LINES} lines`);
  if (DRAWERS.test(path)) found.push('has the name of a drawer');
  if (allowed.pure) found.push(...IMPURE.flatMap(([pattern, does]) => (pattern.test(body) ? [does] : [])));
  if (/\bprocess\.exit\(/.test(body)) found.push('ends the process');
  if (area !== 'main' && /\bprocess\.(exitCode|argv|env)\b/.test(body)) found.push('does what main.ts alone does');
  if (path !== 'src/admission/response.ts' && /\ballowed: (?!boolean)/.test(body)) found.push('builds a response');
  if (/\bcatch( \(\w+\))? \{\s*\}/.test(body)) found.push('hides an error');
  return found.map((does) => `${path}: ${does}`);
}

/** The files that import themselves by way of others, types included. */
export function circles(files: readonly SourceFile[]): readonly string[] {
  const imported = new Map(
    files.map(({ path, text }) => [path, [...importsIn(text)].map(({ from }) => join(dirname(path), from))]),
  );
  const reached = (path: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const waiting = [...(imported.get(path) ?? [])];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (found.has(one)) continue;
      found.add(one);
      waiting.push(...(imported.get(one) ?? []));
    }
    return found;
  };
  return files.map(({ path }) => path).filter((path) => reached(path).has(path));
}

/** The folder below `src`, the name of a file directly in `src`, or the folder beside `src`. */
export function areaOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'src' ? second.replace(/\.ts$/, '') : top;
}

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

const IMPORT = /\b(?:import|export)\b(?<type> type\b)?[^;'"()]*?\bfrom '(?<from>[^']*)'|\bimport\(?\s*'(?<at>[^']*)'/g;

function* importsIn(text: string): Generator<Import> {
  for (const { groups = {} } of withoutComments(text).matchAll(IMPORT)) {
    yield { from: groups.from ?? groups.at ?? '', typeOnly: groups.type !== undefined };
  }
}

function forbidden({ from, typeOnly }: Import, path: string, area: string, allowed: Allowed): string | undefined {
  const { imports = [], types = [], packages = [], packageTypes = [] } = allowed;
  const may = (names: readonly string[], typeNames: readonly string[], name: string) =>
    names.includes(name) || (typeOnly && typeNames.includes(name));
  if (from.startsWith('node:')) return allowed.node || typeOnly ? undefined : `imports ${from}`;
  if (!from.startsWith('.')) return may(packages, packageTypes, from) ? undefined : `imports ${from}`;
  const target = areaOf(join(dirname(path), from));
  return target === area || may(imports, types, target) ? undefined : `imports ${typeOnly ? 'types of ' : ''}${target}`;
}

const COMMENT_OR_TEXT = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

function withoutComments(text: string): string {
  return text.replaceAll(COMMENT_OR_TEXT, (found) => (found.startsWith('/') ? ' ' : found));
}

/** What is left without comments and without the words of texts; what a template computes stays. */
function codeOf(text: string): string {
  return text.replaceAll(COMMENT_OR_TEXT, (found) => {
    if (found.startsWith('/')) return ' ';
    return found.startsWith('`')
      ? `\`${[...found.matchAll(/\$\{([^}]*)\}/g)].map(([, inside]) => inside).join(';')}\``
      : "''";
  });
}
