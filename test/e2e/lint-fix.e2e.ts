import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { V1Deployment } from '@kubernetes/client-node';
import { programs } from '../control-plane/build.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { claim, deployment, written } from '../lint/manifests.ts';
import { start } from '../program.ts';

let cluster: ControlPlane;
let folder: string;

before(async () => {
  cluster = await startControlPlane();
  folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
});

after(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true });
});

test('what lint --fix prints runs as it is, and then server-side apply takes what it wrote', async (t) => {
  const manifests = ['shop', 'stage'].map((namespace) =>
    written(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      claim({ resources: { requests: { storage: '1Gi' } } }, { namespace }),
      ...['web', 'job'].map((name) =>
        deployment(
          {},
          { namespace, name },
          { containers: [{ name: 'a', image: 'a', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
        ),
      ),
    ),
  );
  const files = await Promise.all(
    manifests.map(async (text, nth) => {
      const file = join(folder, `${nth}.yaml`);
      await writeFile(file, text);
      return file;
    }),
  );
  await applied(files);

  const { stderr } = await start(t, ['lint', '--fix', folder]).ended;
  const lines = [...stderr.matchAll(/kubectl patch .*$/gm)].map(([line]) => line);
  assert.equal(lines.length, 2, stderr);
  await assert.rejects(applied(files), /rollingUpdate: Forbidden/);
  const { path } = await programs(['kubectl']);
  const env = {
    PATH: `${dirname(path.kubectl)}:${process.env.PATH}`,
    HOME: folder,
    KUBECONFIG: cluster.adminKubeconfig,
  };
  for (const line of lines) execFileSync('sh', ['-ec', line], { env });
  await applied(files);
  for (const namespace of ['shop', 'stage']) {
    for (const name of ['web', 'job']) {
      const web: V1Deployment = await cluster.api.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name });
      assert.deepEqual(web.spec?.strategy, { type: 'Recreate' });
    }
  }
});

async function applied(files: readonly string[]): Promise<void> {
  const args = ['apply', '--server-side', ...files.flatMap((file) => ['-f', file])];
  const { code, stderr } = await cluster.kubectl(cluster.adminKubeconfig, args);
  if (code !== 0) throw new Error(stderr);
}
