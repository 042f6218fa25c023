import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sent } from '../../src/cluster/connection.ts';
import { probeEntries } from '../../src/cluster/probe-entries.ts';
import type { EntryName } from '../../src/doctor/entry.ts';

const { signal } = new AbortController();
const REFUSED: Sent = { status: 403, warnings: [], body: { message: 'quota exceeded' } };
const CREATED: Sent = { status: 201, warnings: [], body: {} };

/** What comes of asking an entry in these namespaces, where each gets one answer. */
async function outcomeOf(entry: EntryName, answers: Readonly<Record<string, Sent | Error>>) {
  const asked: string[] = [];
  const connection = {
    async send(_method: string, path: string) {
      const [, namespace = ''] = /namespaces\/([^/]+)\//.exec(path) ?? [];
      asked.push(namespace);
      const answer = answers[namespace] ?? CREATED;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const places = Object.keys(answers).map((namespace) => ({ entry, namespace }));
  const [probed] = await probeEntries(connection, new Map([[entry, places]]), signal);
  const outcome = probed?.outcome ?? assert.fail();
  return { asked, ...outcome };
}

test('where one namespace refuses the dry run, the next one is asked, and no further one', async () => {
  const answered: Sent = { ...CREATED, warnings: ['rwo-guard.dev/ignore does not count: no reason'] };
  const { type, asked } = await outcomeOf('advise.rwo-guard.dev', { a: REFUSED, b: answered, c: answered });
  assert.deepEqual([type, asked], ['answered', ['a', 'b']]);
});

test('where all refuse it, it is told what the last one said', async () => {
  const away = new Error('socket hang up');
  assert.deepEqual(await outcomeOf('advise.rwo-guard.dev', { a: away, b: REFUSED }), {
    asked: ['a', 'b'],
    type: 'unclear',
    because: 'a dry run in namespace b was refused: quota exceeded',
  });
});

test('what goes through without a word was not heard', async () => {
  const { type } = await outcomeOf('enforce.rwo-guard.dev', { a: { ...CREATED, warnings: ['of somebody else'] } });
  assert.equal(type, 'unanswered');
});

test('the repair was not heard where the API server refuses what it would have taken out', async () => {
  const invalid = (field: string): Sent => ({ status: 422, warnings: [], body: { message: `${field}: Forbidden` } });
  const strategy = await outcomeOf('mutate.rwo-guard.dev', { a: invalid('spec.strategy.rollingUpdate') });
  assert.equal(strategy.type, 'unanswered');
  assert.equal((await outcomeOf('mutate.rwo-guard.dev', { a: invalid('spec.template') })).type, 'unclear');
});

test('a call that failed closed is told by the entry that it was for', async () => {
  const failing = (entry: string): Sent => ({
    status: 500,
    warnings: [],
    body: { message: `Internal error occurred: failed calling webhook "${entry}": refused` },
  });
  const ours = await outcomeOf('enforce.rwo-guard.dev', { a: failing('enforce.rwo-guard.dev') });
  assert.equal(ours.type, 'failed');
  assert.equal((await outcomeOf('enforce.rwo-guard.dev', { a: failing('other.example.com') })).type, 'unclear');
});

test('where there is no place to ask, it is said', async () => {
  const { type, asked } = await outcomeOf('mutate.rwo-guard.dev', {});
  assert.deepEqual([type, asked], ['unclear', []]);
});
