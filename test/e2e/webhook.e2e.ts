import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { type GuardedCluster, startGuardedCluster } from './guarded-cluster.ts';
import { kubectl as asAdministrator } from './installation.ts';
import { claim, cluster as clusterManifest, deployment, documents, namespace, volume } from './webhook-manifests.ts';

const NAMESPACES = {
  strict: { mode: 'enforce' },
  reversed: { mode: 'enforce' },
  dry: { mode: 'enforce' },
  plain: {},
  audited: { mode: 'audit' },
  silent: { mode: 'off' },
  lab: { mode: 'enforce', mutate: 'auto' },
  grown: { mode: 'enforce' },
  old: { mode: 'off' },
};

const HANGS = (about: string, skip = '') =>
  `${about} its next rollout can hang for ever [rollout-deadlock]
  why:  the new pod may start on another node while the old pod still holds claim data, which attaches to one node at a time
  fix:  spec.strategy: {type: Recreate}
  or:   spec.strategy.rollingUpdate: {maxSurge: 0, maxUnavailable: 1}
  skip: annotation rwo-guard.dev/ignore: "rollout-deadlock: <reason>"${skip}
  more: rwo-guard rules rollout-deadlock`;
const HANGS_WARNING = 'next rollout can hang (claim data on another node); set strategy Recreate [rollout-deadlock]';
const OPEN_WARNING = (name: string) =>
  `Deployment ${name}/web: not judged: claim ${name}/data does not exist yet; create it first, or rwo-guard lint [claim-unknown]`;
/** kubectl prints the same warning once a command (`rest.WarningWriterOptions.Deduplicate`). */
const DRY_RUN_PASSES =
  'this dry run passes, the real request would not: to fail here, run rwo-guard lint, or set dryRun: same';
const OLD_POD_FIRST = ['type: RollingUpdate', 'rollingUpdate: { maxSurge: 0, maxUnavailable: 1 }'];
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };

/** In the namespace `lab`, so that no two Deployments there share one. */
const OWN_CLAIMS = ['board', 'twice', 'turned'];

describe('the webhook at a real API server', () => {
  let guarded: GuardedCluster;
  let cluster: ControlPlane;

  before(async () => {
    const namespaces = Object.entries(NAMESPACES).map(([name, labels]) => namespace(name, labels));
    const volumes = Object.keys(NAMESPACES).map((name) => volume(name));
    const own = OWN_CLAIMS.flatMap((name) => [volume('lab', name), claim('lab', name)]);
    const given = [documents(clusterManifest(), ...namespaces), documents(...volumes, ...own)];
    guarded = await startGuardedCluster({ given, controllerManager: true, scheduler: true, kwok: true });
    cluster = guarded.cluster;
  });
  after(() => guarded?.stop());

  const typed: GuardedCluster['typed'] = (...line) => guarded.typed(...line);
  const prints: GuardedCluster['prints'] = (...line) => guarded.prints(...line);

  const refusal = (message: string) =>
    `Error from server (Forbidden): error when creating "STDIN": admission webhook "enforce.rwo-guard.dev" denied the request: ${message}\n`;

  test('claim and Deployment in one file: the claim is created, the Deployment denied', () =>
    prints(
      {
        code: 1,
        stdout: 'persistentvolumeclaim/data created\n',
        stderr: refusal(HANGS('Deployment strict/web:')),
      },
      documents(claim('strict'), deployment('strict')),
      'apply',
      '-f',
      '-',
    ));

  test('Deployment and claim in one file: the Deployment is an open question, and the claim that answers it is denied', () =>
    prints(
      {
        code: 1,
        stdout: 'deployment.apps/web created\n',
        stderr: `Warning: ${OPEN_WARNING('reversed')}\n${refusal(
          HANGS('PersistentVolumeClaim reversed/data refused: Deployment web mounts it, and', ' on either of the two'),
        )}`,
      },
      documents(deployment('reversed'), claim('reversed')),
      'apply',
      '-f',
      '-',
    ));

  test('a dry run of claim and Deployment warns and succeeds', () =>
    prints(
      {
        code: 0,
        stdout: 'persistentvolumeclaim/data created (server dry run)\ndeployment.apps/web created (server dry run)\n',
        stderr: `Warning: would be denied: Deployment dry/web: ${HANGS_WARNING}\nWarning: ${DRY_RUN_PASSES}\n`,
      },
      documents(claim('dry'), deployment('dry')),
      'apply',
      '--dry-run=server',
      '-f',
      '-',
    ));

  test('a dry run of Deployment and claim sees the claim of the run before, warns and succeeds', () =>
    prints(
      {
        code: 0,
        stdout: 'deployment.apps/web created (server dry run)\npersistentvolumeclaim/data created (server dry run)\n',
        stderr:
          `Warning: would be denied: Deployment dry/web: ${HANGS_WARNING}\nWarning: ${DRY_RUN_PASSES}\n` +
          `Warning: would be denied: Deployment dry/web mounts this claim: ${HANGS_WARNING}\n`,
      },
      documents(deployment('dry'), claim('dry')),
      'apply',
      '--dry-run=server',
      '-f',
      '-',
    ));

  test('without a label the Deployment is created with a warning', () =>
    prints(
      {
        code: 0,
        stdout: 'persistentvolumeclaim/data created\ndeployment.apps/web created\n',
        stderr: `Warning: Deployment plain/web: ${HANGS_WARNING}\n`,
      },
      documents(claim('plain'), deployment('plain')),
      'apply',
      '-f',
      '-',
    ));

  for (const mode of ['audited', 'silent'] as const) {
    test(`in ${mode === 'silent' ? 'off' : 'audit'} nothing is printed`, () =>
      prints(
        { code: 0, stdout: 'persistentvolumeclaim/data created\ndeployment.apps/web created\n', stderr: '' },
        documents(claim(mode), deployment(mode)),
        'apply',
        '-f',
        '-',
      ));
  }

  test('audit leaves its findings in the audit log', async () => {
    const annotations = await until(
      'the audit event',
      async () =>
        (await cluster.auditEvents()).find(
          ({ verb, objectRef }) =>
            verb === 'create' && objectRef?.resource === 'deployments' && objectRef.namespace === 'audited',
        )?.annotations,
    );
    assert.equal(annotations['advise.rwo-guard.dev/mode'], 'audit');
    assert.equal(
      annotations['advise.rwo-guard.dev/findings'],
      'rollout-deadlock: next rollout can hang (claim data on another node)',
    );
  });

  test('a namespace that asks for it gets Recreate for one replica', async () => {
    await prints(
      {
        code: 0,
        stdout: 'persistentvolumeclaim/data created\ndeployment.apps/web created\n',
        stderr: 'Warning: Deployment lab/web: strategy set to Recreate (rwo-guard.dev/mutate)\n',
      },
      documents(claim('lab'), deployment('lab')),
      'apply',
      '-f',
      '-',
    );
    const { spec } = await cluster.api.get<V1Deployment>({ ...DEPLOYMENT, namespace: 'lab', name: 'web' });
    assert.deepEqual(spec?.strategy, { type: 'Recreate' });
  });

  test('several replicas are held on one node by pod affinity', async () => {
    const { stdout, stderr } = await typed(
      deployment('lab', { name: 'board', claim: 'board', replicas: 2 }),
      'apply',
      '-f',
      '-',
    );
    assert.equal(stdout, 'deployment.apps/board created\n');
    assert.equal(
      stderr,
      'Warning: Deployment lab/board: pods held on one node by pod affinity (rwo-guard.dev/mutate); one rollout follows\n' +
        'Warning: Deployment lab/board: old and new pod will write the same files at once during a rollout; the program must bear that\n',
    );
    const nodes = await until('both pods to be placed', async () => {
      const pods = await cluster.api.list<V1Pod>(
        { apiVersion: 'v1', kind: 'Pod' },
        { namespace: 'lab', labelSelector: 'app=board' },
      );
      const names = pods.flatMap(({ spec }) => spec?.nodeName ?? []);
      return names.length === 2 && names;
    });
    assert.equal(new Set(nodes).size, 1);
  });

  test('server-side apply twice leaves generation and pods unchanged', async () => {
    const manifest = deployment('lab', { name: 'twice', claim: 'twice', strategy: ['type: RollingUpdate'] });
    const applied = async () => {
      const { code, stderr } = await typed(manifest, 'apply', '--server-side', '-f', '-');
      assert.equal(code, 0, stderr);
      return cluster.api.get<V1Deployment>({ ...DEPLOYMENT, namespace: 'lab', name: 'twice' });
    };
    const pods = () =>
      cluster.api.list<V1Pod>({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'lab', labelSelector: 'app=twice' });
    await applied();
    const first = await until('its pod to run', async () => {
      const [pod] = await pods();
      return pod?.status?.phase === 'Running' && pod.metadata?.uid;
    });
    const { metadata: before } = await cluster.api.get<V1Deployment>({
      ...DEPLOYMENT,
      namespace: 'lab',
      name: 'twice',
    });
    const { metadata, spec } = await applied();
    assert.deepEqual(spec?.strategy, { type: 'Recreate' });
    assert.equal(metadata?.generation, before?.generation);
    assert.deepEqual(
      (await pods()).map((pod) => pod.metadata?.uid),
      [first],
    );
  });

  test('RollingUpdate to Recreate with a left-over block by server-side apply succeeds where the namespace asks for repairs', async () => {
    const first = deployment('lab', { name: 'turned', claim: 'turned', strategy: OLD_POD_FIRST });
    await prints({ code: 0, stdout: 'deployment.apps/turned created\n', stderr: '' }, first, 'apply', '-f', '-');
    await prints(
      {
        code: 0,
        stdout: 'deployment.apps/turned serverside-applied\n',
        stderr:
          'Warning: Deployment lab/turned: left-over rollingUpdate dropped, as it is not allowed beside Recreate (rwo-guard.dev/mutate)\n',
      },
      deployment('lab', { name: 'turned', claim: 'turned', strategy: ['type: Recreate'] }),
      'apply',
      '--server-side',
      '--force-conflicts',
      '-f',
      '-',
    );
  });

  test('where it does not, the API server refuses that, as it always did', async () => {
    const first = deployment('silent', { name: 'turned', strategy: OLD_POD_FIRST });
    await prints({ code: 0, stdout: 'deployment.apps/turned created\n', stderr: '' }, first, 'apply', '-f', '-');
    const { code, stderr } = await typed(
      deployment('silent', { name: 'turned', strategy: ['type: Recreate'] }),
      'apply',
      '--server-side',
      '--force-conflicts',
      '-f',
      '-',
    );
    assert.equal(code, 1);
    assert.match(
      stderr,
      /spec\.strategy\.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'/,
    );
  });

  test('scaling up is denied, to zero and back is not', async () => {
    const manifest = documents(claim('grown'), deployment('grown', { strategy: OLD_POD_FIRST }));
    await prints(
      { code: 0, stdout: 'persistentvolumeclaim/data created\ndeployment.apps/web created\n', stderr: '' },
      manifest,
      'apply',
      '-f',
      '-',
    );
    const scale = (replicas: number) => ['-n', 'grown', 'scale', 'deployment/web', `--replicas=${replicas}`];
    const done = { code: 0, stdout: 'deployment.apps/web scaled\n', stderr: '' };
    await prints(
      {
        code: 1,
        stdout: '',
        stderr:
          'Error from server (Forbidden): admission webhook "enforce.rwo-guard.dev" denied the request: ' +
          `Deployment grown/web: its pods cannot all run at once [replicas-split]
  why:  3 replicas may run on different nodes, but all need claim data, which attaches to one node at a time: those on a second node wait for ever
  fix:  spec.replicas: 1
  or:   a ReadWriteMany claim
  skip: annotation rwo-guard.dev/ignore: "replicas-split: <reason>"
  more: rwo-guard rules replicas-split\n`,
      },
      '',
      ...scale(3),
    );
    await prints(done, '', ...scale(0));
    await prints(done, '', ...scale(1));
  });

  test('an object with generateName is denied by the name that it would get', async () => {
    const { code, stderr } = await typed(deployment('grown', { generateName: true }), 'create', '-f', '-');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /denied the request: Deployment grown\/web-\w+: its next rollout can hang for ever \[rollout-deadlock\]/,
    );
  });

  test('an update of an object that already had the problem is warned of and goes through', async () => {
    await prints(
      { code: 0, stdout: 'persistentvolumeclaim/data created\ndeployment.apps/web created\n', stderr: '' },
      documents(claim('old'), deployment('old')),
      'apply',
      '-f',
      '-',
    );
    await asAdministrator(cluster, 'label', 'namespace', 'old', 'rwo-guard.dev/mode=enforce', '--overwrite');
    await prints(
      {
        code: 0,
        stdout: 'deployment.apps/web image updated\n',
        stderr: `Warning: Deployment old/web: ${HANGS_WARNING}\n`,
      },
      '',
      ...['-n', 'old', 'set', 'image', 'deployment/web', 'web=web:2'],
    );
  });

  test('deletion with a finalizer ends when the finalizer goes', async () => {
    const manifest = deployment('silent', { name: 'kept', finalizer: 'example.com/kept' });
    await prints({ code: 0, stdout: 'deployment.apps/kept created\n', stderr: '' }, manifest, 'apply', '-f', '-');
    await asAdministrator(cluster, 'label', 'namespace', 'silent', 'rwo-guard.dev/mode=enforce', '--overwrite');
    const object = ['-n', 'silent', 'deployment/kept'];
    await prints(
      { code: 0, stdout: 'deployment.apps "kept" deleted from silent namespace\n', stderr: '' },
      '',
      'delete',
      '--wait=false',
      ...object,
    );
    const removed = ['patch', ...object, '--type=json', '-p=[{"op":"remove","path":"/metadata/finalizers"}]'];
    await prints({ code: 0, stdout: 'deployment.apps/kept patched\n', stderr: '' }, '', ...removed);
    await until(
      'it to be gone',
      async () => (await cluster.api.find({ ...DEPLOYMENT, namespace: 'silent', name: 'kept' })) === undefined,
    );
  });

  test('no request reached two validating entries', async () => {
    assert.equal((await guarded.counts()).judgedTwice, 0);
  });

  test('every subject reached the server, and each call of the API server was one review of ours', async () => {
    const { calls, reviews, reviewsOf } = await guarded.counts();
    for (const kind of ['Deployment', 'Scale', 'PersistentVolumeClaim']) {
      assert.ok(reviewsOf(kind) > 0, `${kind} never arrived`);
    }
    assert.equal(calls, reviews);
  });

  test('no match condition failed, and no call to the webhook failed', async () => {
    const { failedCalls, failedMatchConditions } = await guarded.counts();
    assert.deepEqual({ failedCalls, failedMatchConditions }, { failedCalls: 0, failedMatchConditions: 0 });
  });

  test('with the webhook down the apply goes through', async () => {
    await guarded.guard.stop();
    await prints(
      { code: 0, stdout: 'deployment.apps/web created\n', stderr: '' },
      deployment('strict'),
      'apply',
      '-f',
      '-',
    );
  });
});
