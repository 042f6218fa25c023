import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceChecks } from '../../src/doctor/namespace-checks.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { configurations, entry, installation, namespace, SETTINGS, told } from './installations.ts';

const MODE = 'rwo-guard.dev/mode';
const MUTATE = 'rwo-guard.dev/mutate';

function toldOf(labels: Readonly<Record<string, string>>, more: Parameters<typeof installation>[0] = {}) {
  return told(namespaceChecks(installation({ namespaces: known([namespace('shop', labels)]), ...more })));
}

test('the namespaces of each mode are listed, and many are counted', () => {
  const many = Array.from({ length: 12 }, (_, n) => namespace(`n${n}`, { [MODE]: 'enforce' }));
  const others = [namespace('a', { [MODE]: 'off' }), namespace('b', { [MUTATE]: 'auto' }), namespace('c')];
  const { checks } = namespaceChecks(installation({ namespaces: known([...many, ...others]) }));
  assert.deepEqual(
    checks.map(({ says }) => says),
    ['enforce: n0, n1, n2, n3, n4, n5, n6, n7 and 4 more', 'off: a', '2 without the label: warn', 'repaired: b'],
  );
});

const OVERWRITE = 'kubectl label namespace shop --overwrite';

for (const { labels, says } of [
  {
    labels: { [MODE]: 'of' },
    says: `label ${MODE}=of, which is none of enforce, warn, audit, off, did you mean off? => ${OVERWRITE} ${MODE}=off`,
  },
  {
    labels: { [MODE]: 'strict' },
    says: `label ${MODE}=strict, which is none of enforce, warn, audit, off => kubectl label namespace shop ${MODE}-`,
  },
  {
    labels: { [MUTATE]: 'Recreate' },
    says: `label ${MUTATE}=Recreate, which is none of recreate, pod-affinity, auto, did you mean recreate? => ${OVERWRITE} ${MUTATE}=recreate`,
  },
  {
    labels: { 'rwo-guard.dev/mod': 'enforce' },
    says: `label rwo-guard.dev/mod=enforce, which says nothing, did you mean ${MODE}? => ${OVERWRITE} ${MODE}=enforce rwo-guard.dev/mod-`,
  },
  {
    labels: { 'rwoguard.dev/mutate': 'auto' },
    says: `label rwoguard.dev/mutate=auto, which says nothing, did you mean ${MUTATE}? => ${OVERWRITE} ${MUTATE}=auto rwoguard.dev/mutate-`,
  },
  {
    labels: { 'rwo-guard/mode': 'maybe' },
    says: `label rwo-guard/mode=maybe, which says nothing, did you mean ${MODE}? => kubectl label namespace shop rwo-guard/mode-`,
  },
]) {
  test(`${Object.entries(labels).join()} is told as a problem`, () => {
    assert.deepEqual(toldOf(labels), [`problem: namespace shop has ${says}`]);
  });
}

test('a label of ours that there is not is told where nobody can guess what was meant', () => {
  assert.deepEqual(toldOf({ 'rwo-guard.dev/severity': 'high' }), [
    'warning: namespace shop has label rwo-guard.dev/severity=high, which says nothing => kubectl label namespace shop rwo-guard.dev/severity-',
  ]);
});

test('labels of others are left alone', () => {
  assert.deepEqual(
    toldOf({
      mode: 'of',
      'example.com/mode': 'of',
      'rwo-guard.example.com/note': 'of',
      'pod-security.kubernetes.io/enforce': 'x',
    }),
    [],
  );
});

test('an annotation in place of the label is told', () => {
  const namespaces = known([namespace('shop', {}, { [MODE]: 'enforce' })]);
  assert.deepEqual(told(namespaceChecks(installation({ namespaces }))), [
    `problem: namespace shop has ${MODE} as an annotation, where only a label counts => ${OVERWRITE} ${MODE}=enforce && kubectl annotate namespace shop ${MODE}-`,
  ]);
});

test('a label that the webhooks or the settings leave without effect is told', () => {
  const settings = { ...SETTINGS, exemptNamespaces: ['sh*'] };
  assert.deepEqual(toldOf({ [MODE]: 'enforce' }, { settings }), [
    `warning: namespace shop is labelled enforce, and exemptNamespaces exempts it => kubectl label namespace shop ${MODE}-`,
  ]);
  assert.deepEqual(toldOf({ [MODE]: 'off', [MUTATE]: 'auto' }), [
    `warning: namespace shop asks for repairs, and its mode is off => kubectl label namespace shop ${MUTATE}-`,
  ]);
});

test('an annotation beside the label does no harm', () => {
  const namespaces = known([namespace('shop', { [MODE]: 'enforce' }, { [MODE]: 'enforce' })]);
  assert.deepEqual(told(namespaceChecks(installation({ namespaces }))), []);
});

test('a namespace that the webhooks leave out, and that is labelled enforce, is told', () => {
  const inForce = { key: MODE, operator: 'In', values: ['enforce'] } as const;
  const leftOut = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] } as const;
  const selective = configurations([entry('enforce.rwo-guard.dev', { namespaceSelector: [inForce, leftOut] })]);
  assert.deepEqual(toldOf({ [MODE]: 'enforce' }, { configurations: selective }), [
    `warning: namespace shop is labelled enforce, and the webhooks leave it out => kubectl label namespace shop ${MODE}-`,
  ]);
});

test('namespaces that may not be listed are not seen', () => {
  const because = 'the list of namespaces may not be read: permission missing';
  assert.deepEqual(told(namespaceChecks(installation({ namespaces: unknown(because) }))), [`not-seen: ${because}`]);
});
