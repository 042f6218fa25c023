import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreadableObjectError } from '../../src/objects/json.ts';
import { INVENTORY_LISTS, Inventory, isInventoryList } from '../../src/recovery/inventory.ts';
import { claim, inventoryOf, pod, volume } from './scene.ts';

for (const list of Object.keys(INVENTORY_LISTS).filter(isInventoryList)) {
  test(`an object of ${list} in which nothing is written is read, and one without readable metadata is told`, () => {
    new Inventory().take(list, {});
    assert.throws(() => new Inventory().take(list, { metadata: 'none' }), UnreadableObjectError);
  });
}

test('a list that was refused in one namespace is known in others', () => {
  const inventory = new Inventory();
  inventory.refuse('pods', 'shop', 'permission missing');
  assert.deepEqual(inventory.reading('pods', 'shop'), {
    known: false,
    because: 'pods in shop could not be read: permission missing',
  });
  assert.ok(inventory.reading('pods', 'other').known);
});

test('claims that nobody uses are left out of what may be stuck', () => {
  const inventory = inventoryOf([
    claim('idle'),
    volume('idle'),
    claim('used'),
    volume('used'),
    pod('a', { claim: 'used' }),
  ]);
  assert.deepEqual(inventory.claimsInUse(), [{ namespace: 'shop', name: 'used' }]);
});
