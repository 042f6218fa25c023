import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };
import { describeRules } from '../src/commands/rules.ts';
import { FIXTURES } from './fixtures.ts';
import { SAID } from './messages/said.ts';
import { folderFor, start } from './program.ts';

const ROOT = join(import.meta.dirname, '..');
const readme = textOf('README.md');

/** Every text for people in the repository. */
const pages = ['README.md', ...['certs', 'manifests', 'src', 'test'].flatMap(pagesIn)];

test('the README can be read in five minutes', () => {
  assert.ok(readme.split('\n').length <= 220);
  assert.ok(readme.split(/\s+/).length <= 1_300);
});

test('the README holds the table that rwo-guard rules --markdown prints', () => {
  const printed = describeRules({ markdown: true });
  assert.ok('text' in printed && readme.includes(`\n${printed.text}`));
});

test('the page of the installation holds the table that rwo-guard rules --guards prints', () => {
  const printed = describeRules({ guards: true });
  assert.ok('text' in printed && textOf('manifests/README.md').includes(`\n${printed.text}`));
});

test('the denial in the README is one that is said', () => {
  const [, denial = ''] = /<!-- said in a test -->\n```text\n(.*?)```/s.exec(readme) ?? [];
  const indented = denial.replaceAll(/^(?=.)/gm, '    ');
  assert.ok(readFileSync(SAID, 'utf8').includes(`\n${indented}`), denial);
});

test('the manifest in the README is found by the command below it, and --fix makes of it what is shown', async (t) => {
  const [, before = '', after = ''] =
    /<!-- linted by a test -->\n```yaml\n(.*?)```\n.*?```yaml\n(.*?)```/s.exec(readme) ?? [];
  const deploy = join(await folderFor(t), 'deploy/');
  await mkdir(deploy);
  await writeFile(join(deploy, 'web.yaml'), before);
  const [, command = ''] = /^\$ npx node dist\/rwo-guard\.js (lint deploy\/)$/m.exec(readme) ?? [];
  const args = command.replace('deploy/', deploy).split(' ');
  const { code, stdout } = await start(t, args).ended;
  assert.equal(code, 1);
  assert.match(stdout, /rollout-deadlock {2}Deployment shop\/web/);
  await start(t, [...args, '--fix']).ended;
  assert.ok((await readFile(join(deploy, 'web.yaml'), 'utf8')).includes(after));
  assert.equal((await start(t, args).ended).code, 0);
});

test('what is shown of rwo-guard explain is what it prints', async (t) => {
  const files = ['fail/defaults-on-three-nodes.yaml', 'pass/recreate.yaml'];
  const folder = `${FIXTURES.pathname}rollout-deadlock/`;
  const { stdout } = await start(t, ['explain', ...files.map((file) => `${folder}${file}`)]).ended;
  const shown = `explain ${files.join(' ')}\n${stdout.replaceAll(folder, '')}\`\`\``;
  assert.ok(textOf('src/lint/README.md').includes(shown), stdout);
});

test('the server without a cluster starts by the command that is shown', async (t) => {
  const shown = /^\$ npx node dist\/rwo-guard\.js (serve --snapshot .*?[^\\])\n/ms.exec(textOf('manifests/README.md'));
  const command = (shown?.[1] ?? '').replaceAll(/\\\n\s*/g, '').replaceAll(/:\d+/g, ':0');
  const paths = command
    .replace('test/demo', join(ROOT, 'test/demo'))
    .replace('ca.crt', join(await folderFor(t), 'ca.crt'));
  assert.match((await start(t, paths.split(' ')).ready).url, /^https:\/\/127\.0\.0\.1:/);
});

for (const page of pages) {
  test(`every script that ${page} names is there`, () => {
    const named = [...textOf(page).matchAll(/npm (?:run (?:-s )?([\w:]+)|(test)\b)/g)];
    assert.deepEqual(
      named.map(([, run, test]) => run ?? test ?? '').filter((name) => !(name in packageJson.scripts)),
      [],
    );
  });

  test(`every link in ${page} leads somewhere`, () => {
    const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    assert.deepEqual(
      links.filter((link) => !link.startsWith('https://') && !leadsSomewhere(link, page)),
      [],
    );
  });
}

function leadsSomewhere(link: string, from: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsIn(target).includes(anchor);
}

/** As GitHub makes them of headings. */
function anchorsIn(page: string): readonly string[] {
  const prose = textOf(page).replaceAll(/^```.*?^```/gms, '');
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-'));
}

function pagesIn(folder: string): readonly string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file));
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
