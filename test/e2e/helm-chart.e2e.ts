import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { CHART, helm } from '../helm/helm.ts';
import { COMPONENTS, type Component, comparable, kustomized, scratchFolder, templated } from './rendered.ts';

const ALL = Object.keys(COMPONENTS) as readonly Component[];

let folder: Awaited<ReturnType<typeof scratchFolder>>;

before(async () => {
  folder = await scratchFolder();
});

after(() => folder.remove());

for (const components of [[], ...ALL.map((name) => [name]), ALL]) {
  const what = components.length === 0 ? 'by default' : `with ${components.join(', ')}`;
  for (const namespace of ['rwo-guard', 'elsewhere']) {
    test(`${what}, the chart and the kustomization make the same objects in namespace ${namespace}`, async () => {
      const installation = { namespace, components };
      const expected = comparable(await kustomized(folder.path, installation));
      for (const version of ['v3', 'v4'] as const) {
        const found = comparable(await templated(version, folder.path, installation));
        // Helm makes the namespace itself, when it is told to, and never removes it.
        assert.deepEqual(found, new Map([...expected].filter(([key]) => !key.startsWith('Namespace '))));
      }
    });
  }
}

test('the namespace is one that AKS does not hide from webhooks', async () => {
  const objects = comparable(await kustomized(folder.path, { namespace: 'elsewhere', components: ALL }));
  const namespace = JSON.stringify(objects.get('Namespace elsewhere'));
  assert.match(namespace, /pod-security\.kubernetes\.io\/enforce/);
  assert.doesNotMatch(namespace, /"control-plane"/);
});

for (const version of ['v3', 'v4'] as const) {
  test(`Helm ${version.slice(1)} finds nothing wrong with the chart`, async () => {
    assert.match(await helm(version, ['lint', '--strict', CHART], { home: folder.path }), / 0 chart\(s\) failed/);
  });

  for (const { name, set, says } of [
    { name: 'a value that there is not', set: 'replicaCount=3', says: /replicaCount/ },
    { name: 'a setting that the server does not know', set: 'config.mode=warn', says: /mode/ },
    { name: 'a mode that there is not', set: 'config.defaultMode=strict', says: /defaultMode/ },
    { name: 'a port that only root may open', set: 'ports.webhook=443', says: /webhook/ },
    {
      name: 'mounted certificates without a Secret',
      set: 'certificates.source=existing-secret',
      says: /existingSecret/,
    },
  ]) {
    test(`Helm ${version.slice(1)} refuses ${name}`, async () => {
      const args = ['template', 'guard', CHART, '--set', set];
      await assert.rejects(helm(version, args, { home: folder.path }), says);
    });
  }
}

test('on private GKE clusters, one value moves the port that the control plane has to reach', async () => {
  const rendered = await template('--set', 'ports.webhook=10250');
  assert.match(rendered, /--listen=0\.0\.0\.0:10250/);
  assert.match(rendered, /containerPort: 10250/);
});

test('on EKS with an overlay network, the pods are in the nodes’ network, and leave a port before they take it', async () => {
  const rendered = await template('--set', 'hostNetwork=true');
  assert.match(rendered, /hostNetwork: true\s+dnsPolicy: ClusterFirstWithHostNet/);
  assert.match(rendered, /maxSurge: 0\s+maxUnavailable: 1/);
});

test('a caBundle is rendered only where somebody gives one', async () => {
  assert.doesNotMatch(await template(), /^ *caBundle: /m);
  const own = ['--set', 'certificates.source=existing-secret', '--set', 'certificates.existingSecret=mine'];
  assert.doesNotMatch(await template(...own), /^ *caBundle: /m);
  assert.match(await template(...own, '--set', 'certificates.caBundle=QUJD'), /^ *caBundle: QUJD$/m);
});

test('the notes name the command that takes the guard out of the way', async () => {
  const notes = await helm('v4', ['install', 'guard', CHART, '--dry-run=client'], { home: folder.path });
  assert.match(notes, /^ {2}kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration rwo-guard$/m);
});

test('the chart has the version of the package, and so has the image that Artifact Hub shows', async () => {
  const chart = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8'));
  assert.deepEqual([chart.version, chart.appVersion], [packageJson.version, packageJson.version]);
  assert.match(chart.annotations['artifacthub.io/images'], new RegExp(`:${packageJson.version}$`, 'm'));
});

function template(...args: readonly string[]): Promise<string> {
  return helm('v4', ['template', 'guard', CHART, ...args], { home: folder.path });
}
