import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type ScanCommandOptions, scanCluster } from '../../src/commands/scan.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { filesFor } from '../lint/linted.ts';
import { pod, storage, stored } from '../scan/cluster.ts';

const RECREATE = { strategy: { type: 'Recreate' } };

/** One Deployment that has struck, one that is lucky, one that exempts itself, and one that was repaired. */
const CLUSTER: readonly JsonObject[] = [
  ...storage('data', 'media', 'old', 'mended'),
  ...stored(),
  pod({ name: 'web-1-a', node: 'node-1' }),
  pod({ name: 'web-1-b', node: 'node-2', phase: 'starting' }),
  ...stored({ name: 'media', claims: ['media'], replicas: 2, spec: RECREATE }),
  pod({ name: 'media-1-a', node: 'node-1', owner: ['ReplicaSet', 'media-1'], claims: ['media'] }),
  pod({ name: 'media-1-b', node: 'node-1', owner: ['ReplicaSet', 'media-1'], claims: ['media'] }),
  ...stored({
    ...{ name: 'old', claims: ['old'] },
    metadata: { annotations: { 'rwo-guard.dev/ignore': 'rollout-deadlock until=2027-03-31: moved in spring' } },
  }),
  ...stored({
    ...{ name: 'mended', claims: ['mended'], spec: RECREATE },
    metadata: { annotations: { 'rwo-guard.dev/mutated': 'recreate' } },
  }),
];

interface Given extends ScanCommandOptions {
  readonly files?: Readonly<Record<string, string>>;
}

async function scanned(t: TestContext, objects: readonly JsonObject[], { files = {}, ...options }: Given = {}) {
  const dump = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const folder = await filesFor(t, { 'dump.json': dump, ...files });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const at = (file: string | undefined) => (file === undefined ? {} : { config: join(folder, file) });
  const ended = scanCluster(
    { from: join(folder, 'dump.json'), ...options, ...at(options.config) },
    {
      ...{ env: {}, version: '1.0.0', stdout, stderr, workingDirectory: folder },
      stdin: Readable.from([]),
      now: () => Date.parse('2026-11-22T10:00:00Z'),
      stopRequested: () => new AbortController().signal,
    },
  );
  const code = await ended.finally(() => {
    stdout.end();
    stderr.end();
  });
  const [out, err] = await printed;
  return { code, stdout: out.replaceAll(`${folder}/`, ''), stderr: err };
}

test('what has struck, what may, what is exempt and what was changed is told, and by namespace what would be denied', async (t) => {
  const { code, stdout } = await scanned(t, CLUSTER, { asIf: 'enforce', exempt: true });
  assert.equal(code, 1);
  assert.equal(
    stdout,
    `has struck
  error  rollout-deadlock  Deployment shop/web
        Its next rollout can hang for ever: the new pod may start on another
        node while the old pod still holds claim data, which attaches to one
        node at a time.
        now      pod web-1-b waits on node-2 since 2026-11-01T12:00:00Z for
                 data, which pod web-1-a has on node-1
        claim    data, ReadWriteOnce, disk.example.com
        fix      spec.strategy: {type: Recreate}
        or       spec.strategy.rollingUpdate: {maxSurge: 0, maxUnavailable: 1}

namespace shop
  error  replicas-split  Deployment shop/media
        Its pods cannot all run at once: 2 replicas may run on different nodes,
        but all need claim media, which attaches to one node at a time: those on
        a second node wait for ever.
        now      lucky so far: all 2 pods are on node-1, and nothing keeps them
                 there
        claim    media, ReadWriteOnce, disk.example.com
        fix      spec.replicas: 1
        or       a ReadWriteMany claim

more of a rule: rwo-guard rules ID

if every namespace enforced, these objects would be denied when they are created
  namespace  team  mode     workloads  denied  warned  not judged
  shop       red   default  4          2       0       0

exempt
  Deployment shop/old  rollout-deadlock  until 2027-03-31: "moved in spring"

changed by rwo-guard when they were applied
  Deployment shop/mended  recreate  (its namespace no longer asks for it)

if node-1 fails, 2 workloads hang until it is fenced: rwo-guard what-if fail node-1
2 errors, 0 warnings, 1 ignored (old: "moved in spring") in 8 objects, 4 workloads
`,
  );
});

test('JSON has all of it, whatever is asked for', async (t) => {
  const { stdout } = await scanned(t, CLUSTER, { format: ['json'] });
  const { cluster, findings, namespaces, exempt, mutated, unseen, summary } = JSON.parse(stdout);
  assert.equal(cluster.readAt, '2026-11-22T10:00:00Z');
  assert.deepEqual([cluster.nodes, cluster.claims], [2, 4]);
  assert.deepEqual(
    findings.map((one: { now: { state: string } }) => one.now.state),
    ['struck', 'lucky'],
  );
  assert.deepEqual([namespaces.length, exempt.length, mutated.length, unseen, summary.error], [1, 1, 1, [], 2]);
});

test('with --explain each finding has its story, in names of this cluster', async (t) => {
  const { stdout } = await scanned(t, CLUSTER, { explain: true });
  assert.match(stdout, /1\. \S+ (?:runs|waits) on node-[12]/);
  assert.match(stdout, /So the rollout waits for ever\./);
});

for (const format of ['sarif', 'junit']) {
  test(`${format} is printed of a cluster, where nothing has a line`, async (t) => {
    const { code, stdout } = await scanned(t, CLUSTER, { format: [format] });
    assert.equal(code, 1);
    assert.match(stdout, /rollout-deadlock/);
    assert.match(stdout, /shop\/web/);
  });
}

test('--report openreports prints Reports that kubectl takes', async (t) => {
  const { code, stdout } = await scanned(t, CLUSTER, { report: 'openreports' });
  const { kind, items } = JSON.parse(stdout);
  assert.equal(code, 1);
  assert.equal(kind, 'List');
  assert.deepEqual(
    items.map((one: { metadata: { name: string; ownerReferences: { uid: string }[] } }) => [
      one.metadata.name,
      one.metadata.ownerReferences[0]?.uid,
    ]),
    [
      ['rwo-guard-deployment-web', 'uid-web'],
      ['rwo-guard-deployment-media', 'uid-media'],
    ],
  );
});

for (const [failOn, code] of [
  ['error', 1],
  ['never', 0],
] as const) {
  test(`with --fail-on ${failOn} errors end it with ${code}`, async (t) => {
    assert.equal((await scanned(t, CLUSTER, { failOn })).code, code);
  });
}

test('a cluster in which nothing is wrong is no failure', async (t) => {
  const { code, stdout } = await scanned(t, [...storage('data'), ...stored({ spec: RECREATE })]);
  assert.equal(code, 0);
  assert.match(stdout, /^could not be read\n {2}pods: none in the dump; open: what has struck/);
  assert.match(stdout, /0 errors, 0 warnings in 2 objects, 1 workload\n$/);
});

test('a list that is not in the dump is unknown, and said to be', async (t) => {
  const objects = CLUSTER.filter(({ kind }) => kind !== 'Node' && kind !== 'CSIDriver');
  const { code, stdout } = await scanned(t, objects);
  assert.equal(code, 0);
  assert.match(stdout, /not judged {2}claim-unknown {2}Deployment shop\/web\n/);
  assert.match(stdout, /\n {2}nodes: none in the dump; open: where pods may run/);
  assert.match(stdout, /\n {2}csidrivers: none in the dump; open: whether volumes/);
});

test('the configuration ignores by name, and tells of what matched nothing', async (t) => {
  const files = {
    'scan.yaml':
      'ignore:\n  - {rule: rollout-deadlock, name: web, reason: known}\n  - {rule: claim-shared, reason: old}\n',
  };
  const { stdout, stderr } = await scanned(t, CLUSTER, { files, config: 'scan.yaml' });
  assert.doesNotMatch(stdout, /has struck/);
  assert.match(stderr, /an ignore of claim-shared .* matched nothing/);
});

for (const [options, says] of [
  [{ asIf: 'warn' }, /--as-if must be enforce, not warn/],
  [{ report: 'wgpolicy' }, /--report must be openreports, not wgpolicy/],
  [{ format: ['github'] }, /--format must be one of text, json, sarif, junit/],
  [{ failOn: 'bad' }, /--fail-on must be/],
  [{ from: '/nowhere/at/all' }, /--from \/nowhere\/at\/all cannot be read/],
] as const) {
  test(`${JSON.stringify(options)} is told what to write instead`, async (t) => {
    const given: Given = options;
    await assert.rejects(scanned(t, CLUSTER, given), { code: 'USAGE', message: says });
  });
}

test('a file without anything of a cluster is no dump', async (t) => {
  await assert.rejects(scanned(t, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]), {
    code: 'USAGE',
    message: /holds no objects of a cluster: write it by kubectl get /,
  });
});
