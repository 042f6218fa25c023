import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../control-plane/until.ts';
import { type GuardedCluster, startGuardedCluster } from './guarded-cluster.ts';
import { kubectl as asAdministrator } from './installation.ts';
import { OTHER_KINDS, type OtherKind, workload } from './kind-manifests.ts';
import { claim, cluster as clusterManifest, documents, lines, namespace } from './webhook-manifests.ts';

interface Said {
  /** What kubectl calls objects of the kind. */
  readonly resource: string;
  readonly pods: string;
  /** How three pods of it come to wait. */
  readonly where: string;
  readonly short: string;
  readonly fix: string;
  readonly or: string;
}

const MANY = 'a ReadWriteMany claim';
const ONE = { short: 'run one, or use ReadWriteMany', fix: 'spec.replicas: 1', or: MANY };
const REPLICAS = { pods: '3 replicas', where: '3 replicas may run on different nodes', ...ONE };
const KINDS: Readonly<Record<Lasting, Said>> = {
  StatefulSet: {
    ...REPLICAS,
    resource: 'statefulset.apps',
    or: 'a claim for each pod by volumeClaimTemplates, or a ReadWriteMany one',
  },
  DaemonSet: {
    resource: 'daemonset.apps',
    pods: 'pods on each node',
    where: 'pods run on each node',
    short: 'use ReadWriteMany or one node',
    fix: MANY,
    or: 'a node selector of one node',
  },
  ReplicaSet: { ...REPLICAS, resource: 'replicaset.apps' },
};

/** Their pods end, so that of those which wait until then is warned. */
const RUNS = { Job: 'job.batch', CronJob: 'cronjob.batch' } as const;

type Run = keyof typeof RUNS;
type Lasting = Exclude<OtherKind, Run>;

const LASTING = OTHER_KINDS.filter((kind): kind is Lasting => kind !== 'Job' && kind !== 'CronJob');

/** A namespace for each kind enforces; in another one that kind is only warned of, and a third asks for repairs. */
const enforcing = (kind: OtherKind) => kind.toLowerCase();
const warning = (kind: OtherKind) => `${kind.toLowerCase()}-warn`;
const repairing = (kind: OtherKind) => `${kind.toLowerCase()}-mutate`;

const warningLine = (about: string, kind: Lasting) =>
  `${about} ${KINDS[kind].pods} cannot all use claim data; ${KINDS[kind].short} [replicas-split]`;
const runWarning = (about: string, claimName = 'data') =>
  `Warning: ${about} 3 pods at once cannot all use claim ${claimName}, until some end; run one at a time [replicas-split]\n`;
const heldElsewhere = (kind: Lasting, claimName = 'data') =>
  `${KINDS[kind].where}, but all need claim ${claimName}, which attaches to one node at a time: those on a second node wait for ever`;
const denial = (about: string, kind: Lasting, why = heldElsewhere(kind), skip = '') =>
  `admission webhook "enforce.rwo-guard.dev" denied the request: ${about} its pods cannot all run at once [replicas-split]
  why:  ${why}
  fix:  ${KINDS[kind].fix}
  or:   ${KINDS[kind].or}
  skip: annotation rwo-guard.dev/ignore: "replicas-split: <reason>"${skip}
  more: rwo-guard rules replicas-split\n`;
const DRY_RUN_PASSES =
  'this dry run passes, the real request would not: to fail here, run rwo-guard lint, or set dryRun: same';

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

  for (const kind of LASTING) {
    const { resource } = KINDS[kind];

    test(`claim and ${kind} in one file: the claim is created, the ${kind} denied`, () =>
      prints(
        {
          code: 1,
          stdout: 'persistentvolumeclaim/data created\n',
          stderr: `${REFUSED}${denial(`${kind} ${enforcing(kind)}/web:`, kind)}`,
        },
        documents(claim(enforcing(kind)), workload(kind, enforcing(kind), { pods: 3 })),
        ...APPLY,
      ));

    test(`a dry run of the ${kind} warns and succeeds`, () =>
      prints(
        {
          code: 0,
          stdout: `${resource}/web created (server dry run)\n`,
          stderr: `Warning: would be denied: ${warningLine(`${kind} ${enforcing(kind)}/web:`, kind)}\nWarning: ${DRY_RUN_PASSES}\n`,
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
          stderr: `Warning: ${warningLine(`${kind} ${warning(kind)}/web:`, kind)}\n`,
        },
        documents(claim(warning(kind)), workload(kind, warning(kind), { pods: 3 })),
        ...APPLY,
      ));

    test(`a ${kind} that had the problem when its namespace began to enforce is warned of and goes through`, async () => {
      await asAdministrator(guarded.cluster, 'label', 'namespace', warning(kind), 'rwo-guard.dev/mode=enforce');
      await knownToEnforce(warning(kind), kind);
      await prints(
        {
          code: 0,
          stdout: `${resource}/web image updated\n`,
          stderr: `Warning: ${warningLine(`${kind} ${warning(kind)}/web:`, kind)}\n`,
        },
        '',
        ...['-n', warning(kind), 'set', 'image', `${kind.toLowerCase()}/web`, 'web=web:2'],
      );
    });

    test(`${kind} and claim in one file: the ${kind} is an open question, and the claim that answers it is denied`, () =>
      prints(
        {
          code: 1,
          stdout: `${resource}/late created\n`,
          stderr:
            `Warning: ${kind} ${enforcing(kind)}/late: not judged: claim ${enforcing(kind)}/late does not exist yet; ` +
            `create it first, or rwo-guard lint [claim-unknown]\n${REFUSED}` +
            denial(
              `PersistentVolumeClaim ${enforcing(kind)}/late refused: ${kind} late mounts it, and`,
              kind,
              heldElsewhere(kind, 'late'),
              ' on either of the two',
            ),
        },
        documents(
          workload(kind, enforcing(kind), { name: 'late', claim: 'late', pods: 3 }),
          claim(enforcing(kind), 'late'),
        ),
        ...APPLY,
      ));

    test(`a ${kind} is denied, not repaired, where repairs are asked for`, () =>
      prints(
        {
          code: 1,
          stdout: 'persistentvolumeclaim/data created\n',
          stderr: `${REFUSED}${denial(`${kind} ${repairing(kind)}/web:`, kind)}`,
        },
        documents(claim(repairing(kind)), workload(kind, repairing(kind), { pods: 3 })),
        ...APPLY,
      ));
  }

  /** Waits until the guard knows the namespace by its new label, which a dry run tells. */
  async function knownToEnforce(name: string, kind: Lasting): Promise<void> {
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
        {
          code: 1,
          stdout: '',
          stderr: `Error from server (Forbidden): ${denial(`${kind} ${enforcing(kind)}/web:`, kind)}`,
        },
        '',
        ...scale(kind, 'web', 3),
      );
      await prints(
        {
          code: 0,
          stdout: `${resource}/web scaled (server dry run)\n`,
          stderr: `Warning: would be denied: ${warningLine(`${kind} ${enforcing(kind)}/web:`, kind)}\nWarning: ${DRY_RUN_PASSES}\n`,
        },
        '',
        ...scale(kind, 'web', 3),
        '--dry-run=server',
      );
      await succeeds(`${resource}/web scaled`, '', ...scale(kind, 'web', 0));
      await succeeds(`${resource}/web scaled`, '', ...scale(kind, 'web', 1));
    });
  }

  for (const kind of ['Job', 'CronJob'] as const) {
    const resource = RUNS[kind];

    for (const [where, ns] of [
      ['where its namespace enforces', enforcing(kind)],
      ['without a label', warning(kind)],
      ['where repairs are asked for', repairing(kind)],
    ] as const) {
      test(`claim and ${kind} in one file are created with a warning ${where}`, () =>
        prints(
          {
            code: 0,
            stdout: `persistentvolumeclaim/data created\n${resource}/web created\n`,
            stderr: runWarning(`${kind} ${ns}/web:`),
          },
          documents(claim(ns), workload(kind, ns, { pods: 3 })),
          ...APPLY,
        ));
    }

    test(`a ${kind} of one pod is created without a word`, () =>
      succeeds(
        `persistentvolumeclaim/one created\n${resource}/one created`,
        documents(claim(enforcing(kind), 'one'), workload(kind, enforcing(kind), { name: 'one', claim: 'one' })),
        ...APPLY,
      ));

    test(`${kind} and claim in one file: the ${kind} is an open question, and the claim that answers it warns`, () =>
      prints(
        {
          code: 0,
          stdout: `${resource}/late created\npersistentvolumeclaim/late created\n`,
          stderr:
            `Warning: ${kind} ${enforcing(kind)}/late: not judged: claim ${enforcing(kind)}/late does not exist yet; ` +
            `create it first, or rwo-guard lint [claim-unknown]\n${runWarning(`${kind} ${enforcing(kind)}/late mounts this claim:`, 'late')}`,
        },
        documents(
          workload(kind, enforcing(kind), { name: 'late', claim: 'late', pods: 3 }),
          claim(enforcing(kind), 'late'),
        ),
        ...APPLY,
      ));
  }

  test('a Job that is suspended is created without a word, and resuming it is warned of', async () => {
    const waiting = { name: 'waiting', claim: 'waiting', pods: 3, spec: ['suspend: true'] };
    await succeeds(
      'persistentvolumeclaim/waiting created\njob.batch/waiting created',
      documents(claim('job', 'waiting'), workload('Job', 'job', waiting)),
      ...APPLY,
    );
    await prints(
      { code: 0, stdout: 'job.batch/waiting patched\n', stderr: runWarning('Job job/waiting:', 'waiting') },
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
        stderr: `${REFUSED}${denial('StatefulSet statefulset/pinned:', 'StatefulSet', 'claim pinned lets one pod in at a time: of 3 replicas one runs, and the others wait for ever')}`,
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

/** Scales what lives in the namespace of its kind. */
function scale(kind: OtherKind, name: string, replicas: number): readonly string[] {
  return ['-n', enforcing(kind), 'scale', `${kind.toLowerCase()}/${name}`, `--replicas=${replicas}`];
}
