import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import packageJson from '../package.json' with { type: 'json' };
import { builtPage } from './build-page.ts';

/**
 * Makes `dist/`, or another folder that is named: the program in one file, the page of its reports, and the package that it is. `RULES_URL` in the
 * environment is where src/rules/README.md can be read, for denials and findings to link to.
 */
const root = join(import.meta.dirname, '..');
const dist = process.argv[2] ?? join(root, 'dist');
const { RULES_URL = '' } = process.env;
const outfile = join(dist, 'rwo-guard.js');

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await build({
  entryPoints: [join(root, 'src/main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  // CommonJS, in which a module is evaluated when it is first needed: the Node version is checked before all others.
  format: 'cjs',
  banner: { js: '#!/usr/bin/env node' },
  define: {
    // Of CommonJS, in which the other one is empty.
    'import.meta.filename': '__filename',
    ...(RULES_URL !== '' && { RULES_URL: JSON.stringify(new URL(RULES_URL).href) }),
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
});
await chmod(outfile, 0o755);
await writeFile(join(dist, 'report.html'), await builtPage());
await copyFile(join(root, 'src/lint-config.schema.json'), join(dist, 'lint-config.schema.json'));

const { name, version, description, license, engines } = packageJson;
const bin = { 'rwo-guard': 'rwo-guard.js', 'kubectl-rwo_guard': 'rwo-guard.js' };
const itself = { name, version, description, license, type: 'commonjs', engines, bin };
await writeFile(join(dist, 'package.json'), `${JSON.stringify(itself, null, 2)}\n`);
