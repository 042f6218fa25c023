import {
  booleanAt,
  type JsonObject,
  MOST_OF_LABEL,
  MOST_OF_OBJECT_NAME,
  objectAt,
  objectsAt,
  shortStringAt,
  stringAt,
  stringMapAt,
} from './json.ts';

/** The part of an object's metadata that decides who judges it. */
export interface Metadata {
  readonly namespace: string;
  /** While only generateName is set, that with a star behind it. */
  readonly name: string;
  /** Only our own annotations: everything else is dropped, so that the watched state stays small. */
  readonly annotations: ReadonlyMap<string, string>;
  /** Deletion has begun: whatever is written now only lets the object go. */
  readonly deleting: boolean;
  readonly controller: OwnerReference | undefined;
}

/** What an object says of its controller. Whoever may write the object may write this, so it proves nothing by itself. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Everything of ours in labels and annotations starts with this. */
export const PREFIX = 'rwo-guard.dev/';

/** `namespace` is empty for cluster-scoped objects. */
export function metadataFrom(object: JsonObject): Metadata {
  const metadata = objectAt(object, 'metadata');
  return {
    namespace: shortStringAt(metadata, 'namespace', MOST_OF_LABEL) ?? '',
    name: shortStringAt(metadata, 'name', MOST_OF_OBJECT_NAME) || generatedName(metadata),
    annotations: stringMapAt(metadata, 'annotations', PREFIX),
    deleting: stringAt(metadata, 'deletionTimestamp') !== undefined,
    controller: controllerOf(metadata),
  };
}

function generatedName(metadata: JsonObject | undefined): string {
  const prefix = shortStringAt(metadata, 'generateName', MOST_OF_OBJECT_NAME);
  return prefix === undefined ? '' : `${prefix}*`;
}

function controllerOf(metadata: JsonObject | undefined): OwnerReference | undefined {
  const owner = objectsAt(metadata, 'ownerReferences').find((reference) => booleanAt(reference, 'controller') === true);
  if (owner === undefined) return undefined;
  return {
    apiVersion: stringAt(owner, 'apiVersion') ?? '',
    kind: stringAt(owner, 'kind') ?? '',
    name: stringAt(owner, 'name') ?? '',
    uid: stringAt(owner, 'uid') ?? '',
  };
}
