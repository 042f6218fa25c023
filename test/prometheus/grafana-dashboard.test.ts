import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelsOfResult, misnamed } from './promql.ts';
import { EXPORTED_ELSEWHERE, ownSamples, TARGET_LABELS } from './samples.ts';
import { DASHBOARD, type Panel, sentBy } from './shipped.ts';

const { panels } = DASHBOARD;
const shown = panels.filter(({ type }) => type !== 'row');
const samples = [...(await ownSamples()), ...EXPORTED_ELSEWHERE];

for (const { title, targets = [] } of shown) {
  test(`“${title}” asks for what is exported`, () => {
    assert.ok(targets.length > 0);
    for (const target of targets) {
      const expression = sentBy(target);
      assert.doesNotMatch(expression, /\$/);
      assert.deepEqual(misnamed(expression, samples, TARGET_LABELS), [], expression);
    }
  });

  test(`the legend of “${title}” is made of labels that are there`, () => {
    for (const target of targets) {
      const named = [...target.legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      const result = labelsOfResult(sentBy(target), TARGET_LABELS);
      assert.deepEqual(
        named.filter((label) => !result.includes(label)),
        [],
      );
    }
  });
}

test('every panel has an id, a title and an explanation, and no two have the same', () => {
  for (const key of ['id', 'title'] as const)
    assert.equal(new Set(panels.map((panel) => panel[key])).size, panels.length);
  assert.deepEqual(
    shown.filter(({ description = '' }) => description === '').map(({ title }) => title),
    [],
  );
  for (const { targets = [] } of shown) assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length);
});

test('panels lie side by side within the 24 columns', () => {
  for (const [index, one] of panels.entries()) {
    const { x, w, h } = one.gridPos;
    assert.ok(x >= 0 && w > 0 && h > 0 && x + w <= 24, one.title);
    const covered = panels.slice(index + 1).filter((other) => overlap(one, other));
    assert.deepEqual(
      covered.map(({ title }) => `${one.title} covers ${title}`),
      [],
    );
  }
});

test('the data source is a variable, and everything asks it', () => {
  assert.deepEqual(
    DASHBOARD.templating.list.map(({ name, type }) => [name, type]),
    [['datasource', 'datasource']],
  );
  for (const { datasource, targets = [] } of shown) {
    for (const source of [datasource, ...targets.map((target) => target.datasource)]) {
      assert.deepEqual(source, { type: 'prometheus', uid: '$' + '{datasource}' });
    }
  }
});

function overlap({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  const apart = (a: 'x' | 'y', size: 'w' | 'h') => one[a] + one[size] <= other[a] || other[a] + other[size] <= one[a];
  return !apart('x', 'w') && !apart('y', 'h');
}
