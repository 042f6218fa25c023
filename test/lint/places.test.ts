import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseManifests } from '../../src/yaml/read-manifests.ts';
import { lintText } from './linted.ts';
import { claim, deployment, written } from './manifests.ts';

const WEB = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec:
  accessModes: [ReadWriteOnce]
---
# Source: shop/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  strategy:
    type: RollingUpdate
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      volumes:
        - name: tmp
          emptyDir: {}
        - name: data
          persistentVolumeClaim:
            claimName: data
`;

const ALONE = WEB.replace('replicas: 2', 'replicas: 1');

test('a rollout points at the strategy, replicas at the volume, and both at the claim', async (t) => {
  for (const [manifest, ...where] of [
    [ALONE, 'rollout-deadlock', 14, 3, [5]],
    [WEB, 'replicas-split', 23, 11, [5]],
  ] as const) {
    const { printed } = await lintText(t, manifest);
    assert.deepEqual(
      printed.findings.map((found) => [found.rule, found.line, found.column, found.related.map(({ line }) => line)]),
      [where],
    );
  }
});

test('a rollout that hangs as the replicas do is told with them', async (t) => {
  const { printed } = await lintText(t, WEB);
  assert.deepEqual(
    printed.findings.map(({ rule, also }) => [rule, also]),
    [['replicas-split', ['rollout-deadlock']]],
  );
  assert.equal(printed.summary.error, 1);
});

test('without a strategy a rollout points at the spec', async (t) => {
  const { printed } = await lintText(t, ALONE.replace(/ {2}strategy:\n.*\n/, ''));
  assert.deepEqual([printed.findings[0]?.line, printed.findings[0]?.column], [12, 1]);
});

test('a finding in what helm template printed names the template', async (t) => {
  const { printed } = await lintText(t, WEB);
  assert.equal(printed.findings[0]?.template, 'shop/templates/web.yaml');
});

test('what stayed open points at the volume of the claim in question', async (t) => {
  const { printed } = await lintText(t, WEB.slice(WEB.indexOf('# Source')));
  assert.deepEqual(
    printed.inconclusive.map(({ line, because }) => [line, because]),
    [[17, 'claim default/data is not in the input']],
  );
});

test('a claim points at its access modes', async (t) => {
  const { printed } = await lintText(t, WEB.replace('[ReadWriteOnce]', '[ReadWriteMany]\n  storageClassName: gp3'));
  const found = printed.findings.find(({ rule }) => rule === 'access-mode-unsupported');
  assert.deepEqual([found?.line, found?.column], [5, 3]);
});

test('the places in a JSON list are those of its fields', async (t) => {
  const list = {
    apiVersion: 'v1',
    kind: 'List',
    items: [claim(), deployment({ strategy: { type: 'RollingUpdate' } })],
  };
  const text = JSON.stringify(list, null, 2);
  const { printed } = await lintText(t, text);
  const [found] = printed.findings;
  const lines = text.split('\n');
  assert.match(lines[(found?.line ?? 0) - 1]?.slice((found?.column ?? 0) - 1) ?? '', /^"strategy": \{/);
  assert.match(lines[(found?.related[0]?.line ?? 0) - 1] ?? '', /^ *"accessModes": \[/);
});

test('YAML and JSON of the same lines have the same places', () => {
  const text = JSON.stringify(
    { apiVersion: 'v1', kind: 'List', items: [claim(), deployment({ replicas: 2 })] },
    null,
    1,
  );
  const [json, yaml] = [text, `# YAML\n${text}`].map((written) => parseManifests(written, 'a').manifests);
  for (const path of ['', 'spec', 'spec.replicas', 'spec.template.spec.volumes.0', 'metadata.name', 'spec.strategy']) {
    for (const [index, manifest] of (json ?? []).entries()) {
      const position = manifest.positions(path);
      const expected = position && { ...position, line: position.line + 1 };
      assert.deepEqual(yaml?.[index]?.positions(path), expected, path);
    }
  }
});

test('what an anchor holds is pointed at where it is written', async (t) => {
  const text = `apiVersion: v1
kind: List
items:
- { apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data }, spec: { accessModes: [ReadWriteOnce] } }
- apiVersion: apps/v1
  kind: Deployment
  metadata: { name: web }
  spec: &spec
    strategy: { type: RollingUpdate }
    template: { spec: { volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }] } }
- { apiVersion: apps/v1, kind: Deployment, metadata: { name: job }, spec: *spec }
`;
  const { printed } = await lintText(t, text);
  const rollouts = printed.findings.filter(({ rule }) => rule === 'rollout-deadlock');
  assert.deepEqual(
    rollouts.map(({ resource, line }) => [resource.name, line]),
    [
      ['web', 9],
      ['job', 9],
    ],
  );
});

test('a fingerprint stays when lines move, and is another for another object', async (t) => {
  const prints = async (text: string): Promise<readonly string[]> =>
    (await lintText(t, text)).printed.findings.map(({ fingerprint }) => fingerprint);
  const before = await prints(WEB);
  assert.deepEqual(await prints(`# moved\n${WEB.replace('replicas: 2', 'paused: false\n  replicas: 3')}`), before);
  const renamed = await prints(WEB.replaceAll('name: web\n', 'name: job\n'));
  assert.equal(new Set([...before, ...renamed]).size, 2);
});

test('two findings of one rule about one claim have fingerprints of their own', async (t) => {
  const modes = claim({ accessModes: ['ReadOnlyMany', 'ReadWriteMany'], storageClassName: 'gp3' });
  const { printed } = await lintText(t, written(modes));
  assert.equal(printed.findings.length, 2);
  assert.equal(new Set(printed.findings.map(({ fingerprint }) => fingerprint)).size, 2);
});

test('however many workloads share a claim, each has one finding, which names one other and points at all', async (t) => {
  const recreate = { strategy: { type: 'Recreate' } };
  const names = ['web', 'job', 'cron', 'mail'].map((name) => deployment(recreate, { name }));
  const { printed } = await lintText(t, written(claim(), ...names));
  assert.deepEqual(
    printed.findings.map(({ resource, related }) => [resource.name, related.length]),
    [
      ['web', 4],
      ['job', 4],
      ['cron', 4],
      ['mail', 4],
    ],
  );
  assert.match(printed.findings[1]?.message ?? '', /: Deployment cron and 2 more use claim data, /);
  assert.deepEqual(
    printed.findings[1]?.related.map(({ message }) => message),
    ['claim data, ReadWriteOnce', ...['cron', 'mail', 'web'].map((name) => `Deployment ${name} uses it too`)],
  );
});
