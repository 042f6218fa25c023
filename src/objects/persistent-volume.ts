import { type AccessMode, accessModesAt } from './access-mode.ts';
import { migratedDisk } from './in-tree-disk.ts';
import { booleanAt, countAt, type JsonObject, objectAt, objectsAt, stringAt, stringMapAt, stringsAt } from './json.ts';
import { metadataFrom } from './metadata.ts';
import { type NodeSelectorTerm, nodeSelectorTermFrom } from './selector.ts';
import { type VolumeOffer, volumeOfferFrom } from './volume-offer.ts';
import { ZONE_LABELS } from './zone.ts';

/**
 * What a volume is, as far as attaching goes. In-tree disks are `csi` here: their migration to the CSI driver has been
 * unconditional since Kubernetes 1.31 (`pkg/volume/csimigration/plugin_manager.go:IsMigrationEnabledForPlugin`).
 */
export type VolumeSource =
  | { readonly type: 'csi'; readonly driver: string; readonly handle: string }
  /** The controller tracks these although attaching does nothing (`pkg/volume/fc`, `pkg/volume/iscsi`). */
  | { readonly type: 'tracked'; readonly plugin: 'fc' | 'iscsi'; readonly handle: string }
  /** Attaches if the vendor's program says so, which no API object tells. */
  | { readonly type: 'flexVolume'; readonly driver: string }
  /** NFS, hostPath, local and whatever else is mounted without being attached. */
  | { readonly type: 'unattached'; readonly plugin: string };

export interface PersistentVolume {
  readonly name: string;
  /** The modes as the attach-detach controller reads them, so an in-tree GCE disk is never ReadWriteMany. */
  readonly accessModes: readonly AccessMode[];
  readonly source: VolumeSource;
  readonly claimRef: { readonly namespace: string; readonly name: string } | undefined;
  /** What it has for the claim that gets it; `undefined` once it is bound, released or being deleted. */
  readonly offer: VolumeOffer | undefined;
  /** Alternatives, one of which the node has to match; `undefined` means any node. */
  readonly nodeAffinity: readonly NodeSelectorTerm[] | undefined;
  /** Zone and region labels with the values allowed, which the VolumeZone plugin compares with the node's. */
  readonly zones: ReadonlyMap<string, readonly string[]>;
}

export function volumeFrom(object: JsonObject): PersistentVolume {
  const spec = objectAt(object, 'spec');
  return {
    name: metadataFrom(object).name,
    accessModes: migratedModes(spec, accessModesAt(spec, 'accessModes')),
    source: sourceOf(object),
    claimRef: claimRefOf(spec),
    offer: volumeOfferFrom(object),
    nodeAffinity: nodeAffinityOf(spec),
    zones: zonesOf(stringMapAt(objectAt(object, 'metadata'), 'labels')),
  };
}

function sourceOf(volume: JsonObject): VolumeSource {
  const spec = objectAt(volume, 'spec');
  const csi = objectAt(spec, 'csi');
  if (csi !== undefined) {
    return { type: 'csi', driver: stringAt(csi, 'driver') ?? '', handle: stringAt(csi, 'volumeHandle') ?? '' };
  }
  return migratedDisk(spec, volume) ?? otherSource(spec);
}

function otherSource(spec: JsonObject | undefined): VolumeSource {
  const fc = objectAt(spec, 'fc');
  if (fc !== undefined) return { type: 'tracked', plugin: 'fc', handle: fibreChannelHandle(fc) };
  const iscsi = objectAt(spec, 'iscsi');
  if (iscsi !== undefined) return { type: 'tracked', plugin: 'iscsi', handle: iscsiHandle(iscsi) };
  const flex = objectAt(spec, 'flexVolume');
  if (flex !== undefined) return { type: 'flexVolume', driver: stringAt(flex, 'driver') ?? '' };
  return { type: 'unattached', plugin: UNATTACHED.find((plugin) => objectAt(spec, plugin) !== undefined) ?? '' };
}

/** Fields of `PersistentVolumeSource` that are no disks (`pkg/apis/core/types.go`). */
const UNATTACHED = ['nfs', 'hostPath', 'local', 'cephfs', 'glusterfs', 'azureFile'] as const;

/** `pkg/volume/fc/fc.go:GetVolumeName`. */
function fibreChannelHandle(fc: JsonObject): string {
  const targets = stringsAt(fc, 'targetWWNs');
  return targets.length > 0 ? `${targets}:${countAt(fc, 'lun') ?? 0}` : `${stringsAt(fc, 'wwids')}`;
}

/** `pkg/volume/iscsi/iscsi.go:GetVolumeName`. */
function iscsiHandle(iscsi: JsonObject): string {
  return `${stringAt(iscsi, 'targetPortal')}:${stringAt(iscsi, 'iqn')}:${countAt(iscsi, 'lun') ?? 0}`;
}

/**
 * Which disk it is, to the attach-detach controller: two volumes of one disk are one to it
 * (`pkg/volume/util/util.go:GetUniqueVolumeName`). `undefined` for what it does not tell apart by itself.
 */
export function diskOf(source: VolumeSource): string | undefined {
  switch (source.type) {
    case 'csi':
      return `${source.driver}^${source.handle}`;
    case 'tracked':
      return `${source.plugin}^${source.handle}`;
    case 'flexVolume':
    case 'unattached':
      return undefined;
    default:
      return source satisfies never;
  }
}

/** Its driver or plugin, as its spec names it; empty for one that is not known. */
export function nameOfSource(source: VolumeSource): string {
  return 'driver' in source ? source.driver : source.plugin;
}

/** `csi-translation-lib/plugins/gce_pd.go:backwardCompatibleAccessModes`: an in-tree GCE disk is never shared for writing. */
function migratedModes(spec: JsonObject | undefined, modes: readonly AccessMode[]): readonly AccessMode[] {
  if (objectAt(spec, 'gcePersistentDisk') === undefined) return modes;
  if (modes.includes('ReadWriteMany') || modes.includes('ReadWriteOnce')) return ['ReadWriteOnce'];
  return modes;
}

function claimRefOf(spec: JsonObject | undefined): PersistentVolume['claimRef'] {
  const reference = objectAt(spec, 'claimRef');
  if (reference === undefined) return undefined;
  return { namespace: stringAt(reference, 'namespace') ?? '', name: stringAt(reference, 'name') ?? '' };
}

/**
 * A volume's terms are compared with a node that has labels and no name, and of that every field holds
 * (`component-helpers/storage/volume/helpers.go:CheckNodeAffinity`).
 */
function nodeAffinityOf(spec: JsonObject | undefined): readonly NodeSelectorTerm[] | undefined {
  const required = objectAt(objectAt(spec, 'nodeAffinity'), 'required');
  if (required === undefined) return undefined;
  const terms = objectsAt(required, 'nodeSelectorTerms').map(nodeSelectorTermFrom);
  if (terms.some(({ expressions, fields }) => expressions.length === 0 && fields.length > 0)) return undefined;
  return terms.map((term) => ({ ...term, fields: [] }));
}

/** `a__b` lists several zones (`staging/cloud-provider/volume/helpers/zones.go:LabelZonesToSet`). */
function zonesOf(labels: ReadonlyMap<string, string>): PersistentVolume['zones'] {
  const zones = new Map<string, readonly string[]>();
  for (const label of ZONE_LABELS) {
    const value = labels.get(label);
    if (value !== undefined) zones.set(label, value.split('__'));
  }
  return zones;
}

/**
 * A disk written straight into a pod, as the attach-detach controller translates it
 * (`pkg/controller/volume/attachdetach/util/util.go:CreateVolumeSpecWithNodeMigration`); `undefined` for other volumes.
 */
export function inlineDiskFrom(
  volume: JsonObject,
): { readonly source: VolumeSource; readonly accessModes: readonly AccessMode[] } | undefined {
  const source = migratedDisk(volume);
  if (source === undefined) return undefined;
  return { source, accessModes: [inlineMode(volume)] };
}

function inlineMode(volume: JsonObject): AccessMode {
  if (objectAt(volume, 'azureFile') !== undefined) return 'ReadWriteMany';
  const readOnlySharable = objectAt(volume, 'gcePersistentDisk') ?? objectAt(volume, 'portworxVolume');
  return booleanAt(readOnlySharable, 'readOnly') === true ? 'ReadOnlyMany' : 'ReadWriteOnce';
}
