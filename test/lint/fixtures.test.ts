import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdmission } from '../../src/admission/admit.ts';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { metadataFrom } from '../../src/objects/metadata.ts';
import { rules } from '../../src/rules/index.ts';
import { creating, updating } from '../admission/scene.ts';
import { everyFixture, FIXTURES, type Fixture, fixture } from '../fixtures.ts';
import { lintIn, type PrintedFinding } from './linted.ts';

/** What the webhook says to a request, in the cluster that the fixture's objects make. */
async function admitted({ state }: Fixture, request: object): Promise<readonly string[]> {
  const admission = createAdmission({
    snapshot: state,
    matrix: storageMatrix(),
    rules,
    lookUp: async () => [],
    recent: new RecentRequests(() => 0),
    settings: {
      defaultMode: 'warn',
      policy: { dryRun: 'warn', existing: 'warn', exemptions: 'allow', overBudget: 'warn' },
      exempt: { namespaces: [], users: [], autoscalers: [] },
    },
  });
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const { observation } = await admission.validate(body, AbortSignal.timeout(5_000));
  return observation.findings.map(({ rule, severity }) => `${rule} ${severity}`).sort();
}

/** What lint says of that object, where it takes for unknown what the webhook takes for unknown. */
async function linted(file: string, { subject, line }: Fixture): Promise<readonly string[]> {
  const { printed } = await lintIn(FIXTURES.pathname, { paths: [file], assumeAttach: 'unknown' });
  const { namespace, name } = metadataFrom(subject);
  const isSubject = ({ resource, line: at }: Pick<PrintedFinding, 'resource' | 'line'>): boolean =>
    at >= line && resource.kind === subject.kind && resource.namespace === namespace && resource.name === name;
  return [
    ...printed.findings
      .filter(isSubject)
      .flatMap(({ rule, also = [], severity }) => [rule, ...also].map((id) => `${id} ${severity}`)),
    ...printed.inconclusive.filter(isSubject).map(({ rule }) => `${rule} info`),
  ].sort();
}

for (const { rule, verdict, name, file } of everyFixture()) {
  const given = fixture(rule, verdict, name);
  const { subject, previous } = given;

  test(`${rule}, ${verdict}: the webhook judges ${name} as its folder says`, async () => {
    const found = await admitted(given, previous === undefined ? creating(subject) : updating(previous, subject));
    const ids = found.map((text) => text.split(' ')[0]);
    assert.equal(ids.includes(rule), verdict === 'fail', ids.join());
    assert.ok(verdict !== 'inconclusive' || ids.includes('claim-unknown'), ids.join());
  });

  test(`${rule}, ${verdict}: lint judges ${name} as the webhook judges its creation`, async () => {
    assert.deepEqual(await linted(file, given), await admitted(given, creating(subject)));
  });
}
