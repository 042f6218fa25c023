import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { V1ClusterRole, V1ClusterRoleBinding, V1PolicyRule } from '@kubernetes/client-node';
import type { AuditEvent } from '../control-plane/audit-log.ts';
import { until } from '../control-plane/until.ts';
import { openReportsCrd } from '../openreports/crd.ts';
import type { DeployedGuard } from './deployed-guard.ts';
import { type InstalledCluster, installIn } from './installed-cluster.ts';
import { type OtherKind, workload } from './kind-manifests.ts';
import { claim, cluster as clusterManifest, deployment, documents, lines, volume } from './webhook-manifests.ts';

const ELSEWHERE = 'elsewhere';
const ACCOUNT = { kind: 'ServiceAccount', namespace: ELSEWHERE, name: 'rwo-guard' };
const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };

let installed: InstalledCluster;
let guard: DeployedGuard;
/** So many requests were made while the roles lacked something. */
let refusedOnPurpose = 0;

before(async () => {
  const policy = join(import.meta.dirname, 'service-account-audit.yaml');
  const flags = { 'kube-apiserver': [`--audit-policy-file=${policy}`] };
  installed = await installIn(ELSEWHERE, [], { shop: {} }, { auditLog: true, flags });
});

after(async () => {
  await guard.stop();
  await installed.cluster.stop();
});

test('what may not be listed is asked for by name', async () => {
  await withoutLists();
  guard = await installed.start();
  const claims = documents(volume('shop'), boundClaim(), claim('shop', 'unbound'));
  const workloads = documents(deployment('shop'), deployment('shop', { name: 'waits', claim: 'unbound' }));
  await installed.typed(documents(clusterManifest(), claims, workloads), 'apply', '-f', '-');
  for (const kind of ['Deployment', 'StatefulSet', 'ReplicaSet']) await createAndScale(kind);
  await createBeforeTheirClaim(['DaemonSet', 'Job', 'CronJob']);
  await guard.stop();
  refusedOnPurpose = (await askedFor()).length;
});

test('with the roles as they are installed, a Secret that somebody deletes is made again', async () => {
  await installed.reinstall();
  guard = await installed.start();
  await installed.typed('', '--namespace', ELSEWHERE, 'delete', 'secret', 'rwo-guard-tls');
  await until('it is there', async () =>
    (await askedFor()).some(({ verb, objectRef }) => verb === 'create' && objectRef?.resource === 'secrets'),
  );
});

test('the audit tells of what is wrong, and of its end, also where its Lease was deleted', async () => {
  const { typed } = installed;
  await typed('', 'apply', '-f', await openReportsCrd());
  await typed('', '--namespace', ELSEWHERE, 'delete', 'lease', 'rwo-guard-audit');
  await typed(claim('shop', 'own'), 'apply', '-f', '-');
  for (const isMended of [false, true, false]) {
    const strategy = isMended ? ['type: Recreate'] : [];
    await typed(deployment('shop', { name: 'own', claim: 'own', strategy }), 'apply', '-f', '-');
    await until(`a Report ${isMended ? 'to go' : 'to come'}`, async () => isMended !== (await isReported()));
  }
  await until('its Event to be one of a series', async () =>
    (await askedFor()).some(({ verb, objectRef }) => verb === 'patch' && objectRef?.resource === 'events'),
  );
});

test('every right that the roles give was used by now, and nothing was refused under them', async () => {
  const asked = await askedFor();
  const refused = asked.slice(refusedOnPurpose).filter(({ responseStatus }) => responseStatus?.code === 403);
  assert.deepEqual(refused, []);
  const used = new Set(asked.flatMap((event) => rightsOf(event)));
  const given = (await rulesOfTheAccount()).flatMap(rightsGivenBy);
  assert.deepEqual(
    given.filter((right) => !used.has(right)),
    [],
  );
  assert.ok(given.length > 30, 'the roles were found');
});

test('pods and attachments are in no role of the plain installation', async () => {
  const resources = (await rulesOfTheAccount()).flatMap(({ resources = [] }) => resources);
  for (const resource of ['pods', 'volumeattachments']) assert.ok(!resources.includes(resource));
});

test('without its role the audit waits, and reviews are answered as ever', async () => {
  await guard.stop();
  for (const [kind, scope] of [
    ['ClusterRoleBinding', {}],
    ['RoleBinding', { namespace: ELSEWHERE }],
  ] as const) {
    await installed.cluster.api.delete({ ...RBAC, kind, ...scope, name: 'rwo-guard-audit' });
  }
  guard = await installed.start();
  await until('it is told', async () =>
    guard.replicas.every((replica) => replica.log().includes('the lease of the audit cannot be had')),
  );
  assert.match((await guard.replicas[0]?.metrics()) ?? '', /^rwo_guard_audit_errors_total\{what="lease"\} [1-9]/m);
});

/** Whether there is a Report of Deployment shop/own. */
async function isReported(): Promise<boolean> {
  const key = {
    apiVersion: 'openreports.io/v1alpha1',
    kind: 'Report',
    namespace: 'shop',
    name: 'rwo-guard-deployment-own',
  };
  return (await installed.cluster.api.find(key)) !== undefined;
}

async function askedFor(): Promise<readonly AuditEvent[]> {
  const events = await installed.cluster.auditEvents();
  return events.filter(({ user }) => user.username === `system:serviceaccount:${ELSEWHERE}:rwo-guard`);
}

/** By name, and as any of its kind. Server-side apply of what is not there yet takes the right to create it too. */
function rightsOf({ verb, objectRef, responseStatus }: AuditEvent): readonly string[] {
  const verbs = verb === 'patch' && responseStatus?.code === 201 ? [verb, 'create'] : [verb];
  return verbs.flatMap((one) => {
    const right = `${one} ${objectRef?.apiGroup ?? ''}/${objectRef?.resource}`;
    return [right, `${right} ${objectRef?.name}`];
  });
}

function rightsGivenBy({ apiGroups = [], resources = [], resourceNames = [], verbs }: V1PolicyRule): readonly string[] {
  const names = resourceNames.length === 0 ? [''] : resourceNames.map((name) => ` ${name}`);
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => names.map((name) => `${verb} ${group}/${resource}${name}`)),
    ),
  );
}

/** Of the roles that are bound to the account itself. What every account may do, discovery for one, it does not use. */
async function rulesOfTheAccount(): Promise<readonly V1PolicyRule[]> {
  const { api } = installed.cluster;
  const rules: V1PolicyRule[] = [];
  for (const scope of [{}, { namespace: ELSEWHERE }]) {
    const kind = 'namespace' in scope ? 'RoleBinding' : 'ClusterRoleBinding';
    for (const { roleRef, subjects = [] } of await api.list<V1ClusterRoleBinding>({ ...RBAC, kind }, scope)) {
      if (!subjects.some(({ kind, namespace, name }) => isAccount({ kind, namespace: namespace ?? '', name })))
        continue;
      const role = await api.get<V1ClusterRole>({ ...RBAC, kind: roleRef.kind, ...scope, name: roleRef.name });
      rules.push(...(role.rules ?? []));
    }
  }
  return rules;
}

function isAccount(subject: typeof ACCOUNT): boolean {
  return JSON.stringify(subject) === JSON.stringify(ACCOUNT);
}

/** Leaves `get` alone of the rights to what can be asked for by name. */
async function withoutLists(): Promise<void> {
  const key = { ...RBAC, kind: 'ClusterRole', name: 'rwo-guard-cluster-state' };
  const { rules = [] } = await installed.cluster.api.get<V1ClusterRole>(key);
  const less = rules.map((rule) => (rule.verbs.includes('get') ? { ...rule, verbs: ['get'] } : rule));
  await installed.cluster.api.patch(key, 'merge', { rules: less });
}

async function createAndScale(kind: string): Promise<void> {
  const { api } = installed.cluster;
  const labels = { app: 'web' };
  const template = {
    metadata: { labels },
    spec: {
      containers: [{ name: 'web', image: 'web:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  };
  const metadata = { namespace: 'shop', name: 'scaled' };
  const spec = { selector: { matchLabels: labels }, template };
  await api.create({ apiVersion: 'apps/v1', kind, metadata, ...{ spec } });
  await api.patch(
    { apiVersion: 'apps/v1', kind, ...metadata },
    'merge',
    { spec: { replicas: 2 } },
    { subresource: 'scale' },
  );
}

/** What waits for a claim is read again before the claim is judged. */
async function createBeforeTheirClaim(kinds: readonly OtherKind[]): Promise<void> {
  const workloads = kinds.map((kind) => workload(kind, 'shop', { name: 'early', claim: 'late', pods: 1 }));
  await installed.typed(documents(...workloads, claim('shop', 'late')), 'apply', '-f', '-');
}

/** A claim that says which volume it is bound to, which has a class, which has a driver. */
function boundClaim(): string {
  return lines(
    'apiVersion: v1',
    'kind: PersistentVolumeClaim',
    'metadata: { namespace: shop, name: data }',
    'spec:',
    '  volumeName: shop-data',
    '  storageClassName: disk',
    '  accessModes: [ReadWriteOnce]',
    '  resources: { requests: { storage: 1Gi } }',
  );
}
