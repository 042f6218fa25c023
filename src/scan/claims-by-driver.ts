import type { PersistentVolume } from '../objects/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { ScannedCluster } from '../report/scan-report.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';

/** How many claims each driver has, most first. */
export function claimsByDriver(
  claims: readonly PersistentVolumeClaim[],
  snapshot: Pick<ClusterSnapshot, 'get'>,
): ScannedCluster['claimsByDriver'] {
  const counts = new Map<string, number>();
  for (const claim of claims) {
    const driver = driverOf(claim, snapshot);
    counts.set(driver, (counts.get(driver) ?? 0) + 1);
  }
  return [...counts]
    .map(([driver, count]) => ({ driver, claims: count }))
    .sort((one, other) => other.claims - one.claims || (one.driver < other.driver ? -1 : 1));
}

function driverOf({ volumeName }: PersistentVolumeClaim, snapshot: Pick<ClusterSnapshot, 'get'>): string {
  if (volumeName === '') return 'unbound';
  const volume = snapshot.get('PersistentVolume', '', volumeName);
  return volume.known && volume.value !== undefined ? nameOf(volume.value.source) : 'unknown';
}

function nameOf(source: PersistentVolume['source']): string {
  switch (source.type) {
    case 'csi':
    case 'flexVolume':
      return source.driver;
    case 'tracked':
    case 'unattached':
      return source.plugin;
    default:
      return source satisfies never;
  }
}
