import { booleanAt, type JsonObject, objectAt, stringAt, stringsAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { diskOf, volumeFrom } from './persistent-volume.ts';

/** A VolumeAttachment: a volume that is, or is to be, attached to a node. Only when it has gone, the volume is detached. */
export interface VolumeAttachment {
  readonly name: string;
  /** The CSI driver that attaches. */
  readonly attacher: string;
  readonly nodeName: string;
  /** The PersistentVolume; empty where a disk is written into a pod. */
  readonly volumeName: string;
  /** The disk that is written into a pod. */
  readonly disk: string | undefined;
  /** The driver has said that it is attached; nothing follows from `false`, for it may be half way. */
  readonly attached: boolean;
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  /** What the driver said last, where it failed. */
  readonly attachError: string | undefined;
  readonly detachError: string | undefined;
}

export function volumeAttachmentFrom(object: JsonObject): VolumeAttachment {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const source = objectAt(spec, 'source');
  const inline = objectAt(source, 'inlineVolumeSpec');
  const { name, deleting } = metadataFrom(object);
  return {
    name,
    deleting,
    attacher: stringAt(spec, 'attacher') ?? '',
    nodeName: stringAt(spec, 'nodeName') ?? '',
    volumeName: stringAt(source, 'persistentVolumeName') ?? '',
    disk: inline && diskOf(volumeFrom({ spec: inline }).source),
    attached: booleanAt(status, 'attached') ?? false,
    finalizers: stringsAt(objectAt(object, 'metadata'), 'finalizers'),
    attachError: stringAt(objectAt(status, 'attachError'), 'message'),
    detachError: stringAt(objectAt(status, 'detachError'), 'message'),
  };
}

/** The finalizer by which a driver's attacher keeps it until its volume is detached (`external-attacher/pkg/controller/util.go:GetFinalizerName`). */
export function finalizerOf(attacher: string): string {
  const name = attacher.replaceAll(/[^a-zA-Z0-9-]/g, '-');
  return `external-attacher/${name}${name.endsWith('-') ? 'X' : ''}`;
}
