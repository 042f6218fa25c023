import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { V1Deployment } from '@kubernetes/client-node';
import { until } from '../control-plane/until.ts';
import type { DeployedGuard } from './deployed-guard.ts';
import { INSTALLED_IN } from './installation.ts';
import { type InstalledCluster, installIn } from './installed-cluster.ts';
import { claim, cluster as clusterManifest, deployment, documents, volume } from './webhook-manifests.ts';

const NAMESPACES = { strict: { mode: 'enforce' }, doomed: { mode: 'enforce' }, lab: { mutate: 'recreate' } };
const HELD = 'example.com/hold';
const REFUSED = /failed calling webhook "enforce\.rwo-guard\.dev"/;
const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'strict', name: 'web' };
const OFF = JSON.stringify([{ op: 'remove', path: '/metadata/finalizers' }]);

// Two clusters, side by side.
describe('an installation', { concurrency: true }, () => {
  for (const where of INSTALLED_IN) describe(`in namespace ${where}`, { concurrency: false }, () => installedIn(where));
});

function installedIn(where: string): void {
  describe('with the webhook configurations in place and no server', () => {
    let installed: InstalledCluster;

    before(async () => {
      installed = await installIn(where, [], NAMESPACES);
    });

    after(() => installed.cluster.stop());

    for (const namespace of ['strict', 'lab', 'probe']) {
      test(`applies in ${namespace} go through`, async () => {
        assert.equal(await installed.refusal(deployment(namespace), 'apply', '-f', '-'), '');
        assert.equal(await installed.refusal(claim(namespace), 'apply', '-f', '-'), '');
        assert.equal(
          await installed.refusal('', '--namespace', namespace, 'scale', '--replicas=3', 'deployment/web'),
          '',
        );
      });
    }
  });

  for (const serves of [true, false]) {
    describe(`fail-closed, ${serves ? 'while two replicas serve' : 'and no server'}`, () => {
      let installed: InstalledCluster;
      let guard: DeployedGuard | undefined;

      before(async () => {
        installed = await installIn(
          where,
          ['fail-closed'],
          { ...NAMESPACES, doomed: { mode: 'off' }, strict: { mode: 'off' } },
          {
            controllerManager: true,
            scheduler: true,
            kwok: true,
          },
        );
        await installed.typed(documents(clusterManifest(), volume('strict'), volume('doomed')), 'apply', '-f', '-');
        for (const namespace of ['strict', 'doomed']) {
          const given = documents(claim(namespace), deployment(namespace, { finalizer: HELD }));
          await installed.typed(given, 'apply', '-f', '-');
          await installed.typed('', '--namespace', namespace, 'rollout', 'status', 'deployment/web', '--timeout=60s');
        }
        if (serves) guard = await installed.start();
        for (const name of ['strict', 'doomed']) {
          await installed.typed('', 'label', '--overwrite', 'namespace', name, 'rwo-guard.dev/mode=enforce');
        }
        await until('a workload with a claim is refused', async () => {
          const found = await installed.refusal(
            deployment('strict', { name: 'more' }),
            'create',
            '--dry-run=server',
            '-f',
            '-',
          );
          return serves ? found === '' : REFUSED.test(found);
        });
      });

      after(async () => {
        await guard?.stop();
        await installed.cluster.stop();
      });

      test('what has no claim is never held up', async () => {
        const plain = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { namespace: strict, name: plain }\n';
        assert.equal(await installed.refusal(plain, 'apply', '-f', '-'), '');
        assert.equal(
          await installed.refusal('', '--namespace', 'strict', 'create', 'deployment', 'bare', '--image=web'),
          '',
        );
      });

      test('a namespace labelled off is let through at once', async () => {
        await installed.typed('', 'label', '--overwrite', 'namespace', 'strict', 'rwo-guard.dev/mode=off');
        const more = deployment('strict', { name: 'more' });
        await until('it is not asked about', async () => {
          return (await installed.refusal(more, 'create', '--dry-run=server', '-f', '-')) === '';
        });
        await installed.typed('', 'label', '--overwrite', 'namespace', 'strict', 'rwo-guard.dev/mode=enforce');
      });

      test('pods are replaced, and ReplicaSets scaled by their controller', async () => {
        const before = await pods('strict');
        await installed.typed('', '--namespace', 'strict', 'delete', 'pods', '--all', '--wait=false');
        await until('another pod', async () => {
          const now = await pods('strict');
          return now.length > 0 && now.every((name) => !before.includes(name));
        });
      });

      test('a finalizer comes off what is being deleted, and all that it owns is collected', async () => {
        await installed.typed('', '--namespace', 'strict', 'delete', 'deployment', 'web', '--wait=false');
        await until('it waits for its finalizer', async () => {
          const { metadata } = await installed.cluster.api.get<V1Deployment>(WEB);
          return metadata?.deletionTimestamp !== undefined;
        });
        await installed.typed('', '--namespace', 'strict', 'patch', 'deployment', 'web', '--type=json', '-p', OFF);
        await until('nothing is left', async () => {
          const left = await installed.typed(
            '',
            '--namespace',
            'strict',
            'get',
            'rs,pods',
            '-l',
            'app=web',
            '-o',
            'name',
          );
          return left === '';
        });
      });

      test('a namespace goes, with everything in it', async () => {
        await installed.typed('', 'delete', 'namespace', 'doomed', '--wait=false');
        await until('the Deployment waits for its finalizer', async () => {
          const found = await installed.typed('', '--namespace', 'doomed', 'get', 'deployment', 'web', '-o', 'yaml');
          return found.includes('deletionTimestamp');
        });
        await installed.typed('', '--namespace', 'doomed', 'patch', 'deployment', 'web', '--type=json', '-p', OFF);
        await installed.typed('', 'wait', '--for=delete', 'namespace/doomed', '--timeout=60s');
      });

      async function pods(namespace: string): Promise<readonly string[]> {
        const found = await installed.typed('', '--namespace', namespace, 'get', 'pods', '-l', 'app=web', '-o', 'name');
        return found.split('\n').filter(Boolean);
      }
    });
  }
}
