import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Picture } from '../../src/stories/picture.ts';
import { claim, deployment } from '../lint/manifests.ts';
import { CLASS, DRIVER, factsOf, nodes, storyOf } from './told.ts';
import { everyTold } from './told-fixtures.ts';

const DISK = [CLASS, DRIVER, claim({ storageClassName: 'disks' })];
const TWO = nodes({ 'node-a': {}, 'node-b': {} });
const ASSUMED = nodes({ 'node 1': {}, 'node 2': {} });

const stories = everyTold().flatMap(({ file, stories: told }) => told.map(({ story }) => ({ file, ...story })));
const shown = stories.filter(({ isShown }) => isShown);

/** A picture in a few words: what is on each node, and then what is on none. */
function inWords({ nodes: names, pods, volumes }: Picture): string {
  const on = (node: number | undefined) => [
    ...pods.filter((pod) => pod.node === node).map(({ name, state }) => `${name} ${state}`),
    ...volumes.filter((volume) => volume.node === node).map(({ name }) => name),
  ];
  const places = [...names.map((name, node) => ({ name, there: on(node) })), { name: 'nowhere', there: on(undefined) }];
  return places
    .filter(({ there }) => there.length > 0)
    .map(({ name, there }) => `${name}: ${there.join(', ')}`)
    .join('; ');
}

test('a rollout that waits for ever is drawn after each of its lines', () => {
  const { pictures } = storyOf('rollout-deadlock', factsOf(...DISK, ...TWO, deployment()));
  const waits = 'node-a: web-old ready, data; node-b: web-new starting';
  assert.deepEqual(pictures.map(inWords), [
    'node-a: web-old ready, data',
    'node-a: web-old ready, data; nowhere: web-new pending',
    ...[waits, waits, waits, waits],
  ]);
  assert.deepEqual(
    pictures.at(-1)?.pods.map(({ volumes }) => volumes),
    [[0], [0]],
  );
});

test('a wait that passes is drawn to where the pod waits', () => {
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
  const { pictures } = storyOf('rollout-transient', factsOf(...DISK, ...TWO, deployment({ strategy })));
  assert.deepEqual(
    [...new Set(pictures.map(inWords))],
    [
      'node-a: web-old ready, data',
      'node-a: web-old ready, data; nowhere: web-new pending',
      'node-a: web-old ready, data; node-b: web-new starting',
    ],
  );
});

test('nodes that were assumed are headed as the lines name them', () => {
  const { lines, pictures } = storyOf('rollout-deadlock', factsOf(...DISK, ...ASSUMED, deployment()));
  assert.deepEqual(pictures[0]?.nodes, ['first node', 'second node']);
  assert.match(lines.join('\n'), /one node, .*another node/s);
});

test('a node that a line names is drawn, though nothing ever is there', () => {
  const tainted = { spec: { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] } };
  const ports = { containers: [{ name: 'web', ports: [{ containerPort: 80, hostPort: 80 }] }] };
  const facts = factsOf(...DISK, ...nodes({ 'node-a': {}, 'node-b': tainted }), deployment({}, {}, ports));
  assert.deepEqual(storyOf('rollout-blocked', facts).pictures.at(-1)?.nodes, ['node-a', 'node-b']);
});

test('every line of a story that is shown has its picture, and no line of another one', () => {
  assert.ok(shown.length > 100);
  assert.deepEqual(
    stories.filter(({ isShown, lines, pictures }) => pictures.length !== (isShown ? lines.length : 0)),
    [],
  );
});

test('all pictures of one story have the same nodes and volumes, and few of them', () => {
  const differing = shown.filter(({ pictures }) => {
    const frames = pictures.map(({ nodes: names, volumes }) =>
      JSON.stringify([names, volumes.map(({ name }) => name)]),
    );
    return new Set(frames).size > 1 || (pictures[0]?.nodes.length ?? 0) > 6;
  });
  assert.deepEqual(
    differing.map(({ file }) => file),
    [],
  );
});

test('a pod that has come as far as a node is on one, and no other pod is', () => {
  const wrong = shown.filter(({ pictures }) =>
    pictures.some(({ pods }) =>
      pods.some(({ state, node }) => (node === undefined) !== (state === 'pending' || state === 'ended')),
    ),
  );
  assert.deepEqual(
    wrong.map(({ file }) => file),
    [],
  );
});

test('a line that says where a pod is bound has it there in its picture', () => {
  const wrong = shown.flatMap(({ file, lines, pictures }) =>
    lines.flatMap((line, index) => {
      const [, pod = '', node = ''] = /^The scheduler binds ([\w-]+) to (node-[\w-]+)/.exec(line) ?? [];
      const picture = pictures[index];
      const found = picture?.pods.find(({ name }) => name === pod);
      return pod === '' || picture?.nodes[found?.node ?? -1] === node ? [] : [`${file}: ${line}`];
    }),
  );
  assert.deepEqual(wrong, []);
});

test('a pod that a line says is ended terminates in its picture, or has gone for good', () => {
  const states = shown.flatMap(({ lines, pictures }) =>
    lines.flatMap((line, index) => {
      const [, pod = ''] = /^The \w+ ends ([\w-]+)(?=,| first)/.exec(line) ?? [];
      const after = pictures.slice(index).map(({ pods }) => pods.find(({ name }) => name === pod)?.state);
      if (pod === '') return [];
      return [after.every((state) => state === undefined) ? 'gone' : after[0]];
    }),
  );
  assert.deepEqual([...new Set(states)].sort(), ['gone', 'terminating']);
});
