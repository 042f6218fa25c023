import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/cluster/api-error.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { eventually, FakeApi, FakeWatch, object, page } from './fake-api.ts';
import { oneNode, reflecting } from './reflecting.ts';

/** Gives one after the other, and the last one for ever. */
function inTurn<T>(...answers: readonly T[]): () => T {
  let given = 0;
  return () => {
    const answer = answers[Math.min(given++, answers.length - 1)];
    if (answer === undefined) throw new Error('there is no answer');
    return answer;
  };
}

test('a reflector lists page by page, leaves out what it need not keep, and watches from there', async () => {
  const pages = inTurn(
    page([object('a'), object('b', '2', { colour: 'none' })], '10', 'more'),
    page([object('c', '3', { colour: 'red' })], '10'),
  );
  const api = new FakeApi(pages);
  const { reflector, table } = reflecting(api);
  reflector.start();
  await eventually(() => api.watches.length === 1);
  assert.deepEqual(
    [...table],
    [
      ['a', 'grey'],
      ['c', 'red'],
    ],
  );
  assert.deepEqual(
    api.lists.map(({ path, query }) => [path, query]),
    [
      ['/api/v1/nodes', { limit: '250' }],
      ['/api/v1/nodes', { limit: '250', continue: 'more' }],
    ],
  );
  assert.deepEqual(api.watches[0]?.query, {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: '10',
    timeoutSeconds: '450', // half way between 300 and 600
  });
  assert.equal(reflector.state().synced, true);
  await reflector.stop();
});

test('a reflector follows what is added, changed and deleted', async () => {
  const watch = new FakeWatch();
  const changed: string[] = [];
  const api = new FakeApi(
    () => oneNode,
    () => watch,
  );
  const { reflector, table } = reflecting(api, (key) => changed.push(key));
  reflector.start();
  watch.send('ADDED', object('b', '11', { colour: 'blue' }));
  watch.send('MODIFIED', object('b', '12', { colour: 'green' }));
  watch.send('DELETED', object('a', '13'));
  await eventually(() => changed.length === 4);
  assert.deepEqual([...table], [['b', 'green']]);
  assert.deepEqual(changed, ['a', 'b', 'b', 'a']);
  await reflector.stop();
});

test('a reflector drops an object that it need not keep any more', async () => {
  const api = new FakeApi(
    () => oneNode,
    () => new FakeWatch().send('MODIFIED', object('a', '11', { colour: 'none' })),
  );
  const { reflector, table } = reflecting(api);
  reflector.start();
  await eventually(() => reflector.state().resourceVersion === '11');
  assert.equal(table.size, 0);
  await reflector.stop();
});

test('a reflector goes on from the last event or bookmark when the server ends the watch', async () => {
  const watches = inTurn(
    new FakeWatch().send('ADDED', object('b', '11')).end(),
    new FakeWatch().send('BOOKMARK', object('', '15')).end(),
    new FakeWatch(),
  );
  const api = new FakeApi(() => oneNode, watches);
  const { reflector, log } = reflecting(api);
  reflector.start();
  await eventually(() => api.watches.length === 3);
  assert.deepEqual(
    api.watches.map(({ query }) => query.resourceVersion),
    ['10', '11', '15'],
  );
  assert.equal(api.lists.length, 1);
  assert.equal(reflector.state().restarts, 2);
  assert.deepEqual(log.lines, []);
  await reflector.stop();
});

test('a reflector begins the list again when the API server forgets it half way', async () => {
  const pages = inTurn<JsonObject | Error>(
    page([object('a'), object('b')], '10'),
    page([object('c')], '20', 'more'),
    new ApiError('GET', 410, 'the continue token is too old'),
    page([object('d')], '30'),
  );
  const api = new FakeApi(pages, inTurn<FakeWatch | Error>(new ApiError('GET', 410, 'too old'), new FakeWatch()));
  const { reflector, table } = reflecting(api);
  reflector.start();
  await eventually(() => api.lists.length === 3);
  assert.deepEqual([...table.keys()], ['a', 'b']);
  await eventually(() => api.watches.length === 2);
  assert.deepEqual([...table.keys()], ['d']);
  assert.deepEqual(
    api.lists.map(({ query }) => query.continue),
    [undefined, undefined, 'more', undefined],
  );
  await reflector.stop();
});

for (const [how, expired] of [
  ['an ERROR event', new FakeWatch().send('ERROR', { code: 410, reason: 'Expired', message: 'too old' })],
  ['the answer', new ApiError('GET', 410, 'too old')],
] as const) {
  test(`a reflector lists again when ${how} says that its version has expired, and shows the old list meanwhile`, async () => {
    const relist = Promise.withResolvers<JsonObject>();
    const lists = inTurn<JsonObject | Promise<JsonObject>>(page([object('a'), object('b')], '10'), relist.promise);
    const api = new FakeApi(lists, inTurn<FakeWatch | Error>(expired, new FakeWatch()));
    const { reflector, table, log } = reflecting(api);
    reflector.start();
    await eventually(() => api.lists.length === 2);
    assert.deepEqual([...table.keys()], ['a', 'b']);
    relist.resolve(page([object('b'), object('c')], '20'));
    await eventually(() => api.watches.length === 2);
    assert.deepEqual([...table.keys()], ['b', 'c']);
    assert.equal(api.watches[1]?.query.resourceVersion, '20');
    assert.equal(reflector.state().relists, 1);
    assert.deepEqual(log.warnings(), []);
    await reflector.stop();
  });
}

test('a reflector shows a new list all at once', async () => {
  const second = Promise.withResolvers<JsonObject>();
  const lists = inTurn<JsonObject | Promise<JsonObject>>(oneNode, page([object('b')], '20', 'more'), second.promise);
  const api = new FakeApi(lists, inTurn<FakeWatch | Error>(new ApiError('GET', 410, 'too old'), new FakeWatch()));
  const { reflector, table } = reflecting(api);
  reflector.start();
  await eventually(() => api.lists.length === 3);
  assert.deepEqual([...table.keys()], ['a']);
  second.resolve(page([object('c')], '20'));
  await eventually(() => api.watches.length === 2);
  assert.deepEqual([...table.keys()], ['b', 'c']);
  await reflector.stop();
});

test('a reflector tells of any other ERROR event and watches again from where it was', async () => {
  const watches = inTurn(
    new FakeWatch().send('ADDED', object('b', '11')).send('ERROR', { code: 500, message: 'etcd is away' }),
    new FakeWatch(),
  );
  const api = new FakeApi(() => oneNode, watches);
  const { reflector, log } = reflecting(api);
  reflector.start();
  await eventually(() => log.lines.length === 2);
  assert.deepEqual(
    log.lines.map(({ message }) => message),
    ['watch interrupted', 'watching again'],
  );
  assert.deepEqual(log.lines[0]?.fields, {
    list: 'nodes',
    code: 'HTTP_500',
    message: 'watching nodes was answered 500: etcd is away: see the log of the API server if it stays so',
  });
  assert.equal(api.watches[1]?.query.resourceVersion, '11');
  assert.equal(api.lists.length, 1);
  await reflector.stop();
});

test('a reflector never gives up, waits longer each time up to a cap, and says once what is wrong', async () => {
  const failure = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const answers = inTurn<JsonObject | Error>(...Array(8).fill(failure), oneNode);
  const api = new FakeApi(answers);
  const { reflector, log, time } = reflecting(api);
  reflector.start();
  await eventually(() => api.watches.length === 1);
  assert.deepEqual(time.slept, [0, 375, 750, 1500, 3000, 6000, 7500, 7500]); // three quarters, for chance says 0.5
  assert.deepEqual(
    log.lines.map(({ message }) => message),
    ['watch interrupted', 'watching again'],
  );
  assert.equal(reflector.state().problem, undefined);
  await reflector.stop();
});

test('a reflector begins at once after a watch that held, and waits after one that ended straight away', async () => {
  const held = new FakeWatch();
  const api = new FakeApi(() => oneNode, inTurn(new FakeWatch().end(), new FakeWatch().end(), held, new FakeWatch()));
  const { reflector, time } = reflecting(api);
  reflector.start();
  await eventually(() => api.watches.length === 3);
  assert.deepEqual(time.slept, [0, 375]);
  time.pass(5_000);
  held.end();
  await eventually(() => api.watches.length === 4);
  assert.deepEqual(time.slept, [0, 375, 0]);
  await reflector.stop();
});

test('a reflector leaves an overloaded API server alone for as long as it asks, but not for ever', async () => {
  const answers = inTurn<JsonObject | Error>(
    new ApiError('GET', 429, 'too many requests', 7_000),
    new ApiError('GET', 503, 'starting', 3_600_000),
    oneNode,
  );
  const api = new FakeApi(answers);
  const { reflector, time } = reflecting(api);
  reflector.start();
  await eventually(() => api.watches.length === 1);
  assert.deepEqual(time.slept, [7_000, 60_000]);
  await reflector.stop();
});

for (const status of [403, 404]) {
  test(`a reflector that is answered ${status} asks on, and names what is missing once in 30 seconds`, async () => {
    let granted = false;
    const refusal = new ApiError('GET /api/v1/nodes', status, 'nodes is forbidden');
    const api = new FakeApi(() => (granted ? oneNode : refusal));
    const { reflector, log, time } = reflecting(api);
    const since = time.now();
    reflector.start();
    await eventually(() => time.now() - since > 20_000);
    assert.deepEqual(log.lines, []);
    assert.equal(reflector.state().refusedSince, since);
    await eventually(() => time.now() - since > 200_000);
    assert.deepEqual(log.warnings(), ['list refused']);
    granted = true;
    await eventually(() => api.watches.length === 1);
    const { refusedSince, problem, synced } = reflector.state();
    assert.deepEqual({ refusedSince, problem, synced }, { refusedSince: undefined, problem: undefined, synced: true });
    await reflector.stop();
  });
}

test('a reflector takes silence for the ordinary end of a watch', async () => {
  const silence = Object.assign(new Error('Body Timeout Error'), { code: 'UND_ERR_BODY_TIMEOUT' });
  const api = new FakeApi(() => oneNode, inTurn(new FakeWatch().fail(silence), new FakeWatch()));
  const { reflector, log } = reflecting(api);
  reflector.start();
  await eventually(() => api.watches.length === 2);
  assert.deepEqual(log.lines, []);
  assert.equal(api.lists.length, 1);
  await reflector.stop();
});

test('a reflector skips objects that it cannot read, counts them and says so once', async () => {
  const broken = { colour: 'broken' };
  const list = page([object('a', '1', broken), object('b'), object('c', '3', broken)], '10');
  const watch = new FakeWatch().send('MODIFIED', object('b', '11', broken)).send('ADDED', object('d', '12'));
  const api = new FakeApi(
    () => list,
    () => watch,
  );
  const { reflector, table, log } = reflecting(api);
  reflector.start();
  await eventually(() => reflector.state().resourceVersion === '12');
  assert.deepEqual([...table.keys()], ['d']);
  assert.equal(reflector.state().unreadable, 3);
  assert.deepEqual(log.warnings(), ['skipping objects that cannot be read']);
  await reflector.stop();
});

test('a reflector goes on when a listener throws', async () => {
  const watch = new FakeWatch().send('ADDED', object('b', '11'));
  const api = new FakeApi(
    () => oneNode,
    () => watch,
  );
  const { reflector, table, log } = reflecting(api, (key) => {
    throw new Error(`no room for ${key}`);
  });
  reflector.start();
  await eventually(() => table.size === 2);
  assert.deepEqual(log.warnings(), ['nobody was told of a change', 'nobody was told of a change']);
  assert.equal(api.watches.length, 1);
  await reflector.stop();
});

test('a reflector whose first list is forgotten half way keeps nothing of it', async () => {
  const pages = inTurn<JsonObject | Error>(
    page([object('old')], '10', 'more'),
    new ApiError('GET', 410, 'the continue token is too old'),
    oneNode,
  );
  const changed: string[] = [];
  const api = new FakeApi(pages);
  const { reflector, table } = reflecting(api, (key) => changed.push(key));
  reflector.start();
  await eventually(() => api.watches.length === 1);
  assert.deepEqual([...table.keys()], ['a']);
  assert.deepEqual(changed, ['a', 'old']);
  assert.equal(reflector.state().relists, 0);
  await reflector.stop();
});
