import { known, unknown } from '../objects/fact.ts';
import { type JsonObject, objectAt, objectsAt, UnreadableObjectError } from '../objects/json.ts';
import { isWorkloadKind, kindOf, type WorkloadKind } from '../objects/kinds.ts';
import { type Metadata, metadataFrom } from '../objects/metadata.ts';
import { idOf, keyOf } from '../objects/object-key.ts';
import { claimFrom, type PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import { type ReadObject, readObject } from '../objects/read-object.ts';
import { claimNames, holdsVolumes, makerOf, type Workload } from '../objects/workload.ts';
import { ClusterState } from '../snapshot/cluster-state.ts';
import type { Manifest, Unreadable } from '../yaml/read-manifests.ts';
import { isFilledInLater } from '../yaml/templates.ts';
import { asServedToday } from './api-versions.ts';
import { ClaimNamespaces } from './claim-namespaces.ts';
import { ClusterFromFile } from './cluster-from-file.ts';
import { InputIndex } from './input-index.ts';
import { type InputObject, idsOfClaim, targetOf } from './input-object.ts';
import { isHelmTest, notJudged } from './not-judged.ts';
import { hasRollingUpdateBesideRecreate, refuseUnfitSurge } from './strategy-validation.ts';

/** What is judged: claims, and workloads that mount volumes and that nothing else in Kubernetes made. */
export type LintSubject =
  | { readonly type: 'claim'; readonly manifest: Manifest; readonly claim: PersistentVolumeClaim }
  | { readonly type: 'workload'; readonly manifest: Manifest; readonly workload: Workload };

/** The objects of the input by what they are to a judgement. */
export interface InputObjects {
  readonly index: InputIndex;
  /** The cluster as what stands in this file meets it. */
  readonly clusterFrom: (file: string) => ClusterFromFile;
  readonly claimNamespaces: ClaimNamespaces;
  /** The claims and workloads to judge, in the order of the input. */
  readonly subjects: readonly LintSubject[];
  readonly unreadable: readonly Unreadable[];
  /** What is not read because something else fills in a value later. */
  readonly unfinished: readonly UnfinishedObject[];
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
export function inputObjects(manifests: readonly Manifest[]): InputObjects {
  const reader = new Reader();
  for (const manifest of manifests) reader.read(manifest);
  const {
    claimNamespaces,
    subjects,
    unreadable,
    unfinished,
    objects,
    workloadCount,
    nodeCount,
    helmTests,
    notJudged,
    refused,
  } = reader;
  return {
    ...reader.clusters(),
    claimNamespaces,
    subjects,
    unreadable,
    unfinished,
    objects,
    workloadCount,
    nodeCount,
    helmTests,
    notJudged,
    refused,
  };
}

class Reader {
  readonly claimNamespaces = new ClaimNamespaces();
  readonly subjects: LintSubject[] = [];
  readonly unreadable: Unreadable[] = [];
  readonly unfinished: UnfinishedObject[] = [];
  objects = 0;
  workloadCount = 0;
  nodeCount = 0;
  helmTests = 0;
  readonly notJudged: string[] = [];
  readonly refused: Manifest[] = [];
  readonly #state = new ClusterState((list) =>
    list === 'nodes' && this.nodeCount === 0 ? unknown('there are no nodes in the input') : known(true),
  );
  readonly #written: InputObject[] = [];

  clusters(): Pick<InputObjects, 'index' | 'clusterFrom'> {
    const index = new InputIndex(this.#written);
    return { index, clusterFrom: (file) => new ClusterFromFile(file, index, this.#state) };
  }

  read(manifest: Manifest): void {
    try {
      if (isHelmTest(manifest.object)) {
        if (isWorkloadKind(kindOf(manifest.object))) this.helmTests++;
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
      const unfinished = unfinishedBecause(error);
      if (unfinished !== undefined) this.unfinished.push({ manifest, because: unfinished });
      else this.unreadable.push({ file: manifest.file, line: manifest.line, because: error.message });
    }
  }

  #take(manifest: Manifest, object: JsonObject): void {
    const read = readObject(object, '');
    if (read === undefined) return;
    const { tables } = this.#state;
    switch (read.kind) {
      case 'Node':
        tables.Node.set(read.value.name, read.value);
        this.nodeCount++;
        break;
      case 'Namespace':
        tables.Namespace.set(read.value.name, read.value);
        break;
      case 'PersistentVolumeClaim':
        this.#takeClaim(manifest, object, read);
        break;
      case 'PersistentVolume':
      case 'StorageClass':
      case 'CSIDriver':
      case 'RuntimeClass':
        this.#note(manifest, object, read);
        break;
      case 'HorizontalPodAutoscaler':
        this.#note(manifest, object, read, { refersTo: () => [targetOf(read.value)] });
        break;
      default:
        this.#takeWorkload(manifest, object, read);
    }
  }

  #takeClaim(manifest: Manifest, object: JsonObject, read: ReadObject<'PersistentVolumeClaim'>): void {
    const { metadata } = read.value;
    this.#note(manifest, object, read);
    this.claimNamespaces.add(manifest.file, metadata.namespace, [metadata.name]);
    if (!metadata.deleting) this.subjects.push({ type: 'claim', manifest, claim: read.value });
  }

  #takeWorkload(manifest: Manifest, object: JsonObject, read: ReadObject<WorkloadKind>): void {
    const { value: workload } = read;
    const { metadata, kind } = workload;
    this.workloadCount++;
    const claimTemplates = kind === 'StatefulSet' ? claimTemplatesIn(object, metadata) : NO_TEMPLATES;
    const refersTo = () => {
      const namespaces = [
        ...new Set([this.claimNamespaces.namespaceOf(workload, manifest.file), metadata.namespace, '']),
      ];
      return claimNames(workload).flatMap((name) => namespaces.flatMap((namespace) => idsOfClaim(namespace, name)));
    };
    this.#note(manifest, object, read, { claimTemplates, refersTo });
    if (!holdsVolumes(workload) || makerOf(workload) !== undefined || metadata.deleting) return;
    if (metadata.namespace !== '') this.claimNamespaces.add(manifest.file, metadata.namespace, claimNames(workload));
    this.subjects.push({ type: 'workload', manifest, workload });
  }

  #note(
    manifest: Manifest,
    object: JsonObject,
    read: InputObject['read'],
    more: Partial<Pick<InputObject, 'refersTo' | 'claimTemplates'>> = {},
  ): void {
    const { namespace, name } = metadataFrom(object);
    const id = idOf({ kind: String(object.kind), namespace, name });
    const own = { file: manifest.file, manifest, object, read, nth: this.#written.length, id };
    this.#written.push({ ...own, refersTo: () => [], claimTemplates: NO_TEMPLATES, ...more });
  }
}

const NO_TEMPLATES: InputObject['claimTemplates'] = new Map();

function claimTemplatesIn(object: JsonObject, { namespace, name }: Metadata): InputObject['claimTemplates'] {
  const templates = objectsAt(objectAt(object, 'spec'), 'volumeClaimTemplates');
  return new Map(
    templates.map((template) => {
      const claim = claimFrom(template);
      return [keyOf(namespace, `${claim.metadata.name}-${name}`), { claim, statefulSet: name }];
    }),
  );
}

/** An object of which nothing is known as long as something else has not filled in a value. */
export interface UnfinishedObject {
  readonly manifest: Manifest;
  readonly because: string;
}

/** Why an object is open although it could not be read; `undefined` where somebody has to correct it. */
function unfinishedBecause({ field, found }: UnreadableObjectError): string | undefined {
  return isFilledInLater(found) ? `${field} is ${found}, which is filled in later; lint what comes of it` : undefined;
}
