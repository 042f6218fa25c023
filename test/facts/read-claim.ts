import assert from 'node:assert/strict';
import { Budget } from '../../src/budget.ts';
import type { Claim } from '../../src/facts/claim.ts';
import { claimFacts, claimOf } from '../../src/facts/claim-facts.ts';
import { gathering } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { type Fact, known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import type { ListName } from '../../src/objects/kinds.ts';
import { claimFrom } from '../../src/objects/persistent-volume-claim.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import type { ObjectRef } from '../../src/snapshot/snapshot.ts';

export const METADATA = { namespace: 'shop', name: 'data' };

export interface Cluster {
  readonly objects?: readonly JsonObject[];
  readonly unlisted?: ListName;
}

export interface Read {
  readonly claim: Claim;
  readonly missed: readonly ObjectRef[];
}

export function stateOf({ objects = [], unlisted }: Cluster): ClusterState {
  const state = new ClusterState((list) => (list === unlisted ? unknown(`${list} are not listed`) : known(true)));
  for (const object of objects) putObject(state, object);
  return state;
}

/** What a claim of this spec comes to in a cluster. */
export function read(spec: JsonObject, cluster: Cluster = {}): Read {
  const claim = claimFrom({ metadata: METADATA, spec });
  const { facts, missed } = gathering(stateOf(cluster), storageMatrix(), new Budget(), (reading) =>
    claimFacts(claim, reading),
  );
  return { claim: facts, missed };
}

/** What the volumes of a pod come to. */
export function readVolume(volume: JsonObject, cluster: Cluster = {}): Read {
  const [first] = podTemplateFrom({ spec: { volumes: [volume] } }).volumes;
  assert.ok(first);
  const reads = gathering(stateOf(cluster), storageMatrix(), new Budget(), (reading) =>
    claimOf(first, 'shop', reading),
  );
  return { claim: reads.facts, missed: reads.missed };
}

export function because(fact: Fact<unknown>): string {
  return fact.known ? 'it is known' : fact.because;
}

export function volume(spec: JsonObject, name = 'v'): JsonObject {
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
}

export function storageClass(provisioner: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'disks', ...more }, provisioner };
}

export const ONCE = { accessModes: ['ReadWriteOnce'] };
export const BOUND = { ...ONCE, volumeName: 'v' };
export const OF_CLASS = { ...ONCE, storageClassName: 'disks' };
