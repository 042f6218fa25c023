import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stringify } from 'yaml';
import { loadKubeConfig } from '../../src/cluster/kube-config.ts';

const FILE = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'dev',
  contexts: [
    { name: 'dev', context: { cluster: 'near', user: 'jane' } },
    { name: 'prod', context: { cluster: 'far', user: 'jane' } },
    { name: 'lost', context: { cluster: 'gone', user: 'jane' } },
  ],
  clusters: [
    { name: 'near', cluster: { server: 'http://localhost:8001' } },
    { name: 'far', cluster: { server: 'https://prod.example.com', 'certificate-authority': 'ca.crt' } },
  ],
  users: [{ name: 'jane', user: { tokenFile: 'jane.token' } }],
};

async function written(
  t: TestContext,
  content: object,
): Promise<{ readonly folder: string; readonly kubeconfig: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  t.after(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, stringify(content));
  return { folder, kubeconfig };
}

test('a kubeconfig is taken with its current context, unless another is asked for', async (t) => {
  const { folder, kubeconfig } = await written(t, FILE);
  assert.equal(loadKubeConfig({ kubeconfig }).getCurrentCluster()?.server, 'http://localhost:8001');
  const prod = loadKubeConfig({ kubeconfig, context: 'prod' }).getCurrentCluster();
  assert.equal(prod?.server, 'https://prod.example.com');
  assert.equal(prod?.caFile, join(folder, 'ca.crt'));
});

test('a token file is found beside the kubeconfig that names it', async (t) => {
  const { folder, kubeconfig } = await written(t, FILE);
  await writeFile(join(folder, 'jane.token'), 'secret');
  const options: { headers?: Record<string, string> } = {};
  await loadKubeConfig({ kubeconfig }).applyToHTTPSOptions(options);
  assert.equal(options.headers?.Authorization, 'Bearer secret');
});

for (const context of ['nowhere', 'lost']) {
  test(`the context "${context}" is refused with those that there are`, async (t) => {
    const { kubeconfig } = await written(t, FILE);
    assert.throws(() => loadKubeConfig({ kubeconfig, context }), {
      code: 'KUBECONFIG',
      message: `context ${context} names no cluster: choose one of dev, prod, lost with --context`,
    });
  });
}

test('a kubeconfig that is not there is an error that names the file, and says how to choose another', () => {
  assert.throws(() => loadKubeConfig({ kubeconfig: '/nowhere/config' }), {
    code: 'KUBECONFIG',
    message: /^cannot read the kubeconfig: choose another with --kubeconfig or KUBECONFIG \(.*\/nowhere\/config/,
  });
});
