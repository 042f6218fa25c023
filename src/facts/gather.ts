import { type Claim, claimOf, type Reading } from './claim.ts';
import { type Fact, known, unknown } from './fact.ts';
import type { NodeIndex } from './node-index.ts';
import type { ClusterSnapshot, ObjectRef } from './snapshot.ts';
import type { StorageMatrix } from './storage-backend.ts';
import type { Workload } from './workload.ts';

/** Everything a forecast for one workload is made from. */
export interface WorkloadFacts {
  readonly workload: Workload;
  /** The volumes that its pods share, each once. */
  readonly claims: readonly Claim[];
  readonly nodes: Fact<NodeIndex>;
  readonly namespaceLabels: Fact<ReadonlyMap<string, string>>;
}

/** What was found, and by name what was asked for and missing, so that it can be asked for once more. */
export interface Gathered<T> {
  readonly facts: T;
  readonly missed: readonly ObjectRef[];
}

export function gatherFacts(
  workload: Workload,
  snapshot: ClusterSnapshot,
  matrix: StorageMatrix,
): Gathered<WorkloadFacts> {
  const { namespace } = workload.metadata;
  return gathering(snapshot, matrix, (reading) => ({
    workload,
    claims: claimsOf(workload, reading),
    nodes: snapshot.nodes(),
    namespaceLabels: namespaceLabelsOf(namespace, reading),
  }));
}

/** The labels choose the mode; a namespace that is not there has none that could be read. */
export function namespaceLabelsOf(name: string, { snapshot, missed }: Reading): Fact<ReadonlyMap<string, string>> {
  const found = snapshot.namespace(name);
  if (found.known && found.value !== undefined) return known(found.value.labels);
  missed({ kind: 'Namespace', namespace: '', name });
  return found.known ? unknown(`namespace ${name} does not exist`) : found;
}

/** Reads with a note of everything that was missed, each object once. */
export function gathering<T>(
  snapshot: ClusterSnapshot,
  matrix: StorageMatrix,
  read: (reading: Reading) => T,
): Gathered<T> {
  const missed = new Map<string, ObjectRef>();
  const facts = read({
    snapshot,
    matrix,
    missed: (ref) => void missed.set(`${ref.kind} ${ref.namespace}/${ref.name}`, ref),
  });
  return { facts, missed: [...missed.values()] };
}

function claimsOf({ metadata, template }: Workload, reading: Reading): readonly Claim[] {
  const claims = new Map<string, Claim>();
  for (const volume of template.volumes) {
    const claim = claimOf(volume, metadata.namespace, reading);
    claims.set(volume.type === 'claim' ? `claim ${claim.name}` : claim.identity, claim);
  }
  return [...claims.values()];
}
