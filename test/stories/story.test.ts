import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { evaluateWorkload } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { shortened } from '../../src/stories/story.ts';
import { storyFor } from '../../src/stories/told.ts';
import { claim, deployment } from '../lint/manifests.ts';
import { CLASS, DRIVER, factsOf, nodes, storyOf } from './told.ts';

const DISK = [CLASS, DRIVER, claim({ storageClassName: 'disks' })];
const TWO = nodes({ 'node-a': {}, 'node-b': {} });

test('a rollout that waits for ever is told from the old pod to the end, with the numbers of the controller', () => {
  assert.deepEqual(storyOf('rollout-deadlock', factsOf(...DISK, ...TWO, deployment())).lines, [
    'web-old runs on node-a, with data attached there.',
    'At the next change of its template the Deployment creates web-new before an old pod goes, because maxSurge 25% of 1 replica rounds up to 1.',
    'The scheduler binds web-new to node-b, which passes all filters, as node-a does.',
    'web-new waits, because claim data is attached to node-a, where web-old uses it, and one node may have it at a time (Multi-Attach).',
    'The Deployment keeps its 1 pod available, because maxUnavailable 25% of 1 replica rounds down to 0: web-old stays until web-new is ready.',
    'So the rollout waits for ever.',
  ]);
});

test('a node that does not take the new pod is told with the filter that leaves it out', () => {
  const affinity = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };
  const { lines } = storyOf('rollout-deadlock', factsOf(...DISK, ...TWO, deployment({}, {}, { affinity })));
  assert.ok(
    lines.includes(
      'The scheduler binds web-new to node-b, because node-a does not take it (anti-affinity keeps it from web-old).',
    ),
    lines.join('\n'),
  );
});

test('a pod that no node takes is told with what each node has against it', () => {
  const tainted = { spec: { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] } };
  const ports = { containers: [{ name: 'web', ports: [{ containerPort: 80, hostPort: 80 }] }] };
  const facts = factsOf(
    ...DISK,
    ...nodes({ 'node-a': {}, 'node-b': tainted, 'node-c': tainted }),
    deployment({}, {}, ports),
  );
  const { lines } = storyOf('rollout-blocked', facts);
  assert.ok(
    lines.includes(
      'web-new stays Pending, because no node takes it: node-a (host port 80 is taken there by web-old), node-b and node-c (taint dedicated=db:NoSchedule is not tolerated).',
    ),
    lines.join('\n'),
  );
});

test('a wait that passes is told as one', () => {
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
  const { lines } = storyOf('rollout-transient', factsOf(...DISK, ...TWO, deployment({ strategy })));
  assert.deepEqual(lines.slice(-2), [
    'The Deployment ends web-old without waiting for web-new, because maxUnavailable is 1.',
    'Then data can move, and web-new starts: the wait ends by itself.',
  ]);
});

test('few pods stand for many, and the numbers are those of all', () => {
  const facts = factsOf(...DISK, ...TWO, deployment({ replicas: 400 }));
  const rollout = storyOf('rollout-deadlock', facts).lines;
  assert.match(rollout[0] ?? '', /^4 of 400 pods stand for all: web-old-1, .* and web-old-4 run on node-a/);
  assert.ok(
    rollout.some((line) => line.includes('keeps 300 of 400 pods available')),
    rollout.join('\n'),
  );
  const creation = storyOf('replicas-split', facts).lines;
  assert.ok(creation.some((line) => line.includes('web-4, which stand for all 400, because replicas is 400')));
});

test('the pods of a StatefulSet have their names', () => {
  const { lines } = storyOf('replicas-split', factsOf(...DISK, ...TWO, statefulSet(2)));
  assert.ok(lines.includes('The StatefulSet creates db-1, now that db-0 is ready.'), lines.join('\n'));
  assert.equal(lines.at(-1), 'With replicas 2 the StatefulSet keeps db-0: db-1 waits for ever.');
});

test('pods of a Job that keep apart wait for those that run, as these end', () => {
  const local = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      local: { path: '/disk' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-a'] }] },
          ],
        },
      },
    },
  };
  const labels = { app: 'import' };
  const keepApart = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'import' },
    spec: {
      parallelism: 2,
      completions: 2,
      template: {
        metadata: { labels },
        spec: {
          affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [keepApart] } },
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      },
    },
  };
  const bound = claim({ volumeName: 'disk', storageClassName: '' });
  const { lines } = storyOf('replicas-split', factsOf(local, bound, ...TWO, job));
  assert.deepEqual(lines.slice(1), [
    'The Job creates import-1 and import-2, because parallelism is 2.',
    'The scheduler binds import-1 to node-a; import-1 becomes ready.',
    'import-2 stays Pending, because no node takes it: node-a (anti-affinity keeps it from import-1), node-b (the volume of data cannot be used there).',
    'import-2 waits for as long as import-1 runs.',
  ]);
});

test('where there is too much to tell, the middle is left out and never the beginning or the end', () => {
  const linesOf = (...texts: readonly string[]) =>
    texts.map((text) => ({ text, still: { standing: [], attached: [] } }));
  const textsOf = (lines: ReturnType<typeof shortened>) => lines.map(({ text }) => text);
  const before = linesOf('start', 'one', 'two', 'three', 'four', 'five', 'six');
  assert.deepEqual(textsOf(shortened(before, linesOf('waits', 'for ever'), 8)), [
    ...['start', 'one', '2 more steps in which nothing is in the way', 'four', 'five', 'six', 'waits', 'for ever'],
  ]);
  assert.deepEqual(shortened(before, linesOf('for ever'), 8), [...before, ...linesOf('for ever')]);
});

test('what others do to its pods is told where the finding is about that, and else left out', () => {
  const other = deployment({ strategy: { type: 'Recreate' } }, { name: 'worker' });
  const facts = factsOf(...DISK, ...TWO, other, deployment());
  assert.equal(
    storyOf('claim-shared', facts).lines.at(-1),
    'web-1 waits for as long as the pod of Deployment worker runs.',
  );
  assert.doesNotMatch(storyOf('rollout-deadlock', facts).lines.join(), /worker/);
});

test('what is not known is taken for the worst, and the story says so', () => {
  const { lines, isShown } = storyOf('claim-unknown', factsOf(...TWO, deployment()));
  assert.equal(lines[0], 'If claim data is a disk for one node at a time, this can happen (rollout-deadlock).');
  assert.equal(lines.at(-1), 'So the rollout waits for ever.');
  assert.ok(isShown);
});

test('without operations to spend, a story says what is known and that there is no way in it', () => {
  const facts = factsOf(...DISK, ...TWO, deployment());
  const [finding] = evaluateWorkload(rules, facts.workload, forecast(facts));
  assert.ok(finding !== undefined);
  const { lines, isShown } = storyFor(finding, { facts: { ...facts, budget: new Budget(0) }, running: {} });
  assert.equal(isShown, false);
  assert.deepEqual(lines, [
    'Only this is known: next rollout can hang (claim data on another node).',
    'No way to it is shown, because looking for one takes more steps than there are.',
  ]);
});

function statefulSet(replicas: number) {
  const labels = { app: 'db' };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { volumes } } },
  };
}
