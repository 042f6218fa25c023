import { type JsonObject, listAt, objectAt, objectsAt, stringAt } from '../objects/json.ts';
import { keyOf } from '../objects/object-key.ts';
import type { ClaimRef } from './claim-use.ts';

/**
 * A manifest from which a pod of nobody's can be made again: without what the API server and the scheduler gave to it. The node stays
 * only where somebody wrote it, whose field it is then: the scheduler binds past field management (`pkg/registry/core/pod/storage/storage.go:setPodNodeAndMetadata`).
 */
export function savedPod(object: JsonObject): JsonObject {
  const { namespace, name, labels, annotations, finalizers } = objectAt(object, 'metadata') ?? {};
  const { nodeName, ...spec } = objectAt(object, 'spec') ?? {};
  const isAskedFor = objectsAt(objectAt(object, 'metadata'), 'managedFields').some(
    (entry) => objectAt(objectAt(objectAt(entry, 'fieldsV1'), 'f:spec'), 'f:nodeName') !== undefined,
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels, annotations, finalizers },
    spec: {
      ...spec,
      ...(isAskedFor ? { nodeName } : {}),
      ephemeralContainers: undefined,
      volumes: listAt(spec, 'volumes'),
    },
  };
}

export function savedRef(manifest: JsonObject): ClaimRef {
  const metadata = objectAt(manifest, 'metadata');
  return { namespace: stringAt(metadata, 'namespace') ?? '', name: stringAt(metadata, 'name') ?? '' };
}

export function savedKey(manifest: JsonObject): string {
  return keyOfPod(savedRef(manifest));
}

export function keyOfPod({ namespace, name }: ClaimRef): string {
  return keyOf(namespace, name);
}
