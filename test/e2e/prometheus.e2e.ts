import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { promtool } from '../prometheus/promtool.ts';
import { EXPORTED_ELSEWHERE, type Sample, samplesIn } from '../prometheus/samples.ts';
import { ALERT_TESTS, DASHBOARD, RULE_FILE, sentBy } from '../prometheus/shipped.ts';
import { deployment } from './admission-requests.ts';
import { configurationKey, KUSTOMIZATION, kubectl } from './installation.ts';
import { scratchFolder } from './rendered.ts';

describe('promtool', () => {
  let folder: Awaited<ReturnType<typeof scratchFolder>>;
  const pathOf = (name: string) => join(folder.path, name);

  before(async () => {
    folder = await scratchFolder();
    await writeFile(pathOf('rules.yaml'), JSON.stringify(RULE_FILE));
  });
  after(() => folder.remove());

  test('finds nothing wrong with the alerts', async () => {
    await promtool('check', 'rules', '--lint-fatal', pathOf('rules.yaml'));
  });

  for (const file of ALERT_TESTS) {
    test(`sees them fire and rest as ${basename(file)} says`, async () => {
      await copyFile(file, pathOf(basename(file)));
      await promtool('test', 'rules', pathOf(basename(file)));
    });
  }

  test('finds nothing wrong with what the dashboard asks', async () => {
    const targets = DASHBOARD.panels.flatMap(({ targets = [] }) => targets);
    const rules = targets.map((target, index) => ({ record: `panel:${index}`, expr: sentBy(target) }));
    await writeFile(pathOf('panels.yaml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    await promtool('check', 'rules', '--lint=none', pathOf('panels.yaml'));
  });
});

test('a real API server exports what is said of it, where nobody answers its calls', async (t) => {
  const cluster = await startControlPlane();
  t.after(() => cluster.stop());
  await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
  const labels = { 'rwo-guard.dev/mode': 'enforce' };
  await cluster.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'enforce', labels } });
  const write = (volumes?: readonly object[]) =>
    cluster.api.create(deployment('enforce', volumes && { volumes }), { dryRun: true });
  const exported = async () => samplesIn(await kubectl(cluster, 'get', '--raw', '/metrics'));
  const counts = async (metric: string) =>
    (await exported()).some(({ name, labels }) => name === metric && labels.name === 'enforce.rwo-guard.dev');

  await until('calls to be let through', async () => {
    await write();
    return counts('apiserver_admission_webhook_fail_open_count');
  });
  await write([]); // the conditions exclude it
  const fail = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' }];
  await cluster.api.patch(configurationKey('ValidatingWebhookConfiguration'), 'json', fail);
  await until('calls to be refused', async () => {
    await write().catch(() => {});
    return counts('apiserver_admission_webhook_rejection_count');
  });

  const found = new Set((await exported()).map(shapeOf));
  const ours = EXPORTED_ELSEWHERE.filter(({ name }) => name.startsWith('apiserver_') && name !== UNPROVOKED);
  assert.deepEqual(
    ours.map(shapeOf).filter((shape) => !found.has(shape)),
    [],
  );
});

/** Our expressions fail for no request that is known. */
const UNPROVOKED = 'apiserver_admission_match_condition_evaluation_errors_total';

/** The name of a metric with those of its labels. */
function shapeOf({ name, labels }: Sample): string {
  return `${name} ${Object.keys(labels).sort().join(' ')}`;
}
