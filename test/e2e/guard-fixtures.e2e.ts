import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { isObject, type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';
import { metadataFrom } from '../../src/objects/metadata.ts';
import { guards } from '../../src/rules/index.ts';
import type { Answer, KubernetesApi } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { everyFixture, FIXTURES } from '../fixtures.ts';
import { type Act, guardFixture } from '../guard-fixtures.ts';
import type { DeployedGuard } from './deployed-guard.ts';
import type { WebhookConfiguration } from './installation.ts';
import { type InstalledCluster, installIn } from './installed-cluster.ts';

const COMPONENTS_FOLDER = join(import.meta.dirname, '../../manifests/kustomize/components');
const FILES = [
  'guards/validating-webhook.yaml',
  'guards/mutating-webhook.yaml',
  'unfenced-force-delete/validating-webhook.yaml',
];

const MASTERS = ['system:authenticated', 'system:masters'];

/** What makes a cluster is no business of guards: it is done as Kubernetes' own controllers do things. */
const CONTROLLER = {
  user: 'system:serviceaccount:kube-system:maker',
  groups: ['system:serviceaccounts:kube-system', ...MASTERS],
};

describe('the fixtures of guards, in a real cluster with the webhooks in force', { concurrency: false }, () => {
  let installed: InstalledCluster;
  let guard: DeployedGuard;
  let maker: KubernetesApi;

  before(async () => {
    // Without controllers nobody takes the finalizers away, and nobody finds the nodes ready.
    const plugins = '--disable-admission-plugins=StorageObjectInUseProtection,TaintNodesByCondition';
    const namespaces = { shop: {}, bar: {} };
    const flags = { 'kube-apiserver': [plugins] };
    installed = await installIn('rwo-guard', ['guards', 'unfenced-force-delete'], namespaces, { flags });
    maker = installed.cluster.apiAs(CONTROLLER);
    guard = await installed.start();
    for (const rule of ['out-of-service-ready-node/ready-node', 'unfenced-force-delete/no-answer']) {
      const [id = '', name = ''] = rule.split('/');
      await judged(guardFixture(id, 'fail', name), async (ids) => ids.includes(id));
    }
  });

  after(async () => {
    await maker?.close();
    await guard?.stop();
    await installed?.cluster.stop();
  });

  for (const { rule, verdict, name, file } of everyFixture(FIXTURES, guards)) {
    test(`${file} is judged as its folder says`, async () => {
      const expected = { pass: [], fail: [rule], inconclusive: ['claim-unknown'] }[verdict];
      await judged(guardFixture(rule, verdict, name), async (ids) => {
        assert.deepEqual(ids, expected);
        return true;
      });
    });
  }

  test('the API server adds nothing to the webhooks of guards that the manifests do not say', async () => {
    for (const file of FILES) {
      const written = parse(readFileSync(join(COMPONENTS_FOLDER, file), 'utf8'));
      const { apiVersion, kind, metadata } = written;
      const { webhooks } = await maker.get<WebhookConfiguration>({ apiVersion, kind, name: metadata.name });
      const withoutBundle = JSON.parse(
        JSON.stringify(webhooks, (key, value) => (key === 'caBundle' ? undefined : value)),
      );
      assert.deepEqual(withoutBundle, written.webhooks);
    }
  });

  /** Makes the cluster of a fixture, asks until what is said of it holds, and takes it away again. */
  async function judged(
    { objects, act }: ReturnType<typeof guardFixture>,
    holds: (ids: readonly string[]) => Promise<boolean>,
  ): Promise<void> {
    try {
      for (const object of objects) await put(object);
      await until('it is judged', async () => holds(await idsFor(act)), { timeoutMs: 10_000 });
    } finally {
      for (const object of objects) await remove(object);
    }
  }

  async function put(object: JsonObject): Promise<void> {
    const { body } = await accepted(maker, 'POST', `${collectionOf(object)}?fieldValidation=Strict`, object);
    if (object.status === undefined) return;
    const status = { ...object, metadata: body.metadata };
    await accepted(maker, 'PUT', `${pathOf(object)}/status?fieldValidation=Strict`, status);
  }

  async function remove(object: JsonObject): Promise<void> {
    const { status } = await maker.request('DELETE', pathOf(object), { gracePeriodSeconds: 0 });
    assert.ok(status < 300 || status === 404, `${String(object.kind)}: ${status}`);
    if (metadataOf(object).finalizers === undefined) return;
    await maker.request('PATCH', pathOf(object), { metadata: { finalizers: null } }, 'application/merge-patch+json');
  }

  /** The rules that somebody is warned of who only asks what would become of it. */
  async function idsFor({ operation, target, patch, options, user = 'jane' }: Act): Promise<readonly string[]> {
    const api = installed.cluster.apiAs({ user, groups: MASTERS });
    try {
      const path = `${pathOf(target)}?dryRun=All`;
      const { warnings } =
        operation === 'DELETE'
          ? await accepted(api, 'DELETE', path, { ...options, dryRun: ['All'] })
          : await accepted(api, 'PATCH', path, patch, 'application/merge-patch+json');
      return warnings.flatMap((warning) => /\[([a-z-]+)\]$/.exec(warning)?.[1] ?? []);
    } finally {
      await api.close();
    }
  }
});

async function accepted(
  api: KubernetesApi,
  ...request: Parameters<KubernetesApi['request']>
): Promise<Answer<JsonObject>> {
  const answer = await api.request<JsonObject>(...request);
  assert.ok(
    answer.status < 300,
    `${request.slice(0, 2).join(' ')}: ${answer.status} ${stringAt(answer.body, 'message')}`,
  );
  return answer;
}

function metadataOf(object: JsonObject): JsonObject {
  return objectAt(object, 'metadata') ?? {};
}

function pathOf(object: JsonObject): string {
  return `${collectionOf(object)}/${metadataFrom(object).name}`;
}

function collectionOf(object: JsonObject): string {
  assert.ok(isObject(object));
  const { namespace } = metadataFrom(object);
  const apiVersion = stringAt(object, 'apiVersion') ?? '';
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = `${(stringAt(object, 'kind') ?? '').toLowerCase()}s`;
  return `${root}${namespace === '' ? '' : `/namespaces/${namespace}`}/${plural}`;
}
