import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAnswer, notJudgedAs, plannedProbes } from '../../src/doctor/probe.ts';
import { known } from '../../src/objects/fact.ts';
import { installation, namespace, SETTINGS } from './installations.ts';

const MODE = 'rwo-guard.dev/mode';

test('each entry is asked where it is called and where its answer shows, three times at most', () => {
  const namespaces = known([
    namespace('silent', { [MODE]: 'audit' }),
    namespace('exempt', { [MODE]: 'enforce' }),
    ...['a', 'b', 'c', 'd'].map((name) => namespace(name, { [MODE]: 'enforce' })),
    namespace('repaired', { [MODE]: 'audit', 'rwo-guard.dev/mutate': 'auto' }),
  ]);
  const planned = plannedProbes(installation({ namespaces, settings: { ...SETTINGS, exemptNamespaces: ['exempt'] } }));
  const places = [...planned].map(([entry, probes]) => [entry, probes.map((probe) => probe.namespace).join()]);
  assert.deepEqual(places, [
    ['enforce.rwo-guard.dev', 'a,b,c'],
    ['advise.rwo-guard.dev', 'a,b,c'], // the builder's selector takes them all
    ['mutate.rwo-guard.dev', 'repaired'],
  ]);
});

test('a warning of somebody else is no answer', () => {
  const probe = { entry: 'enforce.rwo-guard.dev', namespace: 'shop' } as const;
  assert.ok(isAnswer(probe, ['x', 'rwo-guard.dev/ignore does not count: write "<rule>: <reason>"']));
  assert.ok(!isAnswer(probe, ['would violate PodSecurity']));
});

test('whose requests are never judged cannot see whether others are', () => {
  const none = { username: 'jane', groups: ['developers'] };
  assert.equal(notJudgedAs(none, ['velero']), undefined);
  assert.match(notJudgedAs(none, ['ja*']) ?? '', /exempt/);
  for (const system of [
    { ...none, groups: ['system:serviceaccounts:kube-system'] },
    { ...none, groups: ['system:nodes'] },
    { ...none, username: 'system:apiserver' },
    { ...none, username: 'system:kube-scheduler' },
  ])
    assert.match(notJudgedAs(system, []) ?? '', /never judged/);
});
