import {
  booleanAt,
  type JsonObject,
  keptName,
  nameAt,
  objectAt,
  objectsAt,
  stringAt,
  stringMapAt,
  stringsAt,
} from './json.ts';
import { metadataFrom } from './metadata.ts';
import { isIn, type NodeSelectorTerm } from './selector.ts';

export interface StorageClass {
  readonly name: string;
  readonly provisioner: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Alternatives, one of which the node has to match that a volume is made for; `undefined` means any node. */
  readonly allowedTopologies: readonly NodeSelectorTerm[] | undefined;
  /** Volumes are bound, or made, for the first pod and not for the claim. */
  readonly waitsForPod: boolean;
  readonly isDefault: boolean;
  /** RFC 3339, so that text order is time order; empty in a manifest. */
  readonly createdAt: string;
}

export interface CsiDriver {
  readonly name: string;
  readonly attachRequired: boolean;
}

/** `pkg/volume/util/storageclass.go:IsDefaultAnnotation`. */
const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

export function storageClassFrom(object: JsonObject): StorageClass {
  const metadata = objectAt(object, 'metadata');
  const annotations = stringMapAt(metadata, 'annotations');
  return {
    name: metadataFrom(object).name,
    provisioner: stringAt(object, 'provisioner') ?? '',
    parameters: stringMapAt(object, 'parameters'),
    allowedTopologies: allowedTopologiesOf(object),
    waitsForPod: stringAt(object, 'volumeBindingMode') === 'WaitForFirstConsumer',
    isDefault: DEFAULT_ANNOTATIONS.some((annotation) => annotations.get(annotation) === 'true'),
    createdAt: stringAt(metadata, 'creationTimestamp') ?? '',
  };
}

/** `pkg/apis/core/v1/helper/helpers.go:MatchTopologySelectorTerms`. */
function allowedTopologiesOf(object: JsonObject): StorageClass['allowedTopologies'] {
  const terms = objectsAt(object, 'allowedTopologies').map((term) => ({
    expressions: objectsAt(term, 'matchLabelExpressions').map((expression) =>
      isIn(stringAt(expression, 'key') ?? '', ...stringsAt(expression, 'values')),
    ),
    fields: [],
  }));
  return terms.length === 0 ? undefined : terms;
}

/** The annotation that is older than `spec.storageClassName`, and still the stronger of the two. */
const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** The class that a claim or a volume names (`component-helpers/storage/volume/helpers.go:GetPersistentVolumeClaimClass`). */
export function storageClassNameOf(object: JsonObject): string | undefined {
  const annotations = stringMapAt(objectAt(object, 'metadata'), 'annotations');
  const beta = annotations.get(BETA_STORAGE_CLASS);
  return beta === undefined ? nameAt(objectAt(object, 'spec'), 'storageClassName') : keptName(beta);
}

/** `attachRequired` is true where it is not written (`pkg/apis/storage/v1/defaults.go:SetDefaults_CSIDriver`). */
export function csiDriverFrom(object: JsonObject): CsiDriver {
  return {
    name: metadataFrom(object).name,
    attachRequired: booleanAt(objectAt(object, 'spec'), 'attachRequired') ?? true,
  };
}

/** Of several default classes the newest counts, then the lowest name (`pkg/volume/util/storageclass.go:GetDefaultClass`). */
export function defaultClassOf(classes: Iterable<StorageClass>): StorageClass | undefined {
  let chosen: StorageClass | undefined;
  for (const candidate of classes) {
    if (candidate.isDefault && (chosen === undefined || comesBefore(candidate, chosen))) chosen = candidate;
  }
  return chosen;
}

function comesBefore(a: StorageClass, b: StorageClass): boolean {
  return a.createdAt === b.createdAt ? a.name < b.name : a.createdAt > b.createdAt;
}
