import { ClusterState } from '../facts/cluster-state.ts';
import { known, unknown } from '../facts/fact.ts';
import { type JsonObject, objectAt, objectsAt, UnreadableObjectError } from '../facts/json.ts';
import { isOwnedByWorkload } from '../facts/metadata.ts';
import { idOf, keyOf } from '../facts/object-key.ts';
import { claimFrom, type PersistentVolumeClaim } from '../facts/persistent-volume-claim.ts';
import { claimNames, mountsVolumes, type Workload } from '../facts/workload.ts';
import { workloadFrom } from '../facts/workload-from.ts';
import { asServedToday } from './api-versions.ts';
import { putObject, workloadKindOf } from './file-snapshot.ts';
import { isHelmTest } from './helm-test.ts';
import type { Manifest, Unreadable } from './read-manifests.ts';
import type { ClaimTemplate, WrittenCluster } from './written-cluster.ts';

/** What is judged: claims, and workloads that mount volumes and that nothing else in Kubernetes made. */
export type Subject =
  | { readonly type: 'claim'; readonly manifest: Manifest; readonly claim: PersistentVolumeClaim }
  | { readonly type: 'workload'; readonly manifest: Manifest; readonly workload: Workload };

/** The objects of the input by what they are to a judgement. */
export interface WrittenObjects {
  readonly cluster: Omit<WrittenCluster, 'guess'>;
  /** In the order of the input. */
  readonly subjects: readonly Subject[];
  /** By `kind namespace/name`, the namespace as it is written. */
  readonly manifestOf: ReadonlyMap<string, Manifest>;
  readonly unreadable: readonly Unreadable[];
  /** How many there are, whatever their kind. */
  readonly objects: number;
  /** Workloads of all kinds that rules are about, with those that need no judging. */
  readonly workloadCount: number;
  readonly nodeCount: number;
  /** Workloads that were left out, because only `helm test` creates them. */
  readonly helmTests: number;
}

/** Reads each object once. Those with a field of a wrong type are unreadable, and the others are used. */
export function writtenObjects(manifests: readonly Manifest[]): WrittenObjects {
  const reader = new Reader();
  for (const manifest of manifests) reader.read(manifest);
  return reader;
}

class Reader implements WrittenObjects {
  readonly cluster: { readonly state: ClusterState; readonly claimTemplates: Map<string, ClaimTemplate> };
  readonly subjects: Subject[] = [];
  readonly manifestOf = new Map<string, Manifest>();
  readonly unreadable: Unreadable[] = [];
  objects = 0;
  workloadCount = 0;
  nodeCount = 0;
  helmTests = 0;

  constructor() {
    const state = new ClusterState((list) =>
      list === 'nodes' && this.nodeCount === 0 ? unknown('there are no nodes in the input') : known(true),
    );
    this.cluster = { state, claimTemplates: new Map() };
  }

  read(manifest: Manifest): void {
    try {
      if (isHelmTest(manifest.object)) {
        if (workloadKindOf(manifest.object) !== undefined) this.helmTests++;
        return;
      }
      this.#take(manifest, asServedToday(manifest.object));
      this.objects++;
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      this.unreadable.push({ file: manifest.file, line: manifest.line, because: error.message });
    }
  }

  #take(manifest: Manifest, object: JsonObject): void {
    const list = putObject(this.cluster.state, object, '');
    if (list === 'nodes') this.nodeCount++;
    if (list === 'persistentvolumeclaims') {
      const claim = claimFrom(object);
      this.#note(manifest, 'PersistentVolumeClaim', claim.metadata);
      if (!claim.metadata.deleting) this.subjects.push({ type: 'claim', manifest, claim });
    }
    const kind = workloadKindOf(object);
    if (kind === undefined) return;
    const workload = workloadFrom(kind, object);
    this.workloadCount++;
    this.#note(manifest, kind, workload.metadata);
    if (kind === 'StatefulSet') this.#takeClaimTemplates(object, workload);
    if (!mountsVolumes(workload) || isOwnedByWorkload(workload.metadata) || workload.metadata.deleting) return;
    this.subjects.push({ type: 'workload', manifest, workload });
  }

  #takeClaimTemplates(object: JsonObject, { metadata }: Workload): void {
    for (const template of objectsAt(objectAt(object, 'spec'), 'volumeClaimTemplates')) {
      const claim = claimFrom(template);
      const prefix = `${claim.metadata.name}-${metadata.name}`;
      this.cluster.claimTemplates.set(keyOf(metadata.namespace, prefix), { claim, statefulSet: metadata.name });
    }
  }

  #note(manifest: Manifest, kind: string, { namespace, name }: { readonly namespace: string; readonly name: string }) {
    const id = idOf({ kind, namespace, name });
    if (!this.manifestOf.has(id)) this.manifestOf.set(id, manifest);
  }
}

/**
 * In which namespace a workload that names none is looked at: that of an object with one of its claims' names, or where
 * kubectl would put it.
 */
export function homeOf({ metadata, ...workload }: Workload, namespacesOfClaims: ReadonlyMap<string, string>): string {
  if (metadata.namespace !== '') return metadata.namespace;
  const homes = claimNames({ metadata, ...workload }).flatMap((name) => namespacesOfClaims.get(name) ?? []);
  return homes[0] ?? 'default';
}

/**
 * For each claim name the first namespace in which it occurs, in a claim or a workload that names one; none where the claim
 * itself names none.
 */
export function namespacesOfClaims({ subjects }: WrittenObjects): ReadonlyMap<string, string> {
  const namespaces = new Map<string, string>();
  const unnamed = new Set<string>();
  for (const subject of subjects) {
    const { namespace, name } = subject.type === 'claim' ? subject.claim.metadata : subject.workload.metadata;
    if (subject.type === 'claim' && namespace === '') unnamed.add(name);
    if (namespace === '') continue;
    for (const claim of subject.type === 'claim' ? [name] : claimNames(subject.workload)) {
      if (!namespaces.has(claim)) namespaces.set(claim, namespace);
    }
  }
  for (const name of unnamed) namespaces.delete(name);
  return namespaces;
}
