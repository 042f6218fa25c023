import { type JsonObject, stringAt } from './json.ts';

export type VolumeMode = 'Filesystem' | 'Block';

/** Filesystem where none is written (`pkg/apis/core/v1/defaults.go:SetDefaults_PersistentVolumeSpec`). */
export function volumeModeAt(spec: JsonObject | undefined): VolumeMode {
  return stringAt(spec, 'volumeMode') === 'Block' ? 'Block' : 'Filesystem';
}
