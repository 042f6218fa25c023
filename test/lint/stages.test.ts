import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { filesFor, lintIn } from './linted.ts';
import { claim, deployment, written } from './manifests.ts';

type Manifest = Readonly<Record<string, unknown>>;

const RECREATE = { strategy: { type: 'Recreate' } };
const SHARED = claim({ accessModes: ['ReadWriteMany'] });
const backup = (metadata: object = {}): Manifest => deployment(RECREATE, { name: 'backup', ...metadata });
const storageClass = (provisioner: string): Manifest => ({
  ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
  ...{ metadata: { name: 'mine' }, provisioner },
});
const autoscaler: Manifest = {
  ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'web' } },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
};
const database = (mode: string): Manifest => ({
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' } },
  spec: { replicas: 0, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: [mode] } }] },
});
const reader = deployment(
  {},
  { name: 'reader' },
  { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }] },
);

/** What is found in which file, and the notes. */
async function said(t: TestContext, files: Readonly<Record<string, readonly Manifest[]>>) {
  const texts = Object.entries(files).map(([name, objects]) => [name, written(...objects)]);
  const folder = await filesFor(t, Object.fromEntries(texts));
  const { printed, stderr } = await lintIn(folder);
  const found = printed.findings.map(({ file, rule, resource }) => `${file}: ${rule} ${resource.name}`);
  return {
    found: found.map((line) => line.slice(folder.length + 1)),
    notes: stderr.replaceAll(`${folder}/`, ''),
    related: printed.findings.map(({ related }) => related.map(({ file }) => file.slice(folder.length + 1))),
  };
}

for (const { name, files, found } of [
  {
    name: 'the claim of the same file counts',
    files: { 'a.yaml': [claim(), deployment()], 'b.yaml': [SHARED, deployment()] },
    found: ['a.yaml: rollout-deadlock web'],
  },
  {
    name: 'the claim of the same folder counts',
    files: {
      'production/claim.yaml': [claim()],
      'production/web.yaml': [deployment()],
      'staging/claim.yaml': [SHARED],
      'staging/web.yaml': [deployment()],
    },
    found: ['production/web.yaml: rollout-deadlock web'],
  },
  {
    name: 'the claim of the nearest folder upwards counts',
    files: {
      'production/claims/claim.yaml': [claim()],
      'production/apps/web.yaml': [deployment()],
      'staging/claims/claim.yaml': [SHARED],
    },
    found: ['production/apps/web.yaml: rollout-deadlock web'],
  },
  {
    name: 'the namespace of the nearest claim counts',
    files: {
      'production/all.yaml': [claim({}, { namespace: 'production' }), deployment()],
      'staging/all.yaml': [claim({ accessModes: ['ReadWriteMany'] }, { namespace: 'staging' }), deployment()],
    },
    found: ['production/all.yaml: rollout-deadlock web'],
  },
  {
    name: 'a workload of another stage has another claim, although both say the same',
    files: { 'a.yaml': [claim(), deployment(RECREATE)], 'b.yaml': [claim(), backup()] },
    found: [],
  },
  {
    name: 'a workload of the same stage has the same claim',
    files: { 'a.yaml': [claim(), deployment(RECREATE)], 'b.yaml': [claim(), deployment(RECREATE), backup()] },
    found: ['b.yaml: claim-shared web', 'b.yaml: claim-shared backup'],
  },
  {
    name: 'one claim of one namespace, written down twice, is one claim',
    files: {
      'a.yaml': [claim({}, { namespace: 'shop' }), deployment(RECREATE, { namespace: 'shop' })],
      'b.yaml': [claim({}, { namespace: 'shop' }), backup({ namespace: 'shop' })],
    },
    found: ['a.yaml: claim-shared web', 'b.yaml: claim-shared backup'],
  },
  {
    name: 'the storage class of the same folder counts',
    files: {
      'a/class.yaml': [storageClass('ebs.csi.aws.com')],
      'a/web.yaml': [claim({ storageClassName: 'mine' }), deployment()],
      'b/class.yaml': [storageClass('nfs.csi.k8s.io')],
      'b/web.yaml': [claim({ storageClassName: 'mine' }), deployment()],
    },
    found: ['a/web.yaml: rollout-deadlock web'],
  },
  {
    name: 'the autoscaler of another stage scales nothing here',
    files: { 'a.yaml': [claim(), deployment(RECREATE)], 'b.yaml': [autoscaler, claim(), deployment(RECREATE)] },
    found: ['b.yaml: replicas-split web'],
  },
  {
    name: 'the StatefulSet of the same file makes the claim',
    files: { 'a.yaml': [database('ReadWriteOnce'), reader], 'b.yaml': [database('ReadWriteMany'), reader] },
    found: ['a.yaml: rollout-deadlock reader'],
  },
  {
    name: 'a claim that is written once is shared by what is written for each',
    files: {
      'backup.yaml': [claim(), backup()],
      'a/web.yaml': [deployment(RECREATE)],
      'b/web.yaml': [deployment(RECREATE)],
    },
    found: ['a/web.yaml: claim-shared web', 'b/web.yaml: claim-shared web', 'backup.yaml: claim-shared backup'],
  },
  {
    name: 'what is written once is met from everywhere',
    files: {
      'classes/class.yaml': [storageClass('nfs.csi.k8s.io')],
      'a/web.yaml': [claim({ storageClassName: 'mine' }), deployment()],
      'b/web.yaml': [claim({ storageClassName: 'mine' }), deployment()],
    },
    found: [],
  },
] satisfies readonly {
  readonly name: string;
  readonly files: Readonly<Record<string, readonly Manifest[]>>;
  readonly found: readonly string[];
}[]) {
  test(`of several stages, ${name}`, async (t) => {
    const judged = await said(t, files);
    assert.deepEqual(judged.found, found);
    assert.equal(judged.notes, '');
  });
}

test('a finding points at the claim of its stage', async (t) => {
  const { related } = await said(t, {
    ...{ 'a/claim.yaml': [claim()], 'a/web.yaml': [deployment()] },
    ...{ 'b/claim.yaml': [claim()], 'b/web.yaml': [deployment()] },
  });
  assert.deepEqual(related, [['a/claim.yaml'], ['b/claim.yaml']]);
});

for (const [name, files, note] of [
  [
    'of two claims as near',
    { 'a/web.yaml': [deployment()], 'b/claim.yaml': [SHARED], 'c/claim.yaml': [claim()] },
    'a/web.yaml:1: Deployment web takes claim data from c/claim.yaml:1, which differs in b/claim.yaml:1',
  ],
  [
    'of two claims in one file',
    { 'web.yaml': [SHARED, claim(), deployment()] },
    'web.yaml:17: Deployment web takes claim data from web.yaml:9, which differs in web.yaml:1',
  ],
] as const) {
  test(`${name} the last one counts, and a note tells`, async (t) => {
    const { found, notes } = await said(t, files);
    assert.equal(found.length, 1);
    assert.equal(notes, `rwo-guard: ${note}\n`);
  });
}
