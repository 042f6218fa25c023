import { autoscalerFrom } from '../facts/autoscaler.ts';
import { ClusterState, LIST_OF_KIND, type ListName } from '../facts/cluster-state.ts';
import { known, unknown } from '../facts/fact.ts';
import { type JsonObject, objectAt, objectsAt, UnreadableObjectError } from '../facts/json.ts';
import { isOwnedByWorkload, type Metadata, metadataFrom } from '../facts/metadata.ts';
import { idOf, keyOf } from '../facts/object-key.ts';
import { claimFrom, type PersistentVolumeClaim } from '../facts/persistent-volume-claim.ts';
import { claimNames, mountsVolumes, numberedClaim, type Workload } from '../facts/workload.ts';
import { asServedToday } from './api-versions.ts';
import { ClaimHomes } from './claim-homes.ts';
import { putObject, workloadKindOf } from './file-snapshot.ts';
import { isHelmTest } from './helm-test.ts';
import { notJudged } from './not-judged.ts';
import type { Manifest, Unreadable } from './read-manifests.ts';
import { hasRollingUpdateBesideRecreate, refuseUnfitSurge } from './refused-strategy.ts';
import { idOfNumbered, WrittenClusters, type WrittenObject } from './written-clusters.ts';

/** What is judged: claims, and workloads that mount volumes and that nothing else in Kubernetes made. */
export type Subject =
  | { readonly type: 'claim'; readonly manifest: Manifest; readonly claim: PersistentVolumeClaim }
  | { readonly type: 'workload'; readonly manifest: Manifest; readonly workload: Workload };

/** The objects of the input by what they are to a judgement. */
export interface WrittenObjects {
  readonly clusters: WrittenClusters;
  readonly homes: ClaimHomes;
  /** In the order of the input. */
  readonly subjects: readonly Subject[];
  readonly unreadable: readonly Unreadable[];
  /** How many there are, whatever their kind. */
  readonly objects: number;
  /** Workloads of all kinds that rules are about, with those that need no judging. */
  readonly workloadCount: number;
  readonly nodeCount: number;
  /** Workloads that were left out, because only `helm test` creates them. */
  readonly helmTests: number;
  /** What no rule is about, one by one, by what to call it. */
  readonly notJudged: readonly string[];
  /** Deployments of type Recreate with a `rollingUpdate`. They are judged, for the webhook may mend them. */
  readonly refused: readonly Manifest[];
}

/** Reads each object once. Those with a field of a wrong type are unreadable, and the others are used. */
export function writtenObjects(manifests: readonly Manifest[]): WrittenObjects {
  const reader = new Reader();
  for (const manifest of manifests) reader.read(manifest);
  const { homes, subjects, unreadable, objects, workloadCount, nodeCount, helmTests, notJudged, refused } = reader;
  return {
    clusters: reader.clusters(),
    homes,
    subjects,
    unreadable,
    objects,
    workloadCount,
    nodeCount,
    helmTests,
    notJudged,
    refused,
  };
}

class Reader {
  readonly homes = new ClaimHomes();
  readonly subjects: Subject[] = [];
  readonly unreadable: Unreadable[] = [];
  objects = 0;
  workloadCount = 0;
  nodeCount = 0;
  helmTests = 0;
  readonly notJudged: string[] = [];
  readonly refused: Manifest[] = [];
  readonly #state = new ClusterState((list) =>
    list === 'nodes' && this.nodeCount === 0 ? unknown('there are no nodes in the input') : known(true),
  );
  readonly #written: WrittenObject[] = [];

  clusters(): WrittenClusters {
    return new WrittenClusters(this.#state, this.#written);
  }

  read(manifest: Manifest): void {
    try {
      if (isHelmTest(manifest.object)) {
        if (workloadKindOf(manifest.object) !== undefined) this.helmTests++;
        return;
      }
      const object = asServedToday(manifest.object);
      refuseUnfitSurge(object);
      this.#take(manifest, object);
      const other = notJudged(object);
      if (other !== undefined) this.notJudged.push(other);
      if (hasRollingUpdateBesideRecreate(object)) this.refused.push(manifest);
      this.objects++;
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      this.unreadable.push({ file: manifest.file, line: manifest.line, because: error.message });
    }
  }

  #take(manifest: Manifest, object: JsonObject): void {
    const put = putObject(this.#state, object, '');
    if (put === undefined || put.list === 'namespaces') return;
    if (put.list === 'nodes') this.nodeCount++;
    else if ('claim' in put) this.#takeClaim(manifest, object, put.claim);
    else if ('workload' in put) this.#takeWorkload(manifest, object, put.workload);
    else this.#note(manifest, object, put.list);
  }

  #takeClaim(manifest: Manifest, object: JsonObject, claim: PersistentVolumeClaim): void {
    this.#note(manifest, object, 'persistentvolumeclaims');
    this.homes.add(manifest.file, claim.metadata.namespace, [claim.metadata.name]);
    if (!claim.metadata.deleting) this.subjects.push({ type: 'claim', manifest, claim });
  }

  #takeWorkload(manifest: Manifest, object: JsonObject, workload: Workload): void {
    const { metadata, kind } = workload;
    this.workloadCount++;
    const claimTemplates = kind === 'StatefulSet' ? claimTemplatesIn(object, metadata) : [];
    const refersTo = () => {
      const namespaces = [...new Set([this.homes.homeOf(workload, manifest.file), metadata.namespace, ''])];
      return claimNames(workload).flatMap((name) => namespaces.flatMap((namespace) => idsOfClaim(namespace, name)));
    };
    this.#note(manifest, object, LIST_OF_KIND[kind], { claimTemplates, refersTo });
    if (!mountsVolumes(workload) || isOwnedByWorkload(metadata) || metadata.deleting) return;
    if (metadata.namespace !== '') this.homes.add(manifest.file, metadata.namespace, claimNames(workload));
    this.subjects.push({ type: 'workload', manifest, workload });
  }

  #note(
    manifest: Manifest,
    object: JsonObject,
    list: ListName,
    more: Partial<Pick<WrittenObject, 'refersTo' | 'claimTemplates'>> = {},
  ): void {
    const { namespace, name } = metadataFrom(object);
    const id = idOf({ kind: String(object.kind), namespace, name });
    const refersTo = () => (list === 'horizontalpodautoscalers' ? [targetOf(object)] : []);
    this.#written.push({ file: manifest.file, manifest, object, list, id, refersTo, claimTemplates: [], ...more });
  }
}

/** That of the claim, and that of whichever StatefulSet makes it. */
function idsOfClaim(namespace: string, name: string): readonly string[] {
  const id = idOf({ kind: 'PersistentVolumeClaim', namespace, name });
  const numbered = numberedClaim(name);
  return numbered === undefined ? [id] : [id, idOfNumbered(keyOf(namespace, numbered.prefix))];
}

function targetOf(object: JsonObject): string {
  const { namespace, target } = autoscalerFrom(object);
  return idOf({ ...target, namespace });
}

function claimTemplatesIn(object: JsonObject, { namespace, name }: Metadata): WrittenObject['claimTemplates'] {
  return objectsAt(objectAt(object, 'spec'), 'volumeClaimTemplates').map((template) => {
    const claim = claimFrom(template);
    return [keyOf(namespace, `${claim.metadata.name}-${name}`), { claim, statefulSet: name }];
  });
}
