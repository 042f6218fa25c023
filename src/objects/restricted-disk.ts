import { booleanAt, type JsonObject, objectAt, stringAt, stringsAt } from './json.ts';

/** A disk written into a pod that several pods of one node may have only if all of them just read it. */
export interface RestrictedDisk {
  readonly volume: string;
  /** Two disks with a name in common are one. */
  readonly names: readonly string[];
  readonly readOnly: boolean;
}

/**
 * The disks as the scheduler compares them, which is by the volume's own words and not by the disk behind
 * (`scheduler/framework/plugins/volumerestrictions:isVolumeConflict`); none for volumes of other types.
 */
export function restrictedDisksFrom(object: JsonObject): readonly RestrictedDisk[] {
  const volume = stringAt(object, 'name') ?? '';
  const gce = objectAt(object, 'gcePersistentDisk');
  if (gce !== undefined) return [{ volume, names: [`gce ${stringAt(gce, 'pdName')}`], readOnly: isReadOnly(gce) }];
  const aws = objectAt(object, 'awsElasticBlockStore');
  // One pod at a time, also to read.
  if (aws !== undefined) return [{ volume, names: [`aws ${stringAt(aws, 'volumeID')}`], readOnly: false }];
  const iscsi = objectAt(object, 'iscsi');
  // Whatever portal and unit.
  if (iscsi !== undefined) return [{ volume, names: [`iscsi ${stringAt(iscsi, 'iqn')}`], readOnly: isReadOnly(iscsi) }];
  const rbd = objectAt(object, 'rbd');
  return rbd === undefined ? [] : [{ volume, names: imageNames(rbd), readOnly: isReadOnly(rbd) }];
}

/** One for each monitor (`pkg/apis/core/v1/defaults.go:SetDefaults_RBDVolumeSource`). */
function imageNames(rbd: JsonObject): readonly string[] {
  const image = `${stringAt(rbd, 'pool') || 'rbd'}/${stringAt(rbd, 'image')}`;
  return stringsAt(rbd, 'monitors').map((monitor) => `rbd ${image} at ${monitor}`);
}

function isReadOnly(disk: JsonObject): boolean {
  return booleanAt(disk, 'readOnly') ?? false;
}
