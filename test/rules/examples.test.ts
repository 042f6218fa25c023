import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectAt } from '../../src/facts/json.ts';
import { WORKLOAD_KINDS } from '../../src/facts/workload.ts';
import { snapshotOf } from '../../src/offline/file-snapshot.ts';
import { parseManifests } from '../../src/offline/read-manifests.ts';
import { examples } from '../../src/rules/examples.ts';
import { rules } from '../../src/rules/index.ts';
import { findingsIn } from '../fixtures.ts';

/** Two nodes and a default class whose driver attaches, which is what lint takes for granted. */
const CLUSTER = `
{ apiVersion: v1, kind: Node, metadata: { name: node-a, labels: { kubernetes.io/hostname: node-a } } }
---
{ apiVersion: v1, kind: Node, metadata: { name: node-b, labels: { kubernetes.io/hostname: node-b } } }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: default, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }
provisioner: disk.csi.example.com
---
{ apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: { name: disk.csi.example.com }, spec: { attachRequired: true } }
`;

const JUDGED: readonly unknown[] = [...WORKLOAD_KINDS, 'PersistentVolumeClaim'];

/** The ids of the rules that find something in the objects of an example. */
function findings(example: string): readonly string[] {
  const { manifests, unreadable } = parseManifests(`${CLUSTER}---\n${example}`, 'example.yaml');
  const { snapshot, unreadable: refused } = snapshotOf(manifests);
  assert.deepEqual([...unreadable, ...refused], []);
  const subjects = manifests
    .filter(({ object }) => JUDGED.includes(object.kind))
    .map(({ object }) => ({ ...object, metadata: { ...objectAt(object, 'metadata'), namespace: 'default' } }));
  return subjects.flatMap((subject) => findingsIn({ state: snapshot, subject }).map(({ rule }) => rule.id));
}

test('every rule has an example, and every example a rule', () => {
  assert.deepEqual(
    Object.keys(examples),
    rules.map(({ meta }) => meta.id),
  );
});

for (const [id, { bad, good }] of Object.entries(examples)) {
  test(`of the bad example for ${id} that rule alone has a finding, and of the good one no rule`, () => {
    assert.deepEqual([findings(bad), findings(good)], [[id], []]);
  });

  test(`the examples for ${id} can be read in a terminal`, () => {
    for (const line of [bad, good].join('').split('\n')) assert.ok(line.length <= 80, line);
    for (const text of [bad, good]) assert.ok(text.split('\n').length <= 24, text);
  });
}
