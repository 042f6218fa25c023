import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { type HelmVersion, helmProgram } from '../helm/helm.ts';
import { doctor, typed } from './doctor-commands.ts';
import { configurationKey } from './installation.ts';
import { wayToInstall } from './ways-to-install.ts';

const INSTALLATION = { namespace: 'rwo-guard', components: [] };
const ABSENT = / does not exist: /;

let cluster: ControlPlane;

before(async () => {
  cluster = await startControlPlane();
});

after(() => cluster.stop());

for (const [way, version] of [
  ['Helm 3', 'v3'],
  ['Helm 4', 'v4'],
] satisfies readonly (readonly [Parameters<typeof wayToInstall>[0], HelmVersion])[]) {
  test(`what somebody deleted of a release of ${way}, the command that is printed puts back`, async () => {
    const tool = await wayToInstall(way, cluster);
    await tool.install(INSTALLATION);
    await tool.install(INSTALLATION);
    await cluster.api.delete(configurationKey('ValidatingWebhookConfiguration'));
    await cluster.api.delete({ apiVersion: 'v1', kind: 'Service', namespace: 'rwo-guard', name: 'rwo-guard' });
    const missing = (await doctor(cluster)).problems.filter(({ says }) => ABSENT.test(says));
    assert.equal(missing.length, 2);
    await typed(missing[0]?.fix ?? '', cluster, await helmProgram(version));
    const { problems } = await doctor(cluster);
    assert.ok(problems.length > 0, 'no server runs');
    assert.deepEqual(
      problems.filter(({ says }) => ABSENT.test(says)),
      [],
    );
    await tool.uninstall(INSTALLATION);
  });
}
