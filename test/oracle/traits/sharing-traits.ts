import { type Draft, HOSTNAME, NEIGHBOUR, type NeighbourKind, templatesOf } from '../draft.ts';
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
};

function share(draft: Draft, kind: NeighbourKind): void {
  draft.neighbour = { kind, claim: 'data' };
}

/** Two volumes of one handle are one disk, whatever claims stand before them. */
function shareDisk(draft: Draft, kind: NeighbourKind): void {
  addClaim(draft, draft.plan.storage, 'twin', diskName(draft, 'data'));
  draft.neighbour = { kind, claim: 'twin' };
}
