import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, hasRoomFor, toResponse } from '../../src/admission/response.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { claim, creating, deployment, enforcing, scene } from './scene.ts';

const LONG = '\u202e💾"\\'.repeat(500_000);

test('whatever an answer is made of, it has at most 64 KB, and nothing in it that nobody can see', () => {
  const told = {
    warnings: Array.from({ length: 10_000 }, (_, n) => `${n} ${LONG.slice(0, 5_000)}`),
    annotations: { mode: LONG, findings: LONG, exempted: LONG, skipped: LONG },
  };
  const patch = [{ op: 'add' as const, path: '/spec', value: 'x'.repeat(20_000) }];
  const answers: readonly Answer[] = [
    { verdict: 'allow', ...told },
    { verdict: 'deny', message: [LONG, LONG], ...told },
    { verdict: 'mutate', patch, ...told },
  ];
  for (const answer of answers) {
    const review = toResponse('u', answer);
    const text = JSON.stringify(review);
    assert.ok(Buffer.byteLength(text) <= 64 * 1024, `${Buffer.byteLength(text)}`);
    assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    const { warnings = [], status } = review.response;
    assert.ok(Buffer.byteLength(warnings.join('')) <= 4_096);
    assert.ok(Buffer.byteLength(status?.message ?? '') <= 2_048);
  }
});

test('a patch that would make the answer too long has no room', () => {
  const patch = (value: unknown) => [{ op: 'add', path: '/spec', value }] as const;
  assert.equal(hasRoomFor(patch('x'.repeat(20_000))), true);
  assert.equal(hasRoomFor(patch('x'.repeat(30_000))), false);
  assert.equal(hasRoomFor(patch('\u0000'.repeat(5_000))), false);
  assert.equal(hasRoomFor(patch(Array.from({ length: 5_000 }, () => ({})))), false);
  assert.equal(hasRoomFor(patch(JSON.parse('['.repeat(1_000) + ']'.repeat(1_000)))), false);
});

test('an object of thousands of claims that are not there is answered in a few lines', async () => {
  const volumes = Array.from({ length: 2_000 }, (_, n) => ({
    name: `v${n}`,
    persistentVolumeClaim: { claimName: `${'n'.repeat(240)}-${n}` },
  }));
  const { response, warnings } = await scene().validate(creating(deployment({}, {}, { volumes })));
  assert.ok(Buffer.byteLength(JSON.stringify(response)) < 16 * 1024);
  assert.match(warnings.at(-1) ?? '', /^… and \d+ more$/);
});

test('the same users of a claim are told in whatever order they were watched', async () => {
  const told = async (names: readonly string[]): Promise<readonly string[]> => {
    const here = scene();
    for (const name of names) here.add(named(name));
    return (await here.validate(creating(deployment()))).warnings;
  };
  const names = Array.from({ length: 40 }, (_, n) => `user-${n}`);
  const inOrder = await told(names);
  assert.match(inOrder.join('\n'), /Deployment user-0 and \d+ more use claim data too/);
  assert.deepEqual(await told(names.toReversed()), inOrder);
});

test('the same findings that a claim completes are told in whatever order the workloads were watched', async () => {
  const told = async (names: readonly string[]): Promise<string | undefined> => {
    const here = scene({ labels: enforcing });
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'late' } }];
    for (const name of names) here.add({ ...deployment({}, {}, { volumes }), metadata: { namespace: 'shop', name } });
    return (await here.validate(creating(claim('late')))).response.status?.message;
  };
  assert.match(
    (await told(['b', 'a'])) ?? '',
    /^PersistentVolumeClaim shop\/late refused: Deployment a mounts it,.*\nPersistentVolumeClaim shop\/late refused: Deployment b mounts it,/s,
  );
  assert.equal(await told(['b', 'a', 'c']), await told(['c', 'b', 'a']));
});

function named(name: string): JsonObject {
  return deployment({}, { name });
}
