import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../control-plane/until.ts';
import { type GuardedCluster, startGuardedCluster } from './guarded-cluster.ts';
import { kubectl as asAdministrator } from './installation.ts';
import { OTHER_KINDS, type OtherKind, workload } from './kind-manifests.ts';
import { claim, cluster as clusterManifest, documents, lines, namespace } from './webhook-manifests.ts';

/** What kubectl calls objects of a kind, and what is said of three pods of it. */
const KINDS: Readonly<Record<OtherKind, { readonly resource: string; readonly pods: string; readonly fix: string }>> = {
  StatefulSet: { resource: 'statefulset.apps', pods: '3 replicas', fix: 'run one, or use ReadWriteMany' },
  DaemonSet: { resource: 'daemonset.apps', pods: 'a pod on each node', fix: 'use ReadWriteMany or one node' },
  ReplicaSet: { resource: 'replicaset.apps', pods: '3 replicas', fix: 'run one, or use ReadWriteMany' },
  Job: { resource: 'job.batch', pods: '3 pods at once', fix: 'run one, or use ReadWriteMany' },
  CronJob: { resource: 'cronjob.batch', pods: '3 pods at once', fix: 'run one, or use ReadWriteMany' },
};

/** A namespace for each kind enforces; in another one that kind is only warned of, and a third asks for repairs. */
const enforcing = (kind: OtherKind) => kind.toLowerCase();
const warning = (kind: OtherKind) => `${kind.toLowerCase()}-warn`;
const repairing = (kind: OtherKind) => `${kind.toLowerCase()}-mutate`;

const REMEDY =
  'Run one replica, use a ReadWriteMany claim or a claim for each pod (StatefulSet), or keep the pods on one node ' +
  'by required pod affinity to their own labels with topologyKey kubernetes.io/hostname (not for ReadWriteOncePod). ' +
  'Affinity does not bring together pods that run apart already: scale to 1 first, or Recreate once.';

const split = (kind: OtherKind, name = 'web', claimName = 'data') =>
  `${name}: replicas cannot all use one claim (${KINDS[kind].pods}, claim ${claimName})`;
const warningLine = (kind: OtherKind, name = 'web', claimName = 'data') =>
  `${split(kind, name, claimName)}; ${KINDS[kind].fix} [replicas-split]`;
const denial = (kind: OtherKind, name = 'web', claimName = 'data') =>
  `admission webhook "enforce.rwo-guard.dev" denied the request: ${split(kind, name, claimName)} [replicas-split]. ${REMEDY}\n`;

const APPLY = ['apply', '-f', '-'];
const REFUSED = 'Error from server (Forbidden): error when creating "STDIN": ';

describe('the webhook at a real API server, for each kind of workload', () => {
  let guarded: GuardedCluster;

  before(async () => {
    const namespaces = OTHER_KINDS.flatMap((kind) => [
      namespace(enforcing(kind), { mode: 'enforce' }),
      namespace(warning(kind)),
      namespace(repairing(kind), { mode: 'enforce', mutate: 'auto' }),
    ]);
    guarded = await startGuardedCluster({ given: [documents(clusterManifest(), ...namespaces)] });
  });
  after(() => guarded?.stop());

  const prints: GuardedCluster['prints'] = (...line) => guarded.prints(...line);

  /** Succeeds without a word of ours. */
  const succeeds = (stdout: string, stdin: string, ...args: readonly string[]) =>
    prints({ code: 0, stdout: `${stdout}\n`, stderr: '' }, stdin, ...args);

  for (const kind of OTHER_KINDS) {
    const { resource } = KINDS[kind];

    test(`claim and ${kind} in one file: the claim is created, the ${kind} denied`, () =>
      prints(
        { code: 1, stdout: 'persistentvolumeclaim/data created\n', stderr: `${REFUSED}${denial(kind)}` },
        documents(claim(enforcing(kind)), workload(kind, enforcing(kind), { pods: 3 })),
        ...APPLY,
      ));

    test(`a dry run of the ${kind} warns and succeeds`, () =>
      prints(
        {
          code: 0,
          stdout: `${resource}/web created (server dry run)\n`,
          stderr: `Warning: would be denied: ${warningLine(kind)}\n`,
        },
        workload(kind, enforcing(kind), { pods: 3 }),
        'apply',
        '--dry-run=server',
        '-f',
        '-',
      ));

    test(`a ${kind} with an exemption and its reason is created without a word`, () =>
      succeeds(
        `persistentvolumeclaim/known created\n${resource}/known created`,
        documents(
          claim(enforcing(kind), 'known'),
          workload(kind, enforcing(kind), {
            name: 'known',
            claim: 'known',
            pods: 3,
            annotation: 'replicas-split: all pods are pinned',
          }),
        ),
        ...APPLY,
      ));

    test(`a ${kind} of one pod is created without a word`, () =>
      succeeds(`${resource}/web created`, workload(kind, enforcing(kind)), ...APPLY));

    test(`without a label the ${kind} is created with a warning`, () =>
      prints(
        {
          code: 0,
          stdout: `persistentvolumeclaim/data created\n${resource}/web created\n`,
          stderr: `Warning: ${warningLine(kind)}\n`,
        },
        documents(claim(warning(kind)), workload(kind, warning(kind), { pods: 3 })),
        ...APPLY,
      ));

    test(`a ${kind} that had the problem when its namespace began to enforce is warned of and goes through`, async () => {
      await asAdministrator(guarded.cluster, 'label', 'namespace', warning(kind), 'rwo-guard.dev/mode=enforce');
      await knownToEnforce(warning(kind), kind);
      const { args, done } = changeOf(kind);
      await prints(
        { code: 0, stdout: `${resource}/web ${done}\n`, stderr: `Warning: ${warningLine(kind)}\n` },
        '',
        ...['-n', warning(kind), ...args],
      );
    });

    test(`${kind} and claim in one file: the ${kind} is an open question, and the claim that answers it is denied`, () =>
      prints(
        {
          code: 1,
          stdout: `${resource}/late created\n`,
          stderr:
            `Warning: late: cannot tell if it is safe (claim ${enforcing(kind)}/late does not exist yet); ` +
            `rwo-guard lint sees whole files [claim-unknown]\n${REFUSED}${denial(kind, `${kind} late`, 'late')}`,
        },
        documents(
          workload(kind, enforcing(kind), { name: 'late', claim: 'late', pods: 3 }),
          claim(enforcing(kind), 'late'),
        ),
        ...APPLY,
      ));

    test(`a ${kind} is denied, not repaired, where repairs are asked for`, () =>
      prints(
        { code: 1, stdout: 'persistentvolumeclaim/data created\n', stderr: `${REFUSED}${denial(kind)}` },
        documents(claim(repairing(kind)), workload(kind, repairing(kind), { pods: 3 })),
        ...APPLY,
      ));
  }

  /** Waits until the guard knows the namespace by its new label, which a dry run tells. */
  async function knownToEnforce(name: string, kind: OtherKind): Promise<void> {
    const manifest = workload(kind, name, { name: 'probe', pods: 3 });
    await until('the label to be known', async () => {
      const { stderr } = await guarded.typed(manifest, 'apply', '--dry-run=server', '-f', '-');
      return stderr.includes('would be denied');
    });
  }

  test('a StatefulSet whose pods have claims of their own is created and scaled without a word', async () => {
    const own = workload('StatefulSet', 'statefulset', {
      name: 'own',
      pods: 3,
      spec: [
        'volumeClaimTemplates:',
        '  - metadata: { name: data }',
        '    spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }',
      ],
    });
    await succeeds('statefulset.apps/own created', own, ...APPLY);
    await succeeds('statefulset.apps/own scaled', '', ...scale('StatefulSet', 'own', 5));
  });

  for (const kind of ['StatefulSet', 'ReplicaSet'] as const) {
    const { resource } = KINDS[kind];

    test(`scaling a ${kind} up is denied, in a dry run warned of, to zero and back is neither`, async () => {
      await prints(
        { code: 1, stdout: '', stderr: `Error from server (Forbidden): ${denial(kind)}` },
        '',
        ...scale(kind, 'web', 3),
      );
      await prints(
        {
          code: 0,
          stdout: `${resource}/web scaled (server dry run)\n`,
          stderr: `Warning: would be denied: ${warningLine(kind)}\n`,
        },
        '',
        ...scale(kind, 'web', 3),
        '--dry-run=server',
      );
      await succeeds(`${resource}/web scaled`, '', ...scale(kind, 'web', 0));
      await succeeds(`${resource}/web scaled`, '', ...scale(kind, 'web', 1));
    });
  }

  test('a Job that is suspended is created without a word, and resuming it is denied', async () => {
    const waiting = { name: 'waiting', claim: 'waiting', pods: 3, spec: ['suspend: true'] };
    await succeeds(
      'persistentvolumeclaim/waiting created\njob.batch/waiting created',
      documents(claim('job', 'waiting'), workload('Job', 'job', waiting)),
      ...APPLY,
    );
    await prints(
      { code: 1, stdout: '', stderr: `Error from server (Forbidden): ${denial('Job', 'waiting', 'waiting')}` },
      '',
      ...['-n', 'job', 'patch', 'job/waiting', '--type=merge', '-p={"spec":{"suspend":false}}'],
    );
  });

  test('a Job made from a CronJob that was judged is not judged again', () =>
    succeeds(
      'job.batch/by-hand created',
      '',
      ...['-n', 'cronjob-warn', 'create', 'job', 'by-hand', '--from=cronjob/web'],
    ));

  test('a ReadWriteOncePod claim denies a StatefulSet two replicas on one node too', async () => {
    const pinned = lines(
      'apiVersion: v1',
      'kind: PersistentVolumeClaim',
      'metadata: { namespace: statefulset, name: pinned }',
      'spec:',
      '  accessModes: [ReadWriteOncePod]',
      '  storageClassName: disk',
      '  resources: { requests: { storage: 1Gi } }',
    );
    await prints(
      {
        code: 1,
        stdout: 'persistentvolumeclaim/pinned created\n',
        stderr: `${REFUSED}${denial('StatefulSet', 'pinned', 'pinned')}`,
      },
      documents(pinned, workload('StatefulSet', 'statefulset', { name: 'pinned', claim: 'pinned', pods: 3 })),
      ...APPLY,
    );
  });

  test('no request reached two validating entries', async () => {
    assert.equal((await guarded.counts()).judgedTwice, 0);
  });

  test('every kind reached the server, and each call of the API server was one review of ours', async () => {
    const { calls, reviews, reviewsOf } = await guarded.counts();
    for (const kind of [...OTHER_KINDS, 'Scale', 'PersistentVolumeClaim']) {
      assert.ok(reviewsOf(kind) > 0, `${kind} never arrived`);
    }
    assert.equal(calls, reviews);
  });

  test('no match condition failed, and no call to the webhook failed', async () => {
    const { failedCalls, failedMatchConditions } = await guarded.counts();
    assert.deepEqual({ failedCalls, failedMatchConditions }, { failedCalls: 0, failedMatchConditions: 0 });
  });
});

/** A change that the API server lets a person make, and what kubectl says that it did. */
function changeOf(kind: OtherKind): { readonly args: readonly string[]; readonly done: string } {
  if (kind !== 'Job')
    return { args: ['set', 'image', `${kind.toLowerCase()}/web`, 'web=web:2'], done: 'image updated' };
  return { args: ['patch', 'job/web', '--type=merge', '-p={"spec":{"ttlSecondsAfterFinished":60}}'], done: 'patched' };
}

/** Scales what lives in the namespace of its kind. */
function scale(kind: OtherKind, name: string, replicas: number): readonly string[] {
  return ['-n', enforcing(kind), 'scale', `${kind.toLowerCase()}/${name}`, `--replicas=${replicas}`];
}
