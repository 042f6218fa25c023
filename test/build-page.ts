import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const page = join(root, 'src/page');

/** What the styles need youngest: `light-dark()`. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5'];

/**
 * The page of reports as one file with places for a title and for data. It allows its own script and its own styles, by
 * their hashes, and nothing else.
 */
export async function builtPage(): Promise<string> {
  const [{ text: script, packages }, { text: style }, html] = await Promise.all([
    bundled('main.tsx'),
    bundled('main.css'),
    readFile(join(page, 'page.html'), 'utf8'),
  ]);
  const csp = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const parts = { csp, script, style, licences: await licencesOf(packages) };
  return html.replaceAll(/\{\{(csp|script|style|licences)\}\}/g, (_, name: keyof typeof parts) => parts[name]);
}

async function bundled(file: string): Promise<{ readonly text: string; readonly packages: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(page, file)],
    absWorkingDir: root,
    bundle: true,
    write: false as const,
    metafile: true as const,
    format: 'iife',
    target: BROWSERS,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  // What would end the element that it stands in, or be taken for a place.
  const text = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script').replaceAll('{{', '{ {');
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const packages = used.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return { text, packages: [...new Set(packages)].toSorted() };
}

/** The licences of these packages, each text once, below the names of those that have it. */
async function licencesOf(packages: readonly string[]): Promise<string> {
  const all = await Promise.all(packages.map(async (path) => ({ path, text: await licenceIn(join(root, path)) })));
  const byText = Map.groupBy(all, ({ text }) => text);
  const named = await Promise.all(
    [...byText].map(async ([text, some]) => {
      const names = await Promise.all(some.map(({ path }) => nameOf(join(root, path))));
      return `${names.join(', ')}\n\n${text}`;
    }),
  );
  return named.join('\n\n').replaceAll('--', '- -');
}

async function licenceIn(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence: it may not be in the page`);
  return (await readFile(join(folder, file), 'utf8')).trim();
}

async function nameOf(folder: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
