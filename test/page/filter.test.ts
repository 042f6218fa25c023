import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choices, EVERYTHING, matching, NONE, searchable, type Wanted } from '../../src/page/filter.ts';
import { pageData } from '../../src/report/html/page-data.ts';
import { claimShared } from '../../src/rules/claim-shared.ts';
import { findingOf, reportOf } from '../report/reports.ts';

const inNamespace = (namespace: string, name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace,
  name,
});
const { findings } = pageData(
  reportOf({
    findings: [
      findingOf({ fingerprint: 'web', claims: ['postgres-data'], now: { state: 'struck', because: '' } }),
      findingOf({ fingerprint: 'mail', severity: 'warning', resource: inNamespace('mail', 'smtp') }),
      findingOf({ fingerprint: 'nowhere', namespaceAssumed: true, also: [claimShared.meta] }),
    ],
  }),
  '1.2.3',
);
const all = findings.shown.map(searchable);

for (const { wanted, finds } of [
  { wanted: {}, finds: ['web', 'nowhere', 'mail'] },
  { wanted: { text: 'shop/web' }, finds: ['web'] },
  { wanted: { text: 'POSTGRES' }, finds: ['web'] },
  { wanted: { text: '  deadlock   mail ' }, finds: ['mail'] },
  { wanted: { text: 'web.yaml:12' }, finds: ['web', 'nowhere', 'mail'] },
  { wanted: { text: 'nothing like that' }, finds: [] },
  { wanted: { severity: 'warning' }, finds: ['mail'] },
  { wanted: { namespace: 'shop' }, finds: ['web'] },
  { wanted: { namespace: NONE }, finds: ['nowhere'] },
  { wanted: { now: 'struck' }, finds: ['web'] },
  { wanted: { rule: 'claim-shared' }, finds: ['nowhere'] },
  { wanted: { severity: 'error', text: 'mail' }, finds: [] },
] as const satisfies readonly { readonly wanted: Partial<Wanted>; readonly finds: readonly string[] }[]) {
  test(`${JSON.stringify(wanted)} finds ${finds.join(', ') || 'nothing'}`, () => {
    const found = matching(all, { ...EVERYTHING, ...wanted }).map(({ fingerprint }) => fingerprint);
    assert.deepEqual(found, finds);
  });
}

test('what can be chosen is told with how often it is there', () => {
  assert.deepEqual(choices(['shop', undefined, 'mail', 'shop']), [
    [NONE, 1],
    ['mail', 1],
    ['shop', 2],
  ]);
});
