import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  booleanAt,
  countAt,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  stringAt,
  stringMapAt,
  stringsAt,
  UnreadableObjectError,
} from '../../src/objects/json.ts';

const readers = { objectAt, stringAt, booleanAt, countAt, listAt, objectsAt, stringsAt, stringMapAt };

const wrong: Readonly<Record<keyof typeof readers, readonly unknown[]>> = {
  objectAt: ['text', 1, true, []],
  stringAt: [1, true, {}, []],
  booleanAt: ['true', 1, 0, {}, []],
  countAt: ['1', 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, true, {}, []],
  listAt: ['text', 1, {}, true],
  objectsAt: ['text', {}, ['text'], [null], [[]]],
  stringsAt: ['text', {}, [1], [null]],
  stringMapAt: ['text', [], { key: 1 }, { key: {} }],
};

for (const [name, read] of Object.entries(readers)) {
  test(`${name} reads an absent field and null alike, as Go does`, () => {
    assert.deepEqual(read({ field: null }, 'field'), read({}, 'field'));
    assert.deepEqual(read(undefined, 'field'), read({}, 'field'));
  });

  test(`${name} reads nothing that an object only inherits`, () => {
    assert.deepEqual(read({}, 'constructor'), read({}, 'field'));
    assert.deepEqual(read({}, '__proto__'), read({}, 'field'));
  });
}

for (const [name, values] of Object.entries(wrong)) {
  test(`${name} refuses another type and names the field`, () => {
    const read = Object.entries(readers).find(([reader]) => reader === name)?.[1];
    for (const value of values) {
      const object: JsonObject = { field: value };
      assert.throws(
        () => read?.(object, 'field'),
        (error) =>
          error instanceof UnreadableObjectError &&
          error.code === 'UNREADABLE_OBJECT' &&
          /^(field|key) must be /.test(error.message),
        JSON.stringify(value),
      );
    }
  });
}

/** What a person is told, who wrote this value where something else belongs. */
const refusals: readonly (readonly [keyof typeof readers, unknown, string])[] = [
  ['objectAt', 'a', 'an object, not "a"'],
  ['objectAt', [1], 'an object, not a list'],
  ['stringAt', 1, 'a string, not 1'],
  ['stringAt', { deep: {} }, 'a string, not an object'],
  ['booleanAt', 'yes', 'true or false, not "yes"'],
  ['countAt', '3', 'a whole number of at least 0, not "3"'],
  ['countAt', 'x'.repeat(38), `a whole number of at least 0, not "${'x'.repeat(38)}"`],
  ['countAt', 'x'.repeat(39), `a whole number of at least 0, not "${'x'.repeat(38)}…`],
  ['listAt', true, 'a list, not true'],
  ['objectsAt', [null], 'a list of objects, not null'],
  ['objectsAt', [undefined], 'a list of objects, not undefined'],
  ['stringsAt', [1], 'a list of strings, not 1'],
];

for (const [name, value, expected] of refusals) {
  test(`${name} refuses with "must be ${expected}" and what to do`, () => {
    assert.throws(() => readers[name]({ field: value }, 'field'), {
      name: 'UnreadableObjectError',
      message: `field must be ${expected}: correct the manifest`,
    });
  });
}

test('a map of strings keeps keys that mean something to JavaScript', () => {
  const labels = stringMapAt(JSON.parse('{"labels":{"__proto__":"a","constructor":"b","toString":"c"}}'), 'labels');
  assert.deepEqual([...labels].sort(), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
    ['toString', 'c'],
  ]);
});

test('a map of strings leaves out what is null', () => {
  assert.deepEqual([...stringMapAt({ labels: { a: null, b: 'x' } }, 'labels')], [['b', 'x']]);
});

test('a whole number is read up to the largest that the API knows', () => {
  assert.equal(countAt({ replicas: 2 ** 31 - 1 }, 'replicas'), 2 ** 31 - 1);
  assert.equal(countAt({ replicas: 0 }, 'replicas'), 0);
});
