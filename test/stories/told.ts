import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { snapshotOf } from '../../src/lint/file-snapshot.ts';
import { isWorkload, readObject } from '../../src/objects/read-object.ts';
import { evaluateWorkload } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { savedBy } from '../../src/stories/saved-by.ts';
import { type Story, storyFor } from '../../src/stories/told.ts';
import { parseManifests } from '../../src/yaml/read-manifests.ts';
import { written } from '../lint/manifests.ts';

/** As much as one story may take. */
export function storyBudget(): Budget {
  return new Budget(200_000);
}

/** The facts of the last of these objects, in the cluster that all of them make. */
export function factsOf(...objects: readonly object[]): WorkloadFacts {
  const { manifests } = parseManifests(written(...objects.map((object) => ({ ...object }))), 'a.yaml');
  const last = readObject(manifests.at(-1)?.object ?? {});
  if (last === undefined || !isWorkload(last)) throw new Error('the last object has to be a workload');
  return gatherFacts(last.value, snapshotOf(manifests).snapshot, storageMatrix(), storyBudget()).facts;
}

/** The story of the first finding of this rule. */
export function storyOf(rule: string, facts: WorkloadFacts): Story {
  const finding = evaluateWorkload(rules, facts.workload, forecast(facts)).find((found) => found.rule.id === rule);
  if (finding === undefined) throw new Error(`${rule} finds nothing`);
  return storyFor(finding, { facts, running: {} });
}

/** What saves it, and from which rule. */
export function saved(facts: WorkloadFacts): readonly string[] {
  const { savings } = savedBy(facts);
  return savings.map(({ because, otherwise }) => `${because}: ${otherwise?.rule.id ?? 'nothing'}`);
}

/** Nodes with their names as hostnames, and what else is said of each. */
export function nodes(all: Readonly<Record<string, { readonly labels?: object; readonly spec?: object }>>) {
  return Object.entries(all).map(([name, { labels, spec }]) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: spec ?? {},
  }));
}

export const CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'disks' },
  provisioner: 'disk.csi.example.com',
};

export const DRIVER = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'disk.csi.example.com' },
  spec: { attachRequired: true },
};
