import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { eventually, FakeApi, FakeWatch, object } from './fake-api.ts';
import { oneNode, reflecting } from './reflecting.ts';

test('a reflector that is started twice lists and watches once', async () => {
  const api = new FakeApi(() => oneNode);
  const { reflector } = reflecting(api);
  reflector.start();
  reflector.start();
  await eventually(() => api.watches.length === 1);
  await reflector.stop();
  assert.equal(api.lists.length, 1);
});

test('a reflector that was stopped does not start again', async () => {
  const api = new FakeApi(() => oneNode);
  const { reflector } = reflecting(api);
  await reflector.stop();
  reflector.start();
  await reflector.stop();
  assert.equal(api.lists.length, 0);
});

test('a reflector that is stopped while it lists touches nothing and opens no watch', async () => {
  const list = Promise.withResolvers<JsonObject>();
  const api = new FakeApi(() => list.promise);
  const { reflector, table, log } = reflecting(api);
  reflector.start();
  const stopped = reflector.stop();
  list.resolve(oneNode);
  await stopped;
  assert.deepEqual([table.size, api.watches.length, log.lines.length], [0, 0, 0]);
});

test('a reflector that is stopped while a watch opens takes no event from it', async () => {
  const opening = Promise.withResolvers<FakeWatch>();
  const api = new FakeApi(
    () => oneNode,
    () => opening.promise,
  );
  const { reflector, table, log } = reflecting(api);
  reflector.start();
  await eventually(() => api.watches.length === 1);
  const stopped = reflector.stop();
  opening.resolve(new FakeWatch().send('ADDED', object('b', '11')));
  await stopped;
  assert.deepEqual([[...table.keys()], api.watches.length, log.lines.length], [['a'], 1, 0]);
});

test('a reflector that is stopped while it watches reports no error', async () => {
  const watch = new FakeWatch();
  const api = new FakeApi(
    () => oneNode,
    () => watch,
  );
  const { reflector, table, log } = reflecting(api);
  reflector.start();
  await eventually(() => api.watches.length === 1);
  watch.send('ADDED', object('b', '11'));
  await reflector.stop();
  assert.deepEqual([[...table.keys()], api.watches.length, log.lines.length], [['a'], 1, 0]);
});

test('a reflector that is stopped while it waits does not try again', async () => {
  const api = new FakeApi(() => new Error('down'));
  const { reflector, time } = reflecting(api);
  reflector.start();
  await eventually(() => time.slept.length === 3);
  const stopped = reflector.stop();
  const tried = api.lists.length;
  await stopped;
  assert.equal(api.lists.length, tried);
});
