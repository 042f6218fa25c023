import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type Happening, type WhatIfOptions, whatIf } from '../../src/commands/what-if.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { filesFor } from '../lint/linted.ts';
import { pod, storage } from '../scan/cluster.ts';
import { DB, runningPod, WEB } from '../what-if/scene.ts';
import { kubeconfigFor } from './empty-cluster.ts';

const CONDITIONS = { conditions: [{ type: 'Ready', status: 'True' }] };

/** The Deployment web and a pod of nobody on node-1. */
const CLUSTER: readonly JsonObject[] = [
  ...storage().map((object) => (object.kind === 'Node' ? { ...object, status: CONDITIONS } : object)),
  ...[...WEB, ...DB].filter(({ kind }) => kind !== 'Pod'),
  runningPod({ name: 'web-1-a', node: 'node-1' }),
  { ...pod({ name: 'bare', node: 'node-1', claims: [] }), metadata: { namespace: 'shop', name: 'bare' } },
];

async function asked(
  t: TestContext,
  happening: Happening,
  { objects = CLUSTER, ...options }: WhatIfOptions & { objects?: readonly JsonObject[] } = {},
) {
  const folder = await filesFor(t, { 'dump.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) });
  return printed({ from: join(folder, 'dump.json'), ...options }, happening);
}

async function printed(options: WhatIfOptions, happening: Happening) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const all = Promise.all([text(stdout), text(stderr)]);
  const around = { stdout, stderr, now: () => 0, stopRequested: () => new AbortController().signal };
  const code = await whatIf(happening, options, around).finally(() => {
    stdout.end();
    stderr.end();
  });
  const [out, err] = await all;
  return { code, stdout: out, stderr: err };
}

const FAIL: Happening = { type: 'fail', node: 'node-1', zone: undefined };

test('a table tells what becomes of everything on the node, and a story how, with its times', async (t) => {
  const { code, stdout } = await asked(t, FAIL);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `if node-1 fails: 1 hangs, 1 is not made again
  outcome            after  pods  object               because
  hangs              never  1     Deployment shop/web  claim data is attached to another node (Multi-Attach)
  is not made again  never  1     Pod shop/bare        nobody makes a bare pod again

Deployment shop/web
  0 s                  its node stops answering
  50 s                 the node is taken for dead, and marked node.kubernetes.io/unreachable
  1 min 50 s           its pods there are deleted, and stay Terminating: no kubelet says that they have ended
  1 min 50 s           its Deployment makes another pod at once
  1 min 50 s           it waits: claim data is attached to another node (Multi-Attach)
                       this lasts until one of these:
                       - the node returns, and its kubelet ends the old pods
                       - its machine is off for certain, and somebody taints it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute: old pods that do not tolerate it go within 20 s, and volumes are detached at once
                       - its Node is deleted: old pods go within a minute, and volumes that were in use are detached 6 minutes later
                       - the old pods are deleted by force, which is safe only if the machine is off: volumes are detached 6 minutes later

That nodes have room is taken for granted. Times are those of the default flags of the controller manager.
`,
  );
});

test('json has the same, and the budgets of a dump count', async (t) => {
  const budget = {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { namespace: 'shop', name: 'web' } },
    ...{ spec: { selector: { matchLabels: { app: 'web' } } }, status: { disruptionsAllowed: 0 } },
  };
  const objects = [
    ...CLUSTER.filter(({ kind }) => kind !== 'Pod'),
    runningPod({ name: 'web-1-a', node: 'node-1' }),
    budget,
  ];
  const { stdout } = await asked(t, { type: 'drain', node: 'node-1' }, { format: 'json', objects });
  const { event, affected, notes } = JSON.parse(stdout);
  assert.equal(event, 'node-1 is drained');
  assert.deepEqual(affected[0], {
    resource: { kind: 'Deployment', namespace: 'shop', name: 'web' },
    pods: [{ name: 'web-1-a', node: 'node-1' }],
    mayComeUp: false,
    outcome: 'blocked',
    because: 'PodDisruptionBudget web lets no pod go now',
    story: [
      {
        says: 'PodDisruptionBudget web lets no pod go now: kubectl drain asks again every 5 s, for ever unless it is given a --timeout',
        from: 0,
      },
    ],
  });
  assert.equal(notes.length, 1);
});

test('a dump without budgets leaves open whether they block', async (t) => {
  const { stdout } = await asked(t, { type: 'drain', node: 'node-1' });
  assert.match(stdout, /Whether PodDisruptionBudgets block it is not known: the dump holds none/);
});

test('of a live cluster, what may not be read is told with the permission', async (t) => {
  const server = createServer(({ url = '' }, response) => {
    const refused = url.includes('poddisruptionbudgets') || url.includes('csidrivers');
    const items = CLUSTER.filter(({ kind }) => url.startsWith(`/api/v1/${String(kind).toLowerCase()}s`));
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403 };
    response.writeHead(refused ? 403 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(refused ? status : { kind: 'List', metadata: {}, items }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  const port = address instanceof Object ? address.port : 0;
  const kubeconfig = JSON.stringify(kubeconfigFor(`http://127.0.0.1:${port}`));
  const folder = await filesFor(t, { kubeconfig });
  const options = { kubeconfig: join(folder, 'kubeconfig') };
  const { stdout, stderr } = await printed(options, { type: 'drain', node: 'node-1' });
  assert.match(stdout, /^if node-1 is drained: 1 blocks the drain, 1 is not known\n/);
  assert.match(
    stdout,
    /is not known: poddisruptionbudgets cannot be read: permission missing \(list poddisruptionbudgets\)/,
  );
  assert.match(stderr, /^rwo-guard: csidrivers: permission missing \(list\); open: whether volumes of CSI/);
});

test('a second node arms what one node kept from happening', async (t) => {
  const objects = CLUSTER.filter(({ metadata }) => JSON.stringify(metadata).includes('node-2') === false);
  const { stdout } = await asked(t, { type: 'add-node', like: undefined }, { objects });
  assert.match(
    stdout,
    /^if a node like node-1 joins: 1 more can go wrong, of 2 workloads with volumes\n {2}error {2}rollout-deadlock {2}Deployment shop\/web\n/,
  );
});

test('a node or a zone that is not there is refused, and so is a dump without pods or nodes', async (t) => {
  const refused = (happening: Happening, options = {}) =>
    asked(t, happening, options).then(
      () => 'nothing',
      (error: Error) => error.message,
    );
  assert.equal(await refused({ ...FAIL, node: 'node-9' }), 'there is no node node-9');
  assert.match(
    await refused({ ...FAIL, node: undefined, zone: 'z' }),
    /^no node has the label topology.kubernetes.io\/zone=z$/,
  );
  assert.equal(await refused({ ...FAIL, zone: 'z' }), 'name one node, or the zone by --zone');
  assert.match(
    await refused(FAIL, { objects: CLUSTER.filter(({ kind }) => kind !== 'Pod') }),
    /^without pods nothing can be told/,
  );
  assert.match(
    await refused(FAIL, { objects: CLUSTER.filter(({ kind }) => kind !== 'Node') }),
    /^without nodes nothing can be told/,
  );
  assert.equal(await refused(FAIL, { format: 'yaml' }), '--format must be text or json, not yaml');
});
