import { booleanAt, type JsonObject, objectAt, stringAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { diskOf, volumeFrom } from './persistent-volume.ts';

/** That a volume of a CSI driver is, or is to be, attached to a node. */
export interface VolumeAttachment {
  readonly name: string;
  /** The PersistentVolume; absent where a disk is written into a pod. */
  readonly volumeName: string | undefined;
  /** The disk that is written into a pod. */
  readonly disk: string | undefined;
  readonly nodeName: string;
  /** Detaching has begun. */
  readonly deleting: boolean;
}

/** Nothing of one that has yet to become true. */
export function attachmentFrom(object: JsonObject): VolumeAttachment | undefined {
  if (booleanAt(objectAt(object, 'status'), 'attached') !== true) return undefined;
  const spec = objectAt(object, 'spec');
  const source = objectAt(spec, 'source');
  const inline = objectAt(source, 'inlineVolumeSpec');
  const { name, deleting } = metadataFrom(object);
  return {
    name,
    volumeName: stringAt(source, 'persistentVolumeName'),
    disk: inline && diskOf(volumeFrom({ spec: inline }).source),
    nodeName: stringAt(spec, 'nodeName') ?? '',
    deleting,
  };
}
