import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesFor, type Given, lintIn, lintText, type Run } from './linted.ts';
import { claim, deployment, written } from './manifests.ts';

const ids = ({ printed }: Run): readonly string[] => [
  ...printed.findings.map(({ rule }) => rule),
  ...printed.inconclusive.map(({ rule }) => rule),
];

const node = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
});
const storageClass = (provisioner: string) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'mine' },
  provisioner,
});
const driver = (attachRequired: boolean) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'disk.example.com' },
  spec: { attachRequired },
});
const mine = claim({ storageClassName: 'mine' });
/** A disk on the nodes of which one of these is said, by the label of its driver. */
const diskOn = (key: string, ...values: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'disk.example.com', volumeHandle: 'v' },
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] } },
  },
});
const onDisk = claim({ volumeName: 'v' });

for (const { name, manifests, given = {}, found } of [
  { name: 'several nodes, where there are none', manifests: [claim(), deployment()], found: ['rollout-deadlock'] },
  { name: 'the one node of the input', manifests: [node('a'), claim(), deployment()], found: [] },
  {
    name: 'the two nodes of the input',
    manifests: [node('a'), node('b'), claim(), deployment()],
    found: ['rollout-deadlock'],
  },
  { name: '--nodes 1', manifests: [claim(), deployment()], given: { nodes: '1' }, found: [] },
  { name: '--nodes 2', manifests: [claim(), deployment()], given: { nodes: '2' }, found: ['rollout-deadlock'] },
  {
    name: 'nodes with the labels that a pod asks for',
    manifests: [claim(), deployment({}, {}, { nodeSelector: { pool: 'disks' } })],
    found: ['rollout-deadlock'],
  },
  {
    name: 'the node that a pod asks for by name',
    manifests: [claim(), deployment({}, {}, { nodeSelector: { 'kubernetes.io/hostname': 'a' } })],
    found: [],
  },
  {
    name: 'the node on which a driver says that a volume is',
    manifests: [diskOn('topology.topolvm.io/node', 'a'), onDisk, deployment()],
    found: [],
  },
  {
    name: 'the nodes on which a driver says that a volume is',
    manifests: [diskOn('linbit.com/hostname', 'a', 'b'), onDisk, deployment()],
    found: ['rollout-deadlock'],
  },
  {
    name: 'affinity to itself by hostname',
    manifests: [claim(), deployment({}, {}, { affinity: affinityBy('kubernetes.io/hostname') })],
    found: [],
  },
  {
    name: 'affinity to itself by zone, which has several nodes',
    manifests: [claim(), deployment({}, {}, { affinity: affinityBy('topology.kubernetes.io/zone') })],
    found: ['rollout-deadlock'],
  },
  {
    name: 'a class of a driver that attaches',
    manifests: [storageClass('disk.example.com'), driver(true), mine, deployment()],
    found: ['rollout-deadlock'],
  },
  {
    name: 'a class of a driver that does not',
    manifests: [storageClass('disk.example.com'), driver(false), mine, deployment()],
    found: [],
  },
  {
    name: 'a provisioner that the matrix knows',
    manifests: [storageClass('nfs.csi.k8s.io'), mine, deployment()],
    found: [],
  },
  {
    name: 'a class of Docker Desktop',
    manifests: [claim({ storageClassName: 'hostpath' }), deployment()],
    found: [],
  },
  {
    name: 'a class that everybody knows',
    manifests: [claim({ storageClassName: 'azurefile-csi' }), deployment()],
    found: [],
  },
  {
    name: "a class of ceph-csi's file system",
    manifests: [claim({ storageClassName: 'csi-cephfs-sc' }), deployment()],
    found: [],
  },
  ...['rook-cephfs', 'ceph-filesystem', 'ocs-storagecluster-cephfs'].map((storageClassName) => ({
    name: `the class ${storageClassName}, whose file system attaches`,
    manifests: [claim({ storageClassName }), deployment()],
    found: ['rollout-deadlock'],
  })),
  {
    name: 'a class of the NFS that Rook installs',
    manifests: [storageClass('rook-ceph.nfs.csi.ceph.com'), mine, deployment()],
    found: ['rollout-deadlock'],
  },
  {
    name: 'a class that nobody knows',
    manifests: [claim({ storageClassName: 'fast' }), deployment()],
    found: ['rollout-deadlock'],
  },
  { name: '--assume-attach no', manifests: [claim(), deployment()], given: { assumeAttach: 'no' }, found: [] },
  {
    name: '--assume-attach unknown',
    manifests: [claim(), deployment()],
    given: { assumeAttach: 'unknown' },
    found: ['claim-unknown'],
  },
  { name: 'a claim that is not in the input', manifests: [deployment()], found: ['claim-unknown'] },
  {
    name: '--assume-access-mode RWO',
    manifests: [deployment()],
    given: { assumeAccessMode: 'RWO' },
    found: ['rollout-deadlock'],
  },
  {
    name: '--assume-access-mode ReadWriteMany',
    manifests: [deployment()],
    given: { assumeAccessMode: 'ReadWriteMany' },
    found: [],
  },
  {
    name: '--assume-access-mode RWOP',
    manifests: [deployment()],
    given: { assumeAccessMode: 'RWOP' },
    found: ['rollout-blocked'],
  },
  {
    name: 'a volume of the input, bound to the claim',
    manifests: [nfsVolume(), claim({ volumeName: 'disk', storageClassName: '' }), deployment()],
    found: [],
  },
  {
    name: 'a volume that is not in the input, of a class that tells',
    manifests: [claim({ volumeName: 'gone', storageClassName: 'nfs-client' }), deployment()],
    found: [],
  },
  {
    name: 'the volume that the claim can get',
    manifests: [nfsVolume(), claim({ storageClassName: '' }), deployment()],
    found: [],
  },
  {
    name: 'a volume that is kept for the claim by its name alone',
    manifests: [
      nfsVolume({ claimRef: { name: 'data' } }),
      claim({ storageClassName: 'gp3' }, { namespace: 'shop' }),
      deployment({}, { namespace: 'shop' }),
    ],
    found: [],
  },
  {
    name: 'a bound volume that is not in the input, beside one that is free',
    manifests: [nfsVolume(), claim({ volumeName: 'gone', storageClassName: '' }), deployment()],
    found: ['rollout-deadlock'],
  },
  { name: 'a StatefulSet with claims of its own', manifests: [statefulSet()], found: [] },
] satisfies readonly {
  readonly name: string;
  readonly manifests: readonly Readonly<Record<string, unknown>>[];
  readonly given?: Given;
  readonly found: readonly string[];
}[]) {
  test(`judged by ${name}: ${found.join() || 'nothing'}`, async (t) => {
    assert.deepEqual(ids(await lintText(t, written(...manifests), given)), found);
  });
}

test('a claim of a StatefulSet is that of its template', async (t) => {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }];
  const found = ids(await lintText(t, written(statefulSet(), deployment({}, {}, { volumes }))));
  assert.ok(found.includes('rollout-deadlock'), found.join());
  assert.ok(!found.includes('claim-unknown'), found.join());
});

for (const { claimNames, says } of [
  { claimNames: [], says: /holds volume disk, which/ },
  {
    claimNames: ['data'],
    says: /holds claim data, volume disk, which .*; assumed: claim data is a disk that attaches to one node \(.*\)$/,
  },
]) {
  test(`a disk that pods name without a claim is a volume in words, beside ${claimNames.length} claims`, async (t) => {
    const claims = claimNames.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    const volumes = [...claims, { name: 'disk', awsElasticBlockStore: { volumeID: 'vol-1' } }];
    const { printed } = await lintText(t, written(claim(), deployment({}, {}, { volumes })));
    assert.match(printed.findings[0]?.message ?? '', says);
  });
}

test('a claim that only has the name of a disk is not said to belong to it', async (t) => {
  const volumes = [{ name: 'data', awsElasticBlockStore: { volumeID: 'vol-1' } }];
  const { printed } = await lintText(t, written(claim({ storageClassName: 'gp3' }), deployment({}, {}, { volumes })));
  assert.match(printed.findings[0]?.message ?? '', /holds volume data, which attaches to one node at a time$/);
  assert.deepEqual(printed.findings[0]?.related, []);
});

test('a class that is not in the input is not said not to exist', async (t) => {
  const manifests = written(claim({ storageClassName: 'fast' }), deployment());
  const { printed } = await lintText(t, manifests, { assumeAttach: 'unknown' });
  assert.equal(printed.inconclusive[0]?.because, 'storage class fast of claim default/data is not in the input');
});

test('the nodes of a file that is named count', async (t) => {
  const folder = await filesFor(t, {
    'web/a.yaml': written(claim(), deployment()),
    'nodes.yaml': written(node('a')),
  });
  assert.deepEqual(ids(await lintIn(folder, { paths: ['web'], nodes: `${folder}/nodes.yaml` })), []);
  await assert.rejects(lintIn(folder, { nodes: `${folder}/gone.yaml` }), /neither a number from 1 upwards nor a file/);
  await assert.rejects(lintIn(folder, { nodes: `${folder}/web/a.yaml` }), /holds no Node/);
});

test('a Node in a file of its own does not make a cluster of one node, and is told', async (t) => {
  const folder = await filesFor(t, {
    'web.yaml': written(claim(), deployment()),
    'testdata/node.yaml': written(node('a')),
    'testdata/more/pods.yaml': written(node('b'), { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }),
  });
  const run = await lintIn(folder);
  assert.deepEqual(ids(run), ['rollout-deadlock']);
  assert.match(
    run.stderr,
    /: 2 Nodes do not count, because .* without a workload: \S*pods\.yaml, \S*node\.yaml; name it by --n/,
  );
  const stdin = written(node('a'), claim(), deployment());
  assert.deepEqual(ids(await lintIn(folder, { paths: ['-'], stdin })), []);
});

for (const folder of ['vendor', 'node_modules']) {
  test(`${folder}/ is left out with a note unless it is named`, async (t) => {
    const manifest = written(claim(), deployment());
    const root = await filesFor(t, {
      [`a/${folder}/b/web.yaml`]: manifest,
      [`a/my-${folder}/c.yaml`]: written(claim()),
    });
    const { code, printed, stderr } = await lintIn(root);
    assert.deepEqual([code, printed.summary.objects], [0, 1]);
    assert.match(stderr, new RegExp(`skipped \\S*/a/${folder}: packages of others; name it to read it\n$`));
    for (const paths of [[`a/${folder}`], [`a/${folder}/b`], [`a/${folder}/b/web.yaml`]]) {
      assert.equal((await lintIn(root, { paths })).code, 1);
    }
  });
}

test('a workload with a claim whose pods no node of the input fits is told', async (t) => {
  const elsewhere = { nodeSelector: { pool: 'disks' } };
  const twice = [deployment({}, {}, elsewhere), deployment({}, { name: 'plain' }, { ...elsewhere, volumes: [] })];
  const { stderr } = await lintText(t, written(node('a'), node('b'), claim(), ...twice));
  assert.match(stderr, /^rwo-guard: .*a\.yaml:\d+: no node of the input fits the pods of Deployment web, .*\n$/);
  assert.equal((await lintText(t, written(node('a'), claim(), deployment()))).stderr, '');
  assert.equal((await lintText(t, written(claim(), ...twice))).stderr, '');
});

test('--nodes is told where the input has nodes of its own', async (t) => {
  const { stderr } = await lintText(t, written(node('a'), claim(), deployment()), { nodes: '3' });
  assert.match(stderr, /--nodes does not count, because the input has 1 node/);
});

for (const [name, manifest, says] of [
  ['a disk', claim(), /; assumed: claim data is a disk that attaches to one node \(no storage class given\)$/],
  [
    'a disk of a class that nobody knows',
    claim({ storageClassName: 'fast' }),
    /; assumed: class fast makes disks that attach to one node \(its StorageClass is not in the input\)$/,
  ],
  [
    'a class',
    claim({ storageClassName: 'gp3' }),
    /; assumed: class gp3 is of ebs\.csi\.aws\.com \(its StorageClass is not in the input\)$/,
  ],
] as const) {
  test(`what was assumed of ${name} is said`, async (t) => {
    const { printed } = await lintText(t, written(manifest, deployment()));
    assert.match(printed.findings[0]?.message ?? '', says);
  });
}

for (const storageClassName of ['gp3', 'fast']) {
  test(`what was assumed of class ${storageClassName} is told once for two claims`, async (t) => {
    const names = ['data', 'logs'];
    const volumes = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    const claims = names.map((name) => claim({ storageClassName }, { name }));
    const { printed } = await lintText(t, written(...claims, deployment({}, {}, { volumes })));
    assert.deepEqual(printed.findings[0]?.claims, names);
    assert.equal(printed.findings[0]?.message.split(`class ${storageClassName} `).length, 2);
  });
}

for (const storageClassName of [
  'nfs',
  'shop-NFS-retain',
  'team.smb',
  'my_cifs',
  'aws-efs-sc',
  'glusterfs',
  'fast-cephfs',
  'nfs4',
]) {
  test(`a class ${storageClassName} that is not in the input is open, and no disk`, async (t) => {
    const manifests = written(claim({ storageClassName }), deployment());
    const run = await lintText(t, manifests);
    assert.deepEqual([run.code, ids(run)], [0, ['claim-unknown']]);
    assert.match(run.printed.inconclusive[0]?.because ?? '', /is not in the input/);
    assert.deepEqual(ids(await lintText(t, manifests, { assumeAttach: 'no' })), []);
  });
}

for (const storageClassName of ['nfsfast', 'smbios', 'refs', 'cephfsx']) {
  test(`a class ${storageClassName} that is not in the input is a disk`, async (t) => {
    assert.deepEqual(ids(await lintText(t, written(claim({ storageClassName }), deployment()))), ['rollout-deadlock']);
  });
}

test('a class of the input whose provisioner is named for a file system that nodes share is open, unless a CSIDriver says more', async (t) => {
  const nfs = storageClass('example.com/nfs');
  assert.deepEqual(ids(await lintText(t, written(nfs, mine, deployment()))), ['claim-unknown']);
  const disk = { ...driver(true), metadata: { name: 'example.com/nfs' } };
  assert.deepEqual(ids(await lintText(t, written(nfs, disk, mine, deployment()))), ['rollout-deadlock']);
});

test('what a claim of a well-known class cannot have is found', async (t) => {
  const { printed } = await lintText(t, written(claim({ accessModes: ['ReadWriteMany'], storageClassName: 'gp3' })));
  assert.match(
    printed.findings[0]?.message ?? '',
    /^its provisioner refuses the access mode: ebs\.csi\.aws\.com .* ReadWriteMany: .*; assumed: class gp3 is of/,
  );
});

for (const { name, ofClaim, ofWorkload, meets } of [
  { name: 'both name none', ofClaim: {}, ofWorkload: {}, meets: true },
  { name: 'both name the same', ofClaim: { namespace: 'shop' }, ofWorkload: { namespace: 'shop' }, meets: true },
  { name: 'the workload names none', ofClaim: { namespace: 'shop' }, ofWorkload: {}, meets: true },
  { name: 'the claim names none', ofClaim: {}, ofWorkload: { namespace: 'shop' }, meets: true },
  { name: 'each names another', ofClaim: { namespace: 'shop' }, ofWorkload: { namespace: 'stage' }, meets: false },
]) {
  test(`a workload and a claim ${meets ? 'meet' : 'do not meet'} where ${name}`, async (t) => {
    const run = await lintText(t, written(claim({}, ofClaim), deployment({}, ofWorkload)));
    assert.deepEqual(ids(run), [meets ? 'rollout-deadlock' : 'claim-unknown']);
    const { resource } = run.printed.findings[0] ?? run.printed.inconclusive[0] ?? {};
    assert.equal(resource?.namespace, 'namespace' in ofWorkload ? ofWorkload.namespace : 'default');
  });
}

test('workloads of two namespaces do not share a claim that names none', async (t) => {
  const recreate = { strategy: { type: 'Recreate' } };
  const both = [deployment(recreate, { namespace: 'shop' }), deployment(recreate, { namespace: 'stage', name: 'job' })];
  assert.deepEqual(ids(await lintText(t, written(claim(), ...both))), []);
});

test('two workloads that share a claim each point at it and at the other', async (t) => {
  const recreate = { strategy: { type: 'Recreate' } };
  const { printed } = await lintText(t, written(claim(), deployment(recreate), deployment(recreate, { name: 'job' })));
  assert.deepEqual(
    printed.findings.map(({ rule, resource, related }) => [rule, resource.name, related.map(({ message }) => message)]),
    [
      ['claim-shared', 'web', ['claim data, ReadWriteOnce', 'Deployment job uses it too']],
      ['claim-shared', 'job', ['claim data, ReadWriteOnce', 'Deployment web uses it too']],
    ],
  );
});

function affinityBy(topologyKey: string): object {
  const term = { topologyKey, labelSelector: { matchLabels: { app: 'web' } } };
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

function nfsVolume(more: object = {}) {
  const spec = { accessModes: ['ReadWriteOnce'], nfs: { server: 'nfs.example.com', path: '/' }, ...more };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk' }, spec };
}

function statefulSet() {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const template = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } };
  const spec = { replicas: 3, template: { spec: { volumes } }, volumeClaimTemplates: [template] };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' }, spec };
}

test('a Node that --nodes makes up for is not told of', async (t) => {
  const files = { 'node.yaml': 'apiVersion: v1\nkind: Node\nmetadata: { name: a }\n', 'web.yaml': written(claim()) };
  const folder = await filesFor(t, files);
  assert.match((await lintIn(folder)).stderr, /1 Node does not count/);
  assert.doesNotMatch((await lintIn(folder, { nodes: '1' })).stderr, /does not count/);
});
