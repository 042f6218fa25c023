import assert from 'node:assert/strict';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type ScanCommandOptions, scanCluster } from '../../src/commands/scan.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { disk, node } from '../forecast/scene.ts';
import { filesFor } from '../lint/linted.ts';
import { written } from '../lint/manifests.ts';
import { folderFor, start } from '../program.ts';
import { kubeconfigFor } from '../scan/api-server.ts';
import { attachment, LONG_AGO, namespace, pod, READ_AT, WEB, workload } from '../scan/scene.ts';

const NODES = [node('a1'), node('b1')];
const DRIVERS = [
  { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'd' }, spec: { attachRequired: true } },
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'disk' }, provisioner: 'd' },
];
const CLUSTER = [
  ...NODES,
  ...DRIVERS,
  ...disk('data'),
  ...disk('more'),
  attachment('a1'),
  namespace('shop', { team: 'red' }),
];
const OLD = pod('web-old', { of: 'ReplicaSet/web-1' });
const NEW = pod('web-new', { of: 'ReplicaSet/web-1', node: 'b1', startingSince: LONG_AGO });
const BAD = [...CLUSTER, ...WEB, OLD];
const MUTATED = workload({
  ...{ name: 'mended', claims: ['more'], spec: { strategy: { type: 'Recreate' } } },
  metadata: { annotations: { 'rwo-guard.dev/mutated': 'recreate' } },
});
const EXEMPT = workload({
  ...{ name: 'old', claims: ['more'], replicas: 2, spec: { strategy: { type: 'Recreate' } } },
  metadata: {
    annotations: { 'rwo-guard.dev/ignore': 'replicas-split, claim-shared until=2027-03-31: goes in spring' },
  },
});

interface Given extends ScanCommandOptions {
  readonly isTTY?: boolean;
  readonly passes?: number;
}

async function scanWith({ isTTY = false, passes = 0, ...options }: Given) {
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
  const printed = Promise.all([text(stdout), text(stderr)]);
  let now = Date.parse(READ_AT);
  const scanning = scanCluster(options, {
    ...{ env: {}, version: '1.0.0', stdout, stderr, stdin: process.stdin, workingDirectory: '/' },
    now() {
      now += passes;
      return now;
    },
    stopRequested: () => new AbortController().signal,
  });
  const code = await scanning.finally(() => {
    stdout.end();
    stderr.end();
  });
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

async function dumpFor(t: TestContext, objects: readonly JsonObject[]): Promise<string> {
  const path = join(await folderFor(t), 'dump.json');
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', items: objects, kind: 'List' }, undefined, 2));
  await utimes(path, new Date(READ_AT), new Date(READ_AT));
  return path;
}

async function scanDump(t: TestContext, objects: readonly JsonObject[], given: Given = {}) {
  return scanWith({ from: await dumpFor(t, objects), ...given });
}

test('people read what has struck, what would be denied, what is exempt and what was changed', async (t) => {
  const { code, stdout, stderr } = await scanDump(t, [...BAD, NEW, MUTATED, EXEMPT], { asIf: 'enforce', exempt: true });
  assert.equal(
    stdout,
    `has struck
  error  rollout-deadlock  Deployment shop/web
        Its next rollout can hang for ever: the new pod may start on another
        node while the old pod still holds claim data, which attaches to one
        node at a time.
        now      pod web-new waits on b1 since 2026-11-22T11:00:00Z for data,
                 which pod web-old has on a1
        claim    data, ReadWriteOnce, d
        fix      spec.strategy: {type: Recreate}
        or       spec.strategy.rollingUpdate: {maxSurge: 0, maxUnavailable: 1}

namespace shop
  warning  claim-shared  Deployment shop/mended
        Another workload uses its claim too: Deployment old uses claim more,
        which attaches to one node at a time; a pod that comes second, on
        another node, waits for as long as the first runs.
        now      none of its pods runs
        claim    more, ReadWriteOnce, d
        used by  Deployment old
        fix      a claim of its own for each workload, or a ReadWriteMany one

more of a rule: rwo-guard rules ID

if every namespace enforced, these objects would be denied when they are created
  namespace  team  mode     workloads  denied  warned  not judged
  shop       red   default  3          1       1       0

exempt
  Deployment shop/old  replicas-split, claim-shared  until 2027-03-31: "goes in spring"

changed by rwo-guard when they were applied
  Deployment shop/mended  recreate  (its namespace no longer asks for it)

if a1 fails, 1 workload hangs until it is fenced: rwo-guard what-if fail a1
1 error, 1 warning, 1 ignored (old: "goes in spring") in 5 objects, 3 workloads
`,
  );
  assert.deepEqual([code, stderr], [1, '']);
});

test('the JSON holds the same, and the cluster', async (t) => {
  const { stdout } = await scanDump(t, [...BAD, MUTATED], { format: ['json'] });
  const { cluster, findings, ...rest } = JSON.parse(stdout);
  assert.deepEqual(Object.keys(rest), [
    ...['inconclusive', 'unreadable', 'waiting', 'namespaces', 'exempt', 'mutated', 'worstNode', 'unseen', 'summary'],
  ]);
  assert.deepEqual(
    { ...cluster, name: '' },
    {
      ...{ name: '', readAt: READ_AT, nodes: 2, claims: 2, claimsByDriver: [{ driver: 'd', claims: 2 }] },
    },
  );
  const [{ rule, now, evidence, file }] = findings;
  assert.deepEqual(
    [rule, now, evidence, file],
    [
      'rollout-deadlock',
      { state: 'armed', because: 'pod web-old is on a1' },
      [{ label: 'claim', text: 'data, ReadWriteOnce, d' }],
      undefined,
    ],
  );
});

test('other programs read SARIF and JUnit', async (t) => {
  const folder = await folderFor(t);
  const file = (name: string): string => join(folder, name);
  const output = [file('a.sarif'), file('a.xml')];
  await scanDump(t, BAD, { format: ['sarif', 'junit', 'text'], output });
  const [run] = JSON.parse(await readFile(file('a.sarif'), 'utf8')).runs;
  assert.equal(run.results[0].ruleId, 'rollout-deadlock');
  assert.match(await readFile(file('a.xml'), 'utf8'), /<failure[^>]*rollout/);
});

test('a story of each finding is told where that is asked for', async (t) => {
  const { stdout } = await scanDump(t, [...BAD, NEW], { explain: true });
  assert.match(stdout, /\n {8}1\. .* runs on a1, with data attached there\.\n/);
  assert.match(stdout, /The scheduler binds web-new to b1/);
  assert.doesNotMatch((await scanDump(t, BAD)).stdout, / 1\. /);
});

const WARNING = [...CLUSTER, workload({ spec: { strategy: { rollingUpdate: { maxUnavailable: 1 } } } })];
for (const [name, objects, failOn, code] of [
  ['nothing', CLUSTER, 'info', 0],
  ['an error', BAD, undefined, 1],
  ['an error', BAD, 'never', 0],
  ['a warning', WARNING, undefined, 0],
  ['a warning', WARNING, 'warning', 1],
  ['an open question', [...CLUSTER, workload({ claims: ['gone'] })], 'info', 1],
] as const) {
  test(`${name} with --fail-on ${failOn ?? '(none)'} is exit code ${code}`, async (t) => {
    assert.equal((await scanDump(t, objects, failOn === undefined ? {} : { failOn })).code, code);
  });
}

test('a dump may be YAML, of several documents, or a folder', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': written(...BAD.slice(0, 5)), 'b/c.yaml': written(...BAD.slice(5)) });
  const { stdout, code } = await scanWith({ from: folder });
  assert.match(stdout, /Deployment shop\/web/);
  assert.equal(code, 1);
});

test('objects that name no namespace are in the default one', async (t) => {
  const objects = BAD.map((object): JsonObject => {
    const { namespace: _, ...metadata } = object.metadata as { namespace?: string };
    return { ...object, metadata };
  });
  const { stdout } = await scanDump(t, objects);
  assert.match(stdout, /Deployment default\/web\n.*now {6}pod web-old is on a1/s);
});

test('what a dump lacks is told with what that leaves open', async (t) => {
  const { stdout } = await scanDump(t, [...WEB, ...disk('data')]);
  assert.match(stdout, /not judged {2}claim-unknown {2}Deployment shop\/web\n.*Nodes are not in the dump/s);
  assert.match(stdout, /could not be read\n {2}nodes: none in the dump; open: where pods may run/);
  assert.match(stdout, /\n {2}pods: none in the dump; open: what has struck, and where pods are now\n/);
});

for (const [name, file, because] of [
  [
    'a field of another type',
    JSON.stringify({ apiVersion: 'v1', items: [...BAD, { ...WEB[0], spec: 4 }], kind: 'List' }),
    /spec must be an object/,
  ],
  ['a file that is cut off', JSON.stringify({ apiVersion: 'v1', items: BAD, kind: 'List' }).slice(0, -40), /./],
] as const) {
  test(`${name} in a dump is told, and exit code 2`, async (t) => {
    const folder = await filesFor(t, { 'dump.json': file });
    const { code, stdout } = await scanWith({ from: join(folder, 'dump.json') });
    assert.match(stdout, because);
    assert.match(stdout, /unreadable/);
    assert.equal(code, 2);
  });
}

for (const [name, given, says] of [
  ['a mode that is none', { asIf: 'warn' }, /--as-if must be enforce, not warn/],
  ['a format that is none', { format: ['github'] }, /--format must be one of text, json, sarif, junit/],
  ['a severity that is none', { failOn: 'fatal' }, /--fail-on must be error, warning, info or never/],
  ['a dump that is not there', { from: '/nowhere' }, /--from \/nowhere cannot be read: give a file or a folder/],
  ['a dump and a cluster', { from: '/nowhere', context: 'prod' }, /--from reads no cluster: leave out/],
  ['a configuration that is not there', { config: '/nowhere.yaml' }, /\/nowhere\.yaml: it cannot be read/],
  ['a kubeconfig that is not there', { kubeconfig: '/nowhere' }, /\/nowhere/],
] as const) {
  test(`${name} is told as such`, async () => {
    await assert.rejects(scanWith(given), says);
  });
}

test('a dump of nothing is told with how to write one', async (t) => {
  const says = /holds no objects of a cluster: write it by kubectl get nodes,.*,pods,volumeattachments -A -o json > /;
  await assert.rejects(scanDump(t, []), says);
  await assert.rejects(scanDump(t, [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } }]), says);
});

test('a namespace that is not there is no clean one', async (t) => {
  await assert.rejects(scanDump(t, BAD, { namespace: 'shpo' }), /there is no namespace shpo/);
  assert.equal((await scanDump(t, BAD, { namespace: 'shop' })).code, 1);
});

test('settings may ignore and may know storage', async (t) => {
  const folder = await filesFor(t, {
    'guard.yaml': 'ignore: [{ rule: rollout-deadlock, name: web, reason: theirs, expires: 2026-12-31 }]\n',
  });
  const { stdout, code } = await scanDump(t, BAD, { config: join(folder, 'guard.yaml'), exempt: true });
  assert.match(stdout, /exempt\n {2}Deployment shop\/web {2}rollout-deadlock {2}until 2026-12-31: "theirs"/);
  assert.equal(code, 0);
});

test('thousands of workloads are told one by one', async (t) => {
  const many = Array.from({ length: 2_000 }, (_, n) => workload({ name: `web-${n}`, claims: [`data-${n}`] }));
  const disks = many.flatMap((_, n) => disk(`data-${n}`));
  const { stdout } = await scanDump(t, [...CLUSTER, ...disks, ...many]);
  assert.match(stdout, /\n2000 errors, 0 warnings in 4002 objects, 2000 workloads\n$/);
});

test('a live cluster is read with the rights of its caller, and progress is shown on a terminal only', async (t) => {
  const kubeconfig = await kubeconfigFor(t, [...BAD, NEW]);
  const { code, stdout, stderr } = await scanWith({ kubeconfig });
  assert.match(stdout, /^has struck\n/);
  assert.doesNotMatch(stdout, /could not be read/);
  assert.deepEqual([code, stderr], [1, '']);
  const shown = await scanWith({ kubeconfig, isTTY: true, passes: 200 });
  assert.match(shown.stderr, /read \d+ objects/);
  assert.ok(shown.stderr.endsWith('\r\x1b[K'));
});

test('attachments are asked for only if a pod is starting', async (t) => {
  const asked: string[] = [];
  const answers = (path: string) => {
    asked.push(path);
    return 200;
  };
  const attachments = '/apis/storage.k8s.io/v1/volumeattachments';
  await scanWith({ kubeconfig: await kubeconfigFor(t, BAD, answers) });
  assert.ok(!asked.includes(attachments));
  await scanWith({ kubeconfig: await kubeconfigFor(t, [...BAD, NEW], answers) });
  assert.ok(asked.includes(attachments));
});

test('a caller who may not list volumes hears what that leaves open', async (t) => {
  const kubeconfig = await kubeconfigFor(t, BAD, (path) => (path.endsWith('/persistentvolumes') ? 403 : 200));
  const { stdout, code } = await scanWith({ kubeconfig });
  assert.match(stdout, /persistentvolumes: permission missing \(list\); open: what bound claims really are/);
  assert.match(stdout, /not judged/);
  assert.equal(code, 0);
});

test('where a format has no place for it, what could not be read is told on stderr', async (t) => {
  const kubeconfig = await kubeconfigFor(t, BAD, (path) => (path.endsWith('/persistentvolumes') ? 403 : 200));
  const { stderr } = await scanWith({ kubeconfig, format: ['junit'] });
  assert.match(stderr, /^rwo-guard: persistentvolumes: permission missing \(list\); open: .*\n$/);
  assert.equal((await scanWith({ kubeconfig, format: ['json'] })).stderr, '');
});

test('a caller with the rights of one namespace hears of that, in a line for each reason', async (t) => {
  const kubeconfig = await kubeconfigFor(t, BAD, (path) => (path.includes('/namespaces/shop/') ? 200 : 403));
  const { stdout } = await scanWith({ kubeconfig, namespace: 'shop' });
  assert.match(
    stdout,
    /deployments, .*, pods: permission missing \(list\) outside shop; open: what other namespaces do/,
  );
  assert.match(stdout, /\n {2}nodes: permission missing \(list\); open: where pods may run/);
  await assert.rejects(scanWith({ kubeconfig }), /none of deployments, .* may be listed: name by -n a namespace/);
});

test('SIGINT while the cluster is read ends quietly with exit code 130', async (t) => {
  const asked = Promise.withResolvers<void>();
  const kubeconfig = await kubeconfigFor(t, BAD, (path) => {
    if (!path.endsWith('/nodes')) return 200;
    asked.resolve();
    return 'hang';
  });
  const { child, ended } = start(t, ['scan', '--kubeconfig', kubeconfig]);
  await asked.promise;
  child.kill('SIGINT');
  assert.deepEqual(await ended, { code: 130, stdout: '', stderr: '' });
});
