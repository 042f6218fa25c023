import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeRules } from '../../src/commands/rules.ts';
import { examples } from '../../src/rules/examples.ts';
import { guards, manifestRules, rules } from '../../src/rules/index.ts';
import { pages } from '../../src/rules/pages/index.ts';
import { folderFor, start } from '../program.ts';

const PAGES = new URL('../../src/rules/README.md', import.meta.url);

test('every rule has a page, and every page a rule', () => {
  assert.deepEqual(
    Object.keys(pages),
    rules.map(({ meta }) => meta.id),
  );
});

test('the pages of the rules are what the program prints', () => {
  const printed = describeRules({ pages: true });
  assert.ok('text' in printed);
  assert.equal(printed.text, readFileSync(PAGES, 'utf8'), 'node src/main.ts rules --pages >src/rules/README.md');
});

for (const { meta } of rules) {
  test(`${meta.id} has a page with a heading that is its anchor`, () => {
    const printed = describeRules({ id: meta.id });
    assert.ok('text' in printed && printed.text.startsWith(`## ${meta.id}\n`));
  });

  test(`the drawing of ${meta.id} is not wider than a terminal`, () => {
    for (const line of pages[meta.id]?.drawing.split('\n') ?? []) assert.ok(line.length <= 72, line);
  });
}

for (const { meta } of guards) {
  test(`the page of ${meta.id} shows what somebody types, and what to type`, () => {
    const printed = describeRules({ id: meta.id });
    assert.match('text' in printed ? printed.text : '', /^Bad:\n\n```sh\nkubectl .*^Good:\n\n```sh\nkubectl /ms);
  });
}

for (const { meta } of manifestRules) {
  test(`the story of ${meta.id} is what explain tells of its bad example`, async (t) => {
    const file = join(await folderFor(t), 'bad.yaml');
    await writeFile(file, examples[meta.id]?.bad ?? '');
    const { explained } = JSON.parse((await start(t, ['explain', '--format', 'json', file]).ended).stdout);
    const [{ findings }] = explained;
    assert.deepEqual(
      pages[meta.id]?.story,
      findings.find(({ rule }: { readonly rule: string }) => rule === meta.id)?.story,
    );
  });
}
