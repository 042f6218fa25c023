import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Changes, SETTLED_AFTER_MS } from '../../src/audit/changes.ts';

/** All that comes out once it has settled. */
function taken(changes: Changes): readonly string[] {
  const found: string[] = [];
  for (let next = changes.next(LATER); next !== undefined; next = changes.next(LATER))
    found.push(`${next.kind} ${next.key ?? '…'}`);
  return found;
}

const LATER = 1_000_000;

test('what changes comes out once, in the order in which it came', () => {
  const changes = new Changes();
  for (const [list, key] of [
    ['deployments', 'shop/web'],
    ['nodes', 'a'],
    ['deployments', 'shop/db'],
    ['deployments', 'shop/web'],
  ] as const) {
    changes.add(list, key, 0);
  }
  assert.equal(changes.size, 3);
  assert.deepEqual(taken(changes), ['Deployment shop/web', 'Node a', 'Deployment shop/db']);
  assert.equal(changes.size, 0);
});

test('a change waits until what belongs to it has come too, however often it changes meanwhile', () => {
  const changes = new Changes();
  changes.add('deployments', 'shop/web', 0);
  changes.add('deployments', 'shop/web', SETTLED_AFTER_MS - 1);
  assert.equal(changes.next(SETTLED_AFTER_MS - 1), undefined);
  assert.equal(changes.next(SETTLED_AFTER_MS)?.key, 'shop/web');
});

test('of a list that is read anew nobody remembers who changed, and of the others everybody does', () => {
  const changes = new Changes();
  changes.add('nodes', 'a', 0);
  for (let n = 0; n < 100_000; n++) changes.add('persistentvolumeclaims', `shop/data-${n}`, 0);
  changes.add('nodes', 'b', 0);
  assert.equal(changes.size, 3);
  assert.deepEqual(taken(changes), ['Node a', 'PersistentVolumeClaim …', 'Node b']);
  changes.add('persistentvolumeclaims', 'shop/data', 0);
  assert.deepEqual(taken(changes), ['PersistentVolumeClaim shop/data']);
});
