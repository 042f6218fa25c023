import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import packageJson from '../package.json' with { type: 'json' };
import { builtPage } from './build-page.ts';

/**
 * Makes `dist/`, or another folder that is named: the program, of which each command loads its own parts, the page of its
 * reports, and the package that it is. `RULES_URL` in the
 * environment is where src/rules/README.md can be read, for denials and findings to link to.
 */
const root = join(import.meta.dirname, '..');
const dist = process.argv[2] ?? join(root, 'dist');
const { RULES_URL = '' } = process.env;

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await build({
  entryPoints: { 'rwo-guard': join(root, 'src/main.ts') },
  outdir: dist,
  bundle: true,
  // A part for whatever is imported when it is first needed, as commands are, and for what several of them share.
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  // What dependencies require of Node, for modules have no `require` of their own.
  banner: { js: "import{createRequire as requireFor}from'node:module';const require=requireFor(import.meta.url);" },
  define: RULES_URL === '' ? {} : { RULES_URL: JSON.stringify(new URL(RULES_URL).href) },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
});
await chmod(join(dist, 'rwo-guard.js'), 0o755);
await writeFile(join(dist, 'report.html'), await builtPage());
await copyFile(join(root, 'src/lint-config.schema.json'), join(dist, 'lint-config.schema.json'));

const { name, version, description, license, engines } = packageJson;
const bin = { 'rwo-guard': 'rwo-guard.js', 'kubectl-rwo_guard': 'rwo-guard.js' };
const itself = { name, version, description, license, type: 'module', engines, bin };
await writeFile(join(dist, 'package.json'), `${JSON.stringify(itself, null, 2)}\n`);
