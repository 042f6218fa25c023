import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { CHART, helm } from '../helm/helm.ts';
import { COMPONENTS, type Component, comparable, kustomized, scratchFolder, templated } from './rendered.ts';

const IMAGE = 'image.repository=registry.example/rwo-guard';
const SOURCE = 'certificates.source';

const ALL = Object.keys(COMPONENTS) as readonly Component[];

/** One component, after the one that it is for. */
function withNeeded(name: Component): readonly Component[] {
  return name === 'unfenced-force-delete' ? ['guards', name] : [name];
}

let folder: Awaited<ReturnType<typeof scratchFolder>>;

before(async () => {
  folder = await scratchFolder();
});

after(() => folder.remove());

for (const components of [[], ...ALL.map(withNeeded), ALL]) {
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
    { name: 'one port for two things', set: 'ports.metrics=8443', says: /ports\.webhook and ports\.metrics/ },
    { name: 'mounted certificates without a Secret', set: `${SOURCE}=existing-secret`, says: /existingSecret/ },
    { name: 'a Secret that nothing mounts', set: 'certificates.existingSecret=mine', says: /existingSecret is for/ },
    {
      name: 'a caBundle that cert-manager would overwrite',
      set: `${SOURCE}=cert-manager,certificates.caBundle=QUJD`,
      says: /caBundle is for/,
    },
    {
      name: 'a caBundle that is no base64',
      set: `${SOURCE}=existing-secret,certificates.existingSecret=mine,certificates.caBundle=abc`,
      says: /caBundle/,
    },
    {
      name: 'an issuer without a name',
      set: `${SOURCE}=cert-manager,certificates.issuerRef.kind=ClusterIssuer`,
      says: /issuerRef/,
    },
    {
      name: 'an issuer that nothing asks',
      set: 'certificates.issuerRef.name=mine',
      says: /certificates\.issuerRef is for certificates\.source=cert-manager/,
    },
    {
      name: 'a guard that is for the others',
      set: 'guards.unfencedForceDelete=true',
      says: /guards\.unfencedForceDelete is for guards\.enabled/,
    },
    { name: 'a mode of guards that there is not', set: 'config.guards.mode=strict', says: /mode/ },
    { name: 'a pattern that the server refuses', set: 'config.exemptNamespaces[0]=a*b', says: /exemptNamespaces/ },
    { name: 'a provisioner that the server refuses', set: 'config.storage[0].provisioner=*x*', says: /provisioner/ },
  ]) {
    test(`Helm ${version.slice(1)} refuses ${name}`, async () => {
      const args = ['template', 'guard', CHART, '--set', `${IMAGE},${set}`];
      await assert.rejects(helm(version, args, { home: folder.path }), says);
    });
  }

  test(`Helm ${version.slice(1)} asks for the image, since none is published`, async () => {
    const rendered = helm(version, ['template', 'guard', CHART], { home: folder.path });
    await assert.rejects(rendered, /image\.repository: no image is published yet/);
  });
}

test('on EKS with an overlay network, the pods are in the nodes’ network, and leave a port before they take it', async () => {
  const rendered = await template('--set', 'hostNetwork=true');
  assert.match(rendered, /hostNetwork: true\s+dnsPolicy: ClusterFirstWithHostNet/);
  assert.match(rendered, /maxSurge: 0\s+maxUnavailable: 1/);
});

test('the labels and annotations of the chart are stronger than those of the values', async () => {
  const labels = 'app\\.kubernetes\\.io/name=mine';
  const rendered = await template(
    '--set',
    `podLabels.${labels},podLabels.team=storage,podAnnotations.checksum/config=mine,podAnnotations.note=ours`,
    '--set',
    `serviceMonitor.enabled=true,serviceMonitor.labels.${labels},serviceMonitor.labels.release=prometheus`,
  );
  // A key that stands twice makes the parser fail.
  const objects = parseAllDocuments(rendered).map((document) => document.toJS());
  const { metadata } = objects.find(({ kind }) => kind === 'Deployment').spec.template;
  assert.deepEqual(metadata.labels, { 'app.kubernetes.io/name': 'rwo-guard', team: 'storage' });
  assert.match(metadata.annotations['checksum/config'], /^[0-9a-f]{64}$/);
  assert.equal(metadata.annotations.note, 'ours');
  const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor').metadata.labels;
  assert.deepEqual([monitor['app.kubernetes.io/name'], monitor.release], ['rwo-guard', 'prometheus']);
});

test('the alerts have the labels and the runbook of the values, and templates of their own', async () => {
  const rendered = await template(
    '--set',
    'prometheusRule.enabled=true,prometheusRule.labels.release=prometheus,prometheusRule.runbook=https://example.com/run',
  );
  const { metadata, spec } = parseAllDocuments(rendered)
    .map((document) => document.toJS())
    .find(({ kind }) => kind === 'PrometheusRule');
  assert.equal(metadata.labels.release, 'prometheus');
  for (const { annotations } of spec.groups[0].rules)
    assert.match(annotations.runbook_url, /^https:..example.com.run#/);
  assert.match(JSON.stringify(spec), /\{\{ \$labels\.name \}\}/);
});

test('a caBundle is rendered only where somebody gives one', async () => {
  assert.doesNotMatch(await template(), /^ *caBundle: /m);
  const own = ['--set', 'certificates.source=existing-secret', '--set', 'certificates.existingSecret=mine'];
  assert.doesNotMatch(await template(...own), /^ *caBundle: /m);
  assert.match(await template(...own, '--set', 'certificates.caBundle=QUJD'), /^ *caBundle: QUJD$/m);
});

test('who may read the metrics is said apart from who may call the webhook', async () => {
  const peer = 'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.team=monitoring';
  const rendered = await template('--set', `networkPolicy.enabled=true,${peer}`);
  const policy = parseAllDocuments(rendered)
    .map((document) => document.toJS())
    .find(({ kind }) => kind === 'NetworkPolicy');
  assert.deepEqual(policy.spec.ingress, [
    { ports: [{ port: 'https', protocol: 'TCP' }] },
    {
      from: [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }],
      ports: [{ port: 'metrics', protocol: 'TCP' }],
    },
  ]);
});

test('the notes name the command that takes the guard out of the way', async () => {
  const said = await notes();
  assert.match(said, /^ {2}kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration rwo-guard$/m);
  assert.match(said, /rwo-guard\.dev\/mode=enforce$/m);
});

test('the notes of a strict installation say how to let a namespace through, and what Fail means', async () => {
  const said = await notes('--set', 'config.defaultMode=enforce,failurePolicy=Fail');
  assert.match(said, /rwo-guard\.dev\/mode=off$/m);
  assert.doesNotMatch(said, /mode=enforce/);
  assert.match(said, /^With failurePolicy Fail, /m);
});

test('the chart has the version of the package', async () => {
  const chart = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8'));
  assert.deepEqual([chart.version, chart.appVersion], [packageJson.version, packageJson.version]);
});

function template(...args: readonly string[]): Promise<string> {
  return helm('v4', ['template', 'guard', CHART, '--set', IMAGE, ...args], { home: folder.path });
}

function notes(...args: readonly string[]): Promise<string> {
  const command = ['install', 'guard', CHART, '--dry-run=client', '--set', IMAGE];
  return helm('v4', [...command, ...args], { home: folder.path });
}
