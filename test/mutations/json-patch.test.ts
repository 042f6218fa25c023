import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { setAt } from '../../src/mutations/json-patch.ts';
import { isObject, type JsonObject } from '../../src/objects/json.ts';
import { applied } from './applied.ts';

test('a value is set beside what is there', () => {
  assert.deepEqual(setAt({ a: { b: 1 } }, ['a', 'c'], 2), { op: 'add', path: '/a/c', value: 2 });
});

test('objects that are missing on the way are made', () => {
  assert.deepEqual(setAt({ a: {} }, ['a', 'b', 'c'], 2), { op: 'add', path: '/a/b', value: { c: 2 } });
  assert.deepEqual(setAt({}, ['a', 'b'], 2), { op: 'add', path: '/a', value: { b: 2 } });
});

test('null on the way is taken as missing', () => {
  assert.deepEqual(setAt({ a: null }, ['a', 'b'], 2), { op: 'add', path: '/a', value: { b: 2 } });
});

test('slashes and tildes in names are escaped', () => {
  assert.equal(setAt({ a: {} }, ['a', 'x/y~z'], 1).path, '/a/x~1y~0z');
});

test('a member that is only inherited is missing', () => {
  assert.deepEqual(setAt({}, ['constructor', 'a'], 1), { op: 'add', path: '/constructor', value: { a: 1 } });
  const { path, value } = setAt({}, ['a', '__proto__'], 1);
  assert.equal(path, '/a');
  assert.ok(isObject(value) && Object.hasOwn(value, '__proto__'));
});

const anyKey = fc.oneof(fc.constantFrom('a', 'b', 'x/y', 'x~1y', '~0'), fc.string({ minLength: 1 }));
const anyObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('a', 'b', 'x/y'),
  fc.oneof(
    fc.integer(),
    fc.constant(null),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.constant({}), { noNullPrototype: true }),
  ),
  { noNullPrototype: true },
);

test('whatever is set can be read at its path, and nothing else has changed', () => {
  fc.assert(
    fc.property(anyObject, fc.array(anyKey, { minLength: 1, maxLength: 4 }), (object, path) => {
      let here: unknown = object;
      for (const member of path.slice(0, -1)) {
        here = isObject(here) && Object.hasOwn(here, member) ? here[member] : undefined;
        fc.pre(here === undefined || here === null || isObject(here));
      }
      const [first = ''] = path;
      const after = applied(object, [setAt(object, path, 'set')]);
      let found: unknown = after;
      for (const member of path) found = isObject(found) ? found[member] : undefined;
      assert.equal(found, 'set');
      assert.deepEqual({ ...after, [first]: 0 }, { ...object, [first]: 0 });
    }),
  );
});
