import { type JsonObject, stringAt, stringsAt, UnreadableObjectError } from './json.ts';

export const ACCESS_MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] as const;

export type AccessMode = (typeof ACCESS_MODES)[number];

export function accessModesAt(object: JsonObject | undefined, key: string): readonly AccessMode[] {
  return stringsAt(object, key).map((text) => {
    const mode = ACCESS_MODES.find((candidate) => candidate === text);
    if (mode !== undefined) return mode;
    throw new UnreadableObjectError(key, `one of ${ACCESS_MODES.join(', ')}`, text);
  });
}

/**
 * Whether a volume of these modes may be attached to one node only. An empty list is not exclusive
 * (`pkg/volume/util/util.go:IsMultiAttachAllowed`).
 */
export function isExclusive(modes: readonly AccessMode[]): boolean {
  return modes.length > 0 && !modes.includes('ReadWriteMany') && !modes.includes('ReadOnlyMany');
}

/** Whether one pod at most may use the claim (`scheduler/framework/plugins/volumerestrictions`). */
export function isOnePod(modes: readonly AccessMode[]): boolean {
  return modes.includes('ReadWriteOncePod');
}

export type VolumeMode = 'Filesystem' | 'Block';

/** Filesystem where none is written (`pkg/apis/core/v1/defaults.go:SetDefaults_PersistentVolumeSpec`). */
export function volumeModeAt(spec: JsonObject | undefined): VolumeMode {
  return stringAt(spec, 'volumeMode') === 'Block' ? 'Block' : 'Filesystem';
}
