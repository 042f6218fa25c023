import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from '../../src/admission/admission.ts';
import { claim, creating, deployment, enforcing, scene, settings } from './scene.ts';

const REASON = 'the release script scales to zero first';
const annotations = { 'rwo-guard.dev/ignore': `rollout-deadlock: ${REASON}` };
const exempt = deployment({}, { annotations });
const repairing = { ...enforcing, 'rwo-guard.dev/mutate': 'auto' };
const forbidding = settings({ policy: { dryRun: 'warn', existing: 'warn', exemptions: 'deny', overBudget: 'warn' } });

test('what exempts itself is allowed without a word to its user, and leaves rule and reason in the audit log', async () => {
  const { response, warnings, observation } = await scene({ labels: enforcing }).validate(creating(exempt));
  assert.deepEqual([response.allowed, warnings], [true, []]);
  assert.equal(response.auditAnnotations?.exempted, `web: rollout-deadlock: ${REASON}`);
  assert.deepEqual(observation.exempted, [{ name: 'web', rules: ['rollout-deadlock'], reason: REASON }]);
});

test('in audit mode it leaves the same, and in mode off nothing is judged', async () => {
  const of = (mode: string) => scene({ labels: { 'rwo-guard.dev/mode': mode } }).validate(creating(exempt));
  assert.equal((await of('audit')).response.auditAnnotations?.exempted, `web: rollout-deadlock: ${REASON}`);
  assert.equal((await of('off')).response.auditAnnotations?.exempted, undefined);
});

test('an exemption from what is not found leaves no trace', async () => {
  const recreated = deployment({ strategy: { type: 'Recreate' } }, { annotations });
  const { response, observation } = await scene({ labels: enforcing }).validate(creating(recreated));
  assert.deepEqual([response.auditAnnotations, observation.exempted], [{ mode: 'enforce' }, []]);
});

test('a workload that is not repaired because it exempts itself leaves the same', async () => {
  const { response, observation } = await scene({ labels: repairing }).mutate(creating(exempt));
  assert.equal(response.patch, undefined);
  assert.equal(response.auditAnnotations?.exempted, `web: rollout-deadlock: ${REASON}`);
  assert.deepEqual([observation.verdict, rulesOf(observation)], ['allow', ['rollout-deadlock']]);
});

for (const [whose, workload, arriving] of [
  ['the workload', exempt, claim('late')],
  ['the claim', deployment(), claim('late', {}, { annotations })],
] as const) {
  test(`a claim whose arrival completes what ${whose} exempts leaves a trace`, async () => {
    const here = scene({ labels: enforcing });
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'late' } }];
    const { metadata } = workload;
    here.add({ ...deployment({}, {}, { volumes }), metadata });
    const { response, observation } = await here.validate(creating(arriving));
    assert.equal(response.allowed, true);
    assert.match(response.auditAnnotations?.exempted ?? '', new RegExp(`: rollout-deadlock: ${REASON}$`));
    assert.deepEqual(rulesOf(observation), ['rollout-deadlock']);
  });
}

test('where exemptions are forbidden the annotation does not count, and a warning says so', async () => {
  const here = scene({ labels: enforcing, settings: forbidding });
  const { response, warnings, observation } = await here.validate(creating(exempt));
  assert.equal(response.allowed, false);
  assert.deepEqual(warnings, ['rwo-guard.dev/ignore does not count: exemptions are forbidden in this cluster']);
  assert.deepEqual(observation.exempted, []);
});

test('where exemptions are forbidden a repair is made in spite of them', async () => {
  const { observation } = await scene({ labels: repairing, settings: forbidding }).mutate(creating(exempt));
  assert.deepEqual(observation.mutations, ['recreate']);
});

test('neither a reason nor a name brings into the audit log what nobody can see', async () => {
  const hidden = { 'rwo-guard.dev/ignore': 'rollout-deadlock: \u202eknown\u2028\u200b; mode: off\ud800' };
  const { response } = await scene({ labels: enforcing }).validate(creating(deployment({}, { annotations: hidden })));
  assert.equal(response.auditAnnotations?.exempted, 'web: rollout-deadlock:  known ; mode: off ');
});

function rulesOf({ exempted }: Observation): readonly string[] {
  return exempted.flatMap(({ rules }) => rules);
}
