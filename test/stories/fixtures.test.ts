import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { asText, everyTold, TOLD } from './told-fixtures.ts';

const all = everyTold();
const told = all.flatMap(({ file, stories }) => stories.map((one) => ({ file, ...one })));

test('the stories of all fixtures are those that somebody has read', () => {
  assert.equal(asText(all), readFileSync(TOLD, 'utf8'), 'read what has changed: node test/stories/told-fixtures.ts');
});

test('the same input has the same story', () => {
  assert.equal(asText(everyTold()), asText(all));
});

test('there is a way to every finding of a workload', () => {
  const without = told.filter(({ finding, story }) => finding.judges !== 'claim' && !story.isShown);
  assert.deepEqual(
    without.map(({ file }) => file),
    [],
  );
});

/** How a story of a rule ends, so that it never says other than the finding above it. */
const ENDS: Readonly<Record<string, RegExp>> = {
  'rollout-deadlock': /(So the rollout waits|waits?) for ever\.$/,
  'rollout-blocked': /(So the rollout )?waits (for ever|until a node joins|for as long as .*)\.$/,
  'rollout-transient': /the wait ends by itself\.$/,
  'replicas-split': /(waits? for ever|waits? for as long as .*)\.$/,
  'claim-shared': /(waits? (for as long as|until) .*|both wait for ever)\.$/,
};

for (const [rule, end] of Object.entries(ENDS)) {
  test(`every story of ${rule} ends as the rule says`, () => {
    const lines = told.filter(({ finding }) => finding.rule.id === rule).map(({ story }) => story.lines.at(-1) ?? '');
    assert.ok(lines.length > 0);
    assert.deepEqual(
      lines.filter((line) => !end.test(line)),
      [],
    );
  });
}

test('a story names the claims of its finding', () => {
  const without = told.filter(
    ({ finding, story }) => !finding.claims.every((name) => story.lines.some((line) => line.includes(name))),
  );
  assert.deepEqual(
    without.map(({ file, finding }) => `${file}: ${finding.rule.id}`),
    [],
  );
});

test('a story has four to eight lines', () => {
  const others = told.filter(({ finding }) => finding.judges !== 'claim').map(({ story }) => story.lines.length);
  assert.deepEqual(
    others.filter((lines) => lines < 4 || lines > 8),
    [],
  );
});

test('of every workload in which nothing is found it is told why', () => {
  const silent = all.filter(
    ({ file, stories, savedBy }) => !file.startsWith('access-mode') && stories.length + savedBy.length === 0,
  );
  assert.deepEqual(
    silent.map(({ file }) => file),
    [],
  );
});
