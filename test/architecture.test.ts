import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { areaOf, circles, type SourceFile, type Table, violations } from './source-rules.ts';

/** What may import what. A folder without a line here is not allowed, and neither is a line without a folder. */
const TABLE: Table = {
  budget: { pure: true },
  'one-line': { pure: true },
  objects: { pure: true, imports: ['budget'] },
  snapshot: { pure: true, imports: ['objects', 'budget'] },
  facts: { pure: true, imports: ['objects', 'snapshot', 'budget'] },
  forecast: { pure: true, imports: ['objects', 'snapshot', 'facts', 'budget'] },
  rules: { pure: true, imports: ['objects', 'snapshot', 'facts', 'forecast', 'budget'] },
  mutations: { pure: true, imports: ['objects', 'facts', 'forecast', 'budget'] },
  stories: { pure: true, imports: ['objects', 'snapshot', 'facts', 'forecast', 'rules', 'budget'] },
  decision: { pure: true, imports: ['one-line', 'objects', 'facts', 'forecast', 'rules', 'mutations'] },
  admission: {
    imports: ['objects', 'snapshot', 'facts', 'forecast', 'rules', 'mutations', 'decision', 'budget'],
    packages: ['ajv'],
  },
  audit: {
    imports: ['objects', 'snapshot', 'facts', 'forecast', 'rules', 'decision', 'report', 'scan', 'cluster', 'budget'],
    node: true,
  },
  server: { imports: ['admission'], types: ['certs'], packages: ['fastify'], packageTypes: ['pino'], node: true },
  doctor: { pure: true, imports: ['objects', 'mutations', 'decision', 'did-you-mean'], types: ['certs'] },
  cluster: { imports: ['objects', 'snapshot', 'doctor'], packages: ['@kubernetes/client-node', 'undici'], node: true },
  yaml: { imports: ['objects'], types: ['mutations'], packages: ['ignore', 'js-yaml', 'yaml'], node: true },
  drawing: { pure: true, types: ['stories'] },
  report: { imports: ['one-line', 'rules'], types: ['stories'], node: true },
  page: {
    imports: ['drawing'],
    types: ['report', 'stories'],
    packages: ['preact', 'preact/hooks', '@observablehq/plot'],
  },
  lint: {
    imports: [
      ...['objects', 'snapshot', 'facts', 'forecast', 'rules', 'stories', 'mutations', 'budget'],
      ...['yaml', 'report', 'lint-config', 'usage-error', 'one-line'],
    ],
    packages: ['diff'],
    node: true,
  },
  'what-if': { pure: true, imports: ['objects', 'snapshot', 'facts', 'forecast', 'rules', 'budget'] },
  scan: {
    imports: [
      ...['objects', 'snapshot', 'facts', 'forecast', 'rules', 'stories', 'mutations', 'decision', 'report'],
      'budget',
    ],
    pure: true,
  },
  recovery: { imports: ['one-line', 'objects', 'facts'], pure: true },
  operate: { imports: ['objects', 'cluster', 'recovery'], node: true },
  'usage-error': {},
  commands: {
    imports: [
      ...['objects', 'snapshot', 'facts', 'forecast', 'rules', 'stories', 'mutations', 'decision'],
      ...['admission', 'audit', 'server', 'cluster', 'doctor', 'yaml', 'lint', 'scan', 'what-if', 'report'],
      ...['recovery', 'operate', 'usage-error', 'config', 'lint-config', 'log', 'metrics', 'certs', 'one-line'],
    ],
    packageTypes: ['pino', '@kubernetes/client-node'],
    node: true,
  },
  'did-you-mean': { pure: true },
  'schema-problem': { imports: ['did-you-mean'], packageTypes: ['ajv'] },
  'lint-config': {
    imports: ['did-you-mean', 'schema-problem', 'objects', 'lint-config.schema.json'],
    types: ['objects', 'facts', 'lint', 'report', 'rules'],
    packages: ['ajv', 'yaml'],
    node: true,
  },
  config: { imports: ['decision', 'objects', 'facts', 'log', 'schema-problem'], packages: ['ajv', 'yaml'], node: true },
  log: { imports: ['decision'], packages: ['pino'] },
  metrics: {
    imports: ['objects', 'audit-metrics', 'open-metrics'],
    types: ['admission', 'audit'],
    packages: ['prom-client'],
  },
  'audit-metrics': { imports: ['rules'], types: ['audit'], packages: ['prom-client'] },
  'open-metrics': { packages: ['prom-client'] },
  'compile-cache': { node: true },
  main: { imports: ['commands', 'compile-cache', 'one-line', 'usage-error', 'package.json'], packages: ['commander'] },
  certs: { packages: ['@kubernetes/client-node', 'node-forge'], node: true },
};

const ROOT = join(import.meta.dirname, '..');

const files: readonly SourceFile[] = ['src', 'certs'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({
      path: join(folder, name).replaceAll('\\', '/'),
      text: readFileSync(join(ROOT, folder, name), 'utf8'),
    })),
);

test('every source file keeps to the architecture', () => {
  assert.deepEqual(
    files.flatMap((file) => violations(file, TABLE)),
    [],
  );
});

test('every line of the table is about something that is there', () => {
  const there = new Set(files.map(({ path }) => areaOf(path)));
  assert.deepEqual(
    Object.keys(TABLE).filter((area) => !there.has(area)),
    [],
  );
});

for (const { name, path = 'src/facts/planted.ts', text = '', does } of [
  { name: 'an import of node:fs', text: "import { readFile } from 'node:fs';", does: 'imports node:fs' },
  { name: 'an import of a package', text: "import { Ajv } from 'ajv';", does: 'imports ajv' },
  { name: 'an import over several lines', text: "import {\n  a,\n  b,\n} from 'undici';", does: 'imports undici' },
  { name: 'an import upwards', text: "import { rules } from '../rules/index.ts';", does: 'imports rules' },
  { name: 'a type from above', text: "import type { Rule } from '../rules/rule.ts';", does: 'imports types of rules' },
  { name: 'an export from above', text: "export * from '../rules/index.ts';", does: 'imports rules' },
  { name: 'an import while it runs', text: "const a = import('../server/tls.ts');", does: 'imports server' },
  { name: 'an import for its effect', text: "import 'pino';", does: 'imports pino' },
  { name: 'a clock', text: 'const now = new Date();', does: 'reads a clock' },
  { name: 'a clock in a template', text: 'const a = `at $' + '{Date.now()}`;', does: 'reads a clock' },
  { name: 'dice', text: 'const a = Math.random();', does: 'throws dice' },
  { name: 'a look at the process', text: 'const a = process.memoryUsage();', does: 'looks at the process' },
  { name: 'a line on the console', text: 'console.log(1);', does: 'writes to the console' },
  { name: 'waiting', text: 'const a = await b;', does: 'waits' },
  { name: 'a cast', text: 'const a = b as string;', does: 'casts' },
  { name: 'a claim that something is not null', text: 'const a = b!.c;', does: 'claims that something is not null' },
  { name: 'any', text: 'const a: any = 1;', does: 'says any' },
  {
    name: 'types of the server in cluster',
    path: 'src/cluster/a.ts',
    text: "import type { A } from '../server/tls.ts';",
    does: 'imports types of server',
  },
  {
    name: 'code of certs in the server',
    path: 'src/server/a.ts',
    text: "import { a } from '../../certs/index.ts';",
    does: 'imports certs',
  },
  {
    name: 'a type of ours in certs',
    path: 'certs/a.ts',
    text: "import type { A } from '../src/log.ts';",
    does: 'imports types of log',
  },
  { name: 'main', path: 'src/commands/a.ts', text: "import { a } from '../main.ts';", does: 'imports main' },
  { name: 'the end of the process', path: 'src/main.ts', text: 'process.exit(1);', does: 'ends the process' },
  {
    name: 'an exit code',
    path: 'src/commands/a.ts',
    text: 'process.exitCode = 1;',
    does: 'does what main.ts alone does',
  },
  {
    name: 'arguments',
    path: 'src/commands/a.ts',
    text: 'const a = process.argv;',
    does: 'does what main.ts alone does',
  },
  {
    name: 'a response',
    path: 'src/admission/admit.ts',
    text: 'const a = { uid, allowed: true };',
    does: 'builds a response',
  },
  { name: 'an empty catch', path: 'src/cluster/a.ts', text: 'try { a(); } catch (e) {}', does: 'hides an error' },
  { name: 'a drawer', path: 'src/facts/utils.ts', does: 'has the name of a drawer' },
  { name: 'a folder that is a drawer', path: 'src/facts/helpers/a.ts', does: 'has the name of a drawer' },
  { name: 'a file without an end', text: '\n'.repeat(350), does: 'has more than 350 lines' },
  {
    name: 'a folder that nobody planned',
    path: 'src/telemetry/a.ts',
    does: 'telemetry is not in the table of what may import what',
  },
]) {
  test(`${name} is found`, () => {
    assert.deepEqual(violations({ path, text }, TABLE), [`${path}: ${does}`]);
  });
}

for (const { name, text } of [
  { name: 'a word in a comment', text: '/** Whatever any person, as they await a Date, may say!. */' },
  { name: 'a word in a text', text: "const a = 'as any process.env';" },
  { name: 'an import under another name', text: "import { a as b } from './a.ts';" },
  { name: 'as const', text: 'const a = [1] as const;' },
  { name: 'an inequality', text: 'const a = b !== c && !(d as const);' },
]) {
  test(`${name} is no violation`, () => {
    assert.deepEqual(violations({ path: 'src/facts/planted.ts', text }, TABLE), []);
  });
}

test('no file imports itself by way of others', () => {
  assert.deepEqual(circles(files), []);
});

test('a circle is found, of types too', () => {
  const to = (name: string) => `import type { A } from './${name}.ts';`;
  const planted = ['b', 'c', 'a'].map((name, n) => ({ path: `src/facts/${'abc'[n]}.ts`, text: to(name) }));
  assert.deepEqual(
    circles([...planted, { path: 'src/facts/d.ts', text: to('a') }]),
    planted.map(({ path }) => path),
  );
});
