import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAdmission } from '../../src/admission/admit.ts';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { metadataFrom } from '../../src/facts/metadata.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { rules } from '../../src/rules/index.ts';
import { creating } from '../admission/scene.ts';
import { FIXTURES, type Fixture, fixture, fixtureNames, type Verdict } from '../fixtures.ts';
import { lintIn } from './linted.ts';

const VERDICTS: readonly Verdict[] = ['pass', 'fail', 'inconclusive'];

/** What the webhook says to the creation of the fixture's last object, in the cluster that the others make. */
async function admitted({ state, subject }: Fixture): Promise<readonly string[]> {
  const admission = createAdmission({
    snapshot: state,
    matrix: storageMatrix(),
    rules,
    lookUp: async () => [],
    recent: new RecentRequests(() => 0),
    settings: {
      defaultMode: 'warn',
      policy: { dryRun: 'warn', existing: 'warn' },
      exempt: { namespaces: [], users: [], autoscalers: [] },
    },
  });
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: creating(subject) };
  const { observation } = await admission.validate(body, AbortSignal.timeout(5_000));
  return observation.findings.map(({ rule, severity }) => `${rule} ${severity}`).sort();
}

/** What lint says of that object, where it takes for unknown what the webhook takes for unknown. */
async function linted(file: string, { subject }: Fixture): Promise<readonly string[]> {
  const { printed } = await lintIn(FIXTURES.pathname, { paths: [file], assumeAttach: 'unknown' });
  const { namespace, name } = metadataFrom(subject);
  const isSubject = ({ resource }: { readonly resource: Readonly<Record<string, string>> }): boolean =>
    resource.kind === subject.kind && resource.namespace === namespace && resource.name === name;
  return [
    ...printed.findings.filter(isSubject).map(({ rule, severity }) => `${rule} ${severity}`),
    ...printed.inconclusive.filter(isSubject).map(({ rule }) => `${rule} info`),
  ].sort();
}

for (const { meta } of rules) {
  for (const verdict of VERDICTS) {
    for (const name of fixtureNames(meta.id, verdict)) {
      test(`${meta.id}, ${verdict}: lint judges ${name} as the webhook does and as its folder says`, async () => {
        const given = fixture(meta.id, verdict, name);
        const found = await linted(join(meta.id, verdict, `${name}.yaml`), given);
        assert.deepEqual(found, await admitted(given));
        const ids = found.map((text) => text.split(' ')[0]);
        assert.equal(ids.includes(meta.id), verdict === 'fail');
        assert.ok(verdict !== 'inconclusive' || ids.includes('claim-unknown'));
      });
    }
  }
}
