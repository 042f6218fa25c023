import type { V1PersistentVolumeSpec, V1Pod, V1Volume } from '@kubernetes/client-node';
import type { World } from '../world.ts';

/** A disk that a pod needs, and how the controller writes it into `node.status.volumesAttached`. */
export interface Disk {
  readonly plugin: string;
  readonly disk: string;
  /** The kubelet mounts it for one pod at a time. */
  readonly onePod: boolean;
  /** Several nodes may have it at once, as the modes of its volume say. */
  readonly manyNodes: boolean;
}

export function isDisk(attached: string, { plugin, disk }: Disk): boolean {
  return attached.startsWith(plugin) && attached.endsWith(disk);
}

/** The disks that are attached for the pod; `undefined` while one of its claims is not bound. */
export function disksOf(pod: V1Pod, world: World): readonly Disk[] | undefined {
  return disksIn(pod.spec?.volumes ?? [], pod, world);
}

/** The same of those that the pod waits for: the kubelet knows no volume that no container mounts (`pkg/volume/util/util.go:GetPodVolumeNames`). */
export function mountedDisksOf(pod: V1Pod, world: World): readonly Disk[] | undefined {
  const { volumes = [], containers = [], initContainers = [] } = pod.spec ?? {};
  const mounts = [...initContainers, ...containers].flatMap(({ volumeMounts = [], volumeDevices = [] }) => [
    ...volumeMounts,
    ...volumeDevices,
  ]);
  const mounted = new Set(mounts.map(({ name }) => name));
  return disksIn(
    volumes.filter(({ name }) => mounted.has(name)),
    pod,
    world,
  );
}

function disksIn(volumes: readonly V1Volume[], pod: V1Pod, world: World): readonly Disk[] | undefined {
  const disks: Disk[] = [];
  for (const volume of volumes) {
    const claimName = claimNameOf(pod, volume);
    if (claimName === undefined) {
      disks.push(...migrated(volume));
      continue;
    }
    const claim = world.claims.get(pod.metadata?.namespace ?? '', claimName);
    const spec = world.volumes.get('', claim?.spec?.volumeName ?? '')?.spec;
    if (claim?.status?.phase !== 'Bound' || spec === undefined) return undefined;
    disks.push(...disksBehind(spec, world));
  }
  return disks;
}

function claimNameOf(pod: V1Pod, volume: V1Volume): string | undefined {
  if (volume.ephemeral !== undefined) return `${pod.metadata?.name}-${volume.name}`;
  return volume.persistentVolumeClaim?.claimName;
}

function disksBehind(spec: V1PersistentVolumeSpec, world: World): readonly Disk[] {
  const modes = spec.accessModes ?? [];
  const onePod = modes.length === 1 && modes[0] === 'ReadWriteOncePod';
  const manyNodes = modes.includes('ReadWriteMany') || modes.includes('ReadOnlyMany');
  const { csi, fc, iscsi } = spec;
  if (csi !== undefined) {
    if (world.drivers.get('', csi.driver)?.spec.attachRequired === false) return [];
    return [{ plugin: `kubernetes.io/csi/${csi.driver}^`, disk: nameOf(csi.volumeHandle), onePod, manyNodes }];
  }
  if (fc !== undefined) return [{ plugin: 'kubernetes.io/fc/', disk: `[${fc.wwids?.join(' ')}]`, onePod, manyNodes }];
  if (iscsi !== undefined) {
    return [{ plugin: 'kubernetes.io/iscsi/', disk: `${iscsi.iqn}:${iscsi.lun}`, onePod, manyNodes }];
  }
  // The one in-tree volume with more modes here is GCE's, of which only one node ever has it.
  return migrated(spec);
}

/** Disks of the cloud providers, by the CSI driver that took them over. None of these has a CSIDriver object here. */
function migrated(source: Omit<V1Volume, 'name'> | V1PersistentVolumeSpec): readonly Disk[] {
  const manyNodes = source.gcePersistentDisk?.readOnly === true;
  const handles: Readonly<Record<string, string | undefined>> = {
    'ebs.csi.aws.com': source.awsElasticBlockStore?.volumeID,
    'pd.csi.storage.gke.io': source.gcePersistentDisk?.pdName,
    'disk.csi.azure.com': source.azureDisk?.diskURI,
    'cinder.csi.openstack.org': source.cinder?.volumeID,
    'csi.vsphere.vmware.com': source.vsphereVolume?.volumePath,
    'pxd.portworx.com': source.portworxVolume?.volumeID,
  };
  return Object.entries(handles).flatMap(([driver, disk]) =>
    disk === undefined
      ? []
      : [{ plugin: `kubernetes.io/csi/${driver}^`, disk: nameOf(disk), onePod: false, manyNodes }],
  );
}

/** What is left of a disk however it is spelled: by name, by path or by URL. No scenario has two disks of one name. */
function nameOf(disk: string): string {
  return disk.split('/').at(-1) ?? '';
}
