import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPicture } from '../../src/drawing/draw-picture.ts';
import { type Drawn, fitted } from '../../src/drawing/drawn.ts';
import type { Picture } from '../../src/stories/picture.ts';

const HANGS: Picture = {
  nodes: ['node-a', 'node-b'],
  pods: [
    { name: 'web-old', state: 'ready', node: 0, volumes: [0] },
    { name: 'web-new', state: 'starting', node: 1, volumes: [0] },
  ],
  volumes: [{ name: 'data', node: 0 }],
};

/** All elements of a class, wherever they are. */
function having(name: string, root: Drawn): readonly Drawn[] {
  const inside = root.children.flatMap((child) => (typeof child === 'string' ? [] : having(name, child)));
  return root.attributes.class === name ? [root, ...inside] : inside;
}

function textsIn(root: Drawn): readonly string[] {
  return root.children.flatMap((child) => (typeof child === 'string' ? [child] : textsIn(child)));
}

test('a pod that has its volume is linked to it, and one that waits for it otherwise', () => {
  const svg = drawPicture(HANGS);
  assert.equal(having('link', svg).length, 1);
  assert.equal(having('link waits', svg).length, 1);
  assert.equal(having('pod ready', svg).length, 1);
  assert.deepEqual(textsIn(having('pod waits', svg)[0] ?? svg).slice(1), ['web-new', 'waits for data']);
});

test('who sees nothing hears what is drawn', () => {
  assert.equal(
    drawPicture(HANGS).attributes['aria-label'],
    'On node-a: web-old ready, volume data. On node-b: web-new waits for data.',
  );
});

test('what is on no node is drawn below the nodes', () => {
  const pods = [{ name: 'web-new', state: 'pending' as const, volumes: [0] }];
  const svg = drawPicture({ nodes: ['node-a'], pods, volumes: [{ name: 'data' }] });
  assert.equal(having('node none', svg).length, 1);
  assert.equal(having('link waits', svg).length, 0);
  assert.equal(svg.attributes['aria-label'], 'On node-a: nothing. On no node: web-new pending, volume data.');
});

test('everything that is drawn is within the frame', () => {
  const pods = Array.from({ length: 9 }, (_, index) => ({
    ...{ name: `web-${index}`, state: 'ready' as const, node: index % 3, volumes: [0, 1] },
  }));
  const svg = drawPicture({ nodes: ['a', 'b', 'c'], pods, volumes: [{ name: 'x', node: 0 }, { name: 'y' }] });
  const [, , width = 0, height = 0] = String(svg.attributes.viewBox).split(' ').map(Number);
  for (const frame of having('node', svg)) {
    const { x, y, width: w, height: h } = (frame.children[0] as Drawn).attributes;
    assert.ok(Number(x) >= 0 && Number(y) >= 0 && Number(x) + Number(w) <= width && Number(y) + Number(h) <= height);
  }
});

for (const { name, most, shown } of [
  { name: 'web', most: 5, shown: 'web' },
  { name: 'postgres-data-postgres-0', most: 13, shown: 'postgr…gres-0' },
  { name: 'abcdef', most: 3, shown: 'a…f' },
  { name: '🗄🗄🗄🗄', most: 3, shown: '🗄…🗄' },
]) {
  test(`of ${name} there is room for ${shown}`, () => {
    assert.equal(fitted(name, most), shown);
  });
}
