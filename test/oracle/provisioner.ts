import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { type KubernetesApi, KubernetesApiError, type KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { ZONE } from './draft.ts';
import type { World } from './world.ts';

/** Written by the scheduler once it knows where the first pod of a claim goes (`volumebinding/binder.go`). */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Written by the volume controller onto claims that somebody outside has to make a volume for. */
const PROVISIONER = 'volume.kubernetes.io/storage-provisioner';

/** Plays the provisioners: a claim whose first pod has a node gets a disk in the zone of that node. */
export function playProvisioner(api: KubernetesApi, world: World): void {
  const made = new Set<string>();
  world.claims.onChange((claim, isGone) => {
    const { uid = '', annotations = {} } = claim.metadata ?? {};
    const [driver, nodeName] = [annotations[PROVISIONER], annotations[SELECTED_NODE]];
    if (isGone || driver === undefined || nodeName === undefined || made.has(uid)) return;
    made.add(uid);
    const zone = world.nodes.get('', nodeName)?.metadata?.labels?.[ZONE] ?? '';
    void create(api, volumeFor(claim, driver, zone));
  });
}

/** The volumes that were made for the claims of this namespace. */
export function provisionedIn(world: World, namespace: string): readonly KubernetesObject[] {
  const volumes = world.claims.in(namespace).flatMap((claim) => world.volumes.get('', nameOf(claim)) ?? []);
  return volumes.map((volume) => ({ ...(volume as KubernetesObject), apiVersion: 'v1', kind: 'PersistentVolume' }));
}

/** As `external-provisioner` names them. */
function nameOf({ metadata }: V1PersistentVolumeClaim): string {
  return `pvc-${metadata?.uid}`;
}

function volumeFor(claim: V1PersistentVolumeClaim, driver: string, zone: string): KubernetesObject {
  const { namespace, name, uid } = claim.metadata ?? {};
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: nameOf(claim) },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: claim.spec?.accessModes,
      storageClassName: claim.spec?.storageClassName,
      volumeMode: claim.spec?.volumeMode,
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      csi: { driver, volumeHandle: `vol-${uid}` },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }] },
      },
    },
  };
  return volume;
}

async function create(api: KubernetesApi, volume: KubernetesObject): Promise<void> {
  try {
    await api.create<KubernetesObject>(volume);
  } catch (error) {
    if (!(error instanceof KubernetesApiError && error.code === 409)) throw error;
  }
}
