import {
  type Draft,
  EARTH,
  HOSTNAME,
  NEIGHBOUR,
  type NeighbourKind,
  NORTH,
  nameOf,
  SOUTH,
  templatesOf,
  ZONE,
} from '../draft.ts';
import { addClaim, diskName } from '../storage.ts';
import type { Trait } from './trait.ts';

/** Another workload that uses the first volume, and is there first. Only claims are looked up by who mounts them. */
export const sharingTraits: Readonly<Record<string, Trait>> = {
  neighbour: {
    variants: {
      deployment: (draft) => share(draft, 'Deployment'),
      'stateful-set': (draft) => share(draft, 'StatefulSet'),
      'replica-set': (draft) => share(draft, 'ReplicaSet'),
      job: (draft) => share(draft, 'Job'),
      'one-disk': (draft) => shareDisk(draft, 'Deployment'),
      'one-disk-job': (draft) => shareDisk(draft, 'Job'),
      held: (draft) => {
        share(draft, 'Deployment');
        for (const { spec } of templatesOf(draft)) {
          const labelSelector = { matchLabels: { app: NEIGHBOUR } };
          const podAffinity = {
            requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: HOSTNAME }],
          };
          spec.affinity = { ...spec.affinity, podAffinity };
        }
      },
    },
    exceptStorage: /^inline-/,
  },
  // The other workload has the disk by the handle that the in-tree volume is translated to.
  respelled: {
    variants: { handle: (draft) => shareByHandle(draft) },
    exceptStorage: /^(?!migrated-(aws|gce)$)/,
  },
};

function shareByHandle(draft: Draft): void {
  shareDisk(draft, 'Deployment');
  const [data, twin] = ['data', 'twin'].map((suffix) =>
    draft.volumes.find(({ metadata }) => metadata?.name === `${nameOf(draft.plan)}-${suffix}`),
  );
  const { awsElasticBlockStore: aws, gcePersistentDisk: gce } = twin?.spec ?? {};
  if (data?.spec === undefined || twin?.spec === undefined) throw new Error('Both have a volume');
  if (aws !== undefined) {
    data.spec.awsElasticBlockStore = { volumeID: `aws://${NORTH}/${aws.volumeID}` };
    twin.spec.csi = { driver: 'ebs.csi.aws.com', volumeHandle: aws.volumeID };
    delete twin.spec.awsElasticBlockStore;
  }
  if (gce !== undefined) {
    data.metadata = { ...data.metadata, labels: { ...data.metadata?.labels, [ZONE]: `${NORTH}__${SOUTH}` } };
    const volumeHandle = `projects/UNSPECIFIED/regions/${EARTH}/disks/${gce.pdName}`;
    twin.spec.csi = { driver: 'pd.csi.storage.gke.io', volumeHandle };
    delete twin.spec.gcePersistentDisk;
  }
}

function share(draft: Draft, kind: NeighbourKind): void {
  draft.neighbour = { kind, claim: 'data' };
}

/** Two volumes of one handle are one disk, whatever claims stand before them. */
function shareDisk(draft: Draft, kind: NeighbourKind): void {
  addClaim(draft, draft.plan.storage, 'twin', diskName(draft, 'data'));
  draft.neighbour = { kind, claim: 'twin' };
}
