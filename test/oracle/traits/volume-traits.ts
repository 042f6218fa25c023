import type {
  V1PersistentVolume,
  V1PersistentVolumeClaimSpec,
  V1PersistentVolumeSpec,
  V1StorageClass,
  V1Volume,
} from '@kubernetes/client-node';
import { containerOf, type Draft, EARTH, HOSTNAME, NORTH, nameOf, SOUTH, templatesOf, ZONE } from '../draft.ts';
import { addClaim, addStorage, driverNameOf, mount, mountClaim, onNode } from '../storage.ts';
import type { Trait } from './trait.ts';

/** Volumes beside the first, where volumes can be used, and who mounts them. */
export const volumeTraits: Readonly<Record<string, Trait>> = {
  'several-claims': {
    variants: {
      exclusive: (draft) => addStorage(draft, 'csi', 'more'),
      shared: (draft) => addStorage(draft, 'csi-rwx', 'more'),
      'not-attached': (draft) => addStorage(draft, 'csi-no-attach', 'more'),
      'one-pod': (draft) => addStorage(draft, 'csi-rwop', 'more'),
    },
  },
  'claim-update': {
    variants: {
      added: (draft) => {
        addClaim(draft, 'csi', 'changing');
        mountClaim(draft.after, 'changing');
      },
      removed: (draft) => {
        addClaim(draft, 'csi', 'changing');
        mountClaim(draft.before, 'changing');
      },
    },
    actions: ['update'],
  },
  'init-container': {
    variants: {
      init: (draft) => initContainer(draft, {}),
      sidecar: (draft) => initContainer(draft, { restartPolicy: 'Always' }),
      'init-port': (draft) => initContainer(draft, { ports: [{ containerPort: 7070, hostPort: 7070 }] }),
      'sidecar-port': (draft) =>
        initContainer(draft, { restartPolicy: 'Always', ports: [{ containerPort: 7070, hostPort: 7070 }] }),
    },
  },
  ephemeral: { variants: { 'generic-ephemeral': ephemeral } },
  'claim-template': {
    variants: {
      'beside-a-shared-claim': (draft) => {
        claimTemplate(draft, 'own');
        for (const template of templatesOf(draft)) {
          containerOf(template).volumeMounts?.push({ name: 'own', mountPath: '/own' });
        }
      },
      // The controller puts each pod's own claim where the template names the shared one.
      'instead-of-the-shared-claim': (draft) => claimTemplate(draft, 'data'),
    },
    kinds: ['StatefulSet'],
  },
  'read-only': {
    variants: {
      claim: (draft) => {
        for (const { spec } of templatesOf(draft)) {
          for (const { persistentVolumeClaim } of spec.volumes ?? []) {
            if (persistentVolumeClaim) persistentVolumeClaim.readOnly = true;
          }
        }
      },
    },
  },
  'block-volume': { variants: { claims: blockVolumes }, exceptStorage: /^(inline|nfs|host-path)|azure-file/ },
  'node-pinned': {
    variants: {
      hostname: (draft) =>
        eachAttached(draft, ({ spec }) => spec && Object.assign(spec, { nodeAffinity: onNode(draft) })),
      // The scheduler compares it with a node that has no name, which holds the volume nowhere.
      'by-name': (draft) => eachAttached(draft, ({ spec }) => spec && Object.assign(spec, byName(draft))),
      'one-zone': (draft) => eachAttached(draft, (volume) => zoneAffinity(volume, [NORTH])),
      'two-zones': (draft) => eachAttached(draft, (volume) => zoneAffinity(volume, [NORTH, SOUTH])),
    },
  },
  // Which pod of a DaemonSet comes first, and so decides on the place, is luck.
  unbound: {
    variants: {
      zonal: (draft) => unbound(draft, 'ebs.csi.aws.com'),
      'one-zone-allowed': (draft) =>
        unbound(draft, driverNameOf(draft), {
          allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: [NORTH] }] }],
        }),
      'node-each': (draft) =>
        byHand(
          draft,
          HOSTNAME,
          nodeNames(draft).map((name) => [name]),
        ),
      'zone-each': (draft) => byHand(draft, ZONE, [[NORTH], [SOUTH]]),
      'zone-and-both': (draft) => byHand(draft, ZONE, [[NORTH], [NORTH, SOUTH]]),
    },
    kinds: ['Deployment', 'StatefulSet', 'ReplicaSet', 'Job', 'CronJob'],
    exceptStorage: /^(?!csi$)/,
  },
  'zone-label': {
    variants: {
      zone: (draft) => eachVolume(draft, (volume) => label(volume, ZONE, NORTH)),
      list: (draft) => eachVolume(draft, (volume) => label(volume, ZONE, `${NORTH}__${SOUTH}`)),
      beta: (draft) => eachVolume(draft, (volume) => label(volume, 'failure-domain.beta.kubernetes.io/zone', NORTH)),
      region: (draft) => eachVolume(draft, (volume) => label(volume, 'topology.kubernetes.io/region', EARTH)),
    },
  },
};

/** The claim waits for its first pod. */
function unbound(draft: Draft, provisioner: string, more: Partial<V1StorageClass> = {}): void {
  const storageClassName = `${nameOf(draft.plan)}-wait`;
  draft.classes.push({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: storageClassName },
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
    ...more,
  });
  const claim = draft.claims.find(({ metadata }) => metadata?.name === 'data');
  Object.assign(claim?.spec ?? {}, { storageClassName, volumeName: undefined });
  const named = `${nameOf(draft.plan)}-data`;
  draft.volumes.splice(0, draft.volumes.length, ...draft.volumes.filter(({ metadata }) => metadata?.name !== named));
}

/** Volumes of which the claim gets one, each usable where this label has these values; the last that fits, as it is the smallest. */
function byHand(draft: Draft, key: string, places: readonly (readonly string[])[]): void {
  const [volume] = draft.volumes.filter(({ metadata }) => metadata?.name === `${nameOf(draft.plan)}-data`);
  unbound(draft, 'kubernetes.io/no-provisioner');
  for (const [index, values] of places.entries()) {
    const name = `${nameOf(draft.plan)}-free-${index}`;
    const terms = [{ matchExpressions: [{ key, operator: 'In', values: [...values] }] }];
    draft.volumes.push({
      ...volume,
      metadata: { name },
      spec: {
        ...volume?.spec,
        capacity: { storage: `${places.length - index}Gi` },
        storageClassName: `${nameOf(draft.plan)}-wait`,
        csi: { driver: driverNameOf(draft), volumeHandle: name },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
    });
  }
}

function nodeNames({ nodes }: Draft): readonly string[] {
  return nodes.map(({ metadata }) => metadata?.name ?? '');
}

function byName({ nodes }: Draft): Pick<V1PersistentVolumeSpec, 'nodeAffinity'> {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodes[0]?.metadata?.name ?? ''] }];
  return { nodeAffinity: { required: { nodeSelectorTerms: [{ matchFields }] } } };
}

function initContainer(draft: Draft, more: object): void {
  for (const template of templatesOf(draft)) {
    const volumeMounts = containerOf(template).volumeMounts ?? [];
    template.spec.initContainers = [{ name: 'init', image: 'example.com/init', volumeMounts, ...more }];
  }
}

/** The controller makes a claim for each pod. Where the scheduler is passed by, nobody says which node it is for. */
function ephemeral(draft: Draft): void {
  const spec = claimFromPool(draft, 'ephemeral');
  for (const template of templatesOf(draft)) {
    mount(template, { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } });
  }
}

function claimTemplate(draft: Draft, name: string): void {
  draft.claimTemplates.push({ metadata: { name }, spec: claimFromPool(draft, 'own') });
}

/**
 * What claims that controllers make ask for, and the volumes that they find by their class: enough for every pod that
 * a scenario ever starts, as none is used twice.
 */
function claimFromPool(draft: Draft, pool: string): V1PersistentVolumeClaimSpec {
  const scheduled = !draft.plan.traits.some(({ trait }) => trait.startsWith('node-name'));
  const storageClassName = `${nameOf(draft.plan)}-${pool}`;
  draft.classes.push({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: storageClassName },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: scheduled ? 'WaitForFirstConsumer' : 'Immediate',
  });
  const accessModes = ['ReadWriteOnce'];
  for (let index = 0; index < 4 * draft.plan.replicas + 4; index++) {
    const name = `${storageClassName}-${index}`;
    draft.volumes.push({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes,
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName,
        csi: { driver: driverNameOf(draft), volumeHandle: name },
      },
    });
  }
  return { accessModes, storageClassName, resources: { requests: { storage: '1Gi' } } };
}

/** Every volume with a claim by name becomes a device. */
function blockVolumes(draft: Draft): void {
  eachVolume(draft, ({ spec }) => void Object.assign(spec ?? {}, { volumeMode: 'Block' }));
  for (const { spec } of draft.claims) Object.assign(spec ?? {}, { volumeMode: 'Block' });
  const claims = new Set(draft.claims.map(({ metadata }) => metadata?.name));
  for (const { spec } of templatesOf(draft)) {
    const devices = new Set((spec.volumes ?? []).filter(isOf(claims)).map(({ name }) => name));
    for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
      const mounts = container.volumeMounts ?? [];
      container.volumeMounts = mounts.filter(({ name }) => !devices.has(name));
      container.volumeDevices = mounts
        .filter(({ name }) => devices.has(name))
        .map(({ name }) => ({ name, devicePath: `/dev/${name}` }));
    }
  }
}

function isOf(claims: ReadonlySet<string | undefined>): (volume: V1Volume) => boolean {
  return ({ persistentVolumeClaim }) =>
    persistentVolumeClaim !== undefined && claims.has(persistentVolumeClaim.claimName);
}

function eachVolume(draft: Draft, change: (volume: V1PersistentVolume) => void): void {
  const named = new Set(draft.claims.map(({ spec }) => spec?.volumeName));
  for (const volume of draft.volumes) if (named.has(volume.metadata?.name)) change(volume);
}

/** A local volume has its node affinity already. */
function eachAttached(draft: Draft, change: (volume: V1PersistentVolume) => void): void {
  eachVolume(draft, (volume) => {
    if (volume.spec?.local === undefined) change(volume);
  });
}

function zoneAffinity({ spec }: V1PersistentVolume, values: string[]): void {
  if (spec === undefined) return;
  const nodeSelectorTerms = [{ matchExpressions: [{ key: ZONE, operator: 'In', values }] }];
  spec.nodeAffinity = { required: { nodeSelectorTerms } };
}

function label({ metadata }: V1PersistentVolume, key: string, value: string): void {
  if (metadata !== undefined) metadata.labels = { ...metadata.labels, [key]: value };
}
