import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RightRead } from '../../src/doctor/installation.ts';
import { neededRights, type Right } from '../../src/doctor/rights.ts';
import { rightsChecks } from '../../src/doctor/rights-checks.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { objectsAt, stringsAt } from '../../src/objects/json.ts';
import { manifestsOf, nameOf } from '../manifest-objects.ts';
import { installation, SETTINGS, told } from './installations.ts';

function without(missing: (right: Right) => boolean): readonly RightRead[] {
  return neededRights(SETTINGS).map((right) => ({ ...right, granted: known(!missing(right)) }));
}

test('what is missing of a role is told at once, with a command that grants it and no more', () => {
  const rights = without(({ resource, verb }) => resource === 'nodes' || (resource === 'jobs' && verb === 'get'));
  const [line, ...others] = told(rightsChecks(installation({ rights })));
  assert.deepEqual(others, []);
  const [says, fix = ''] = (line ?? '').split(' => ');
  assert.equal(
    says,
    'problem: rwo-guard/rwo-guard may not list, watch nodes; get jobs: what depends on them is judged as claim-unknown, and not denied',
  );
  const [, json = ''] = /^echo '(.*)' \| kubectl auth reconcile -f -$/.exec(fix) ?? [];
  const [role, binding] = JSON.parse(json).items;
  assert.deepEqual(role.rules, [
    { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get'] },
  ]);
  assert.deepEqual(
    [role.kind, binding.kind, binding.roleRef.name],
    ['ClusterRole', 'ClusterRoleBinding', 'rwo-guard-cluster-state'],
  );
});

test('a right within the namespace is granted there alone, by the name of its Secret', () => {
  const rights = without(({ resource, verb }) => resource === 'secrets' && verb !== 'create');
  const [line] = told(rightsChecks(installation({ rights })));
  assert.match(line ?? '', /may not get, update secrets rwo-guard-tls: certificates are not kept/);
  assert.match(
    line ?? '',
    /"kind":"Role","metadata":\{"name":"rwo-guard-serving-certificate","namespace":"rwo-guard"\}/,
  );
  assert.match(line ?? '', /"resourceNames":\["rwo-guard-tls"\],"verbs":\["get","update"\]/);
});

test('what nobody would tell us is not seen, a line for each role', () => {
  const rights = neededRights(SETTINGS).map((right) => ({ ...right, granted: unknown('you may not ask') }));
  const lines = told(rightsChecks(installation({ rights })));
  assert.equal(lines.length, 6);
  assert.equal(
    lines[0],
    'not-seen: what role rwo-guard-cluster-state is for: you may not ask => kubectl auth can-i --list --as=system:serviceaccount:rwo-guard:rwo-guard',
  );
});

test('what the audit does not do it needs no rights for', () => {
  const about = (audit: Partial<typeof SETTINGS.audit>) =>
    new Set(
      neededRights({ ...SETTINGS, audit: { ...SETTINGS.audit, ...audit } })
        .filter(({ role }) => role === 'rwo-guard-audit')
        .map(({ resource }) => resource),
    );
  assert.deepEqual(about({}), new Set(['leases', 'events', 'reports']));
  assert.deepEqual(about({ events: false }), new Set(['leases', 'reports']));
  assert.deepEqual(about({ openReports: false }), new Set(['leases', 'events']));
  assert.deepEqual(about({ enabled: false }), new Set());
});

test('with mounted certificates the server needs neither the Secret nor to patch', () => {
  const settings = { ...SETTINGS, certificates: { source: 'files', secretName: '' } } as const;
  const rights = neededRights(settings);
  assert.deepEqual(
    rights.filter(
      ({ resource, verb }) =>
        resource === 'secrets' || (verb === 'patch' && resource.endsWith('webhookconfigurations')),
    ),
    [],
  );
});

test('the rights that are looked for are those that the manifests grant', () => {
  const granted = [...manifestsOf('ClusterRole'), ...manifestsOf('Role')].flatMap((role) =>
    objectsAt(role, 'rules').flatMap((rule) =>
      stringsAt(rule, 'apiGroups').flatMap((group) =>
        stringsAt(rule, 'resources').flatMap((resource) =>
          stringsAt(rule, 'verbs').map((verb) =>
            [nameOf(role), group, resource, verb, ...stringsAt(rule, 'resourceNames')].join(' '),
          ),
        ),
      ),
    ),
  );
  const needed = neededRights(SETTINGS).map(({ role, group, resource, verb, name }) =>
    [role, group, resource, verb, ...(name === '' ? [] : [name])].join(' '),
  );
  assert.deepEqual([...needed].sort(), [...granted].sort());
});

test('what guards read is asked for where the settings name their configuration', () => {
  const [validating, mutating] = [['rwo-guard', 'rwo-guard-guards'], ['rwo-guard']];
  const rights = neededRights({ ...SETTINGS, webhookConfigurations: { validating, mutating } });
  assert.deepEqual(
    rights.filter(({ role }) => role === 'rwo-guard-guards').map(({ verb, resource }) => `${verb} ${resource}`),
    ['get nodes', 'list pods'],
  );
});
