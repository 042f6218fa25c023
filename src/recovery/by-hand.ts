import { keyOf } from '../objects/object-key.ts';
import type { ClaimUse } from './claim-use.ts';
import type { Diagnosis } from './diagnosis.ts';
import { viewOf } from './view.ts';

/** One step of a plan, in the order in which they are to be taken: nothing dangerous comes before what may make it needless. */
export interface Step {
  readonly title: string;
  /** What to type; empty where there is nothing to type. */
  readonly commands: readonly string[];
  /** Whether `--apply` does it. */
  readonly applied: boolean;
}

/** A step that only a person can take. */
export function hand(title: string, commands: readonly string[] = []): Step {
  return { title, commands, applied: false };
}

export function keyText({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return keyOf(namespace, name);
}

/** What to do in the cases for which `--apply` has no step. */
export function byHand(use: ClaimUse, diagnosis: Diagnosis): readonly Step[] {
  const { node = '' } = diagnosis;
  const view = viewOf(use);
  switch (diagnosis.case) {
    case 'claim-deleting': {
      const retain = view.volume?.reclaimPolicy === 'Delete' ? [view.volume.name] : [];
      return [
        ...retain.map((name) =>
          hand('keep the data before the last pod goes', [
            `kubectl patch pv ${name} -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`,
          ]),
        ),
        hand('let the pods that use it end, and the claim go'),
        hand('make the claim again with spec.volumeName of that volume, after its claimRef is taken off', [
          `kubectl patch pv ${view.volume?.name ?? 'VOLUME'} --type json -p '[{"op":"remove","path":"/spec/claimRef"}]'`,
        ]),
      ];
    }
    case 'unmount-hangs':
      return [
        hand(`look at what the kubelet and the CSI driver of ${node} say of unmounting`, [
          `kubectl get pods -A --field-selector spec.nodeName=${node} -o wide`,
          `kubectl get events -A --field-selector involvedObject.kind=Pod --sort-by=.lastTimestamp`,
        ]),
        hand(`restart the CSI driver's pod on ${node}; then its kubelet`),
        hand(`if it still hangs: drain ${node} and restart its machine, which ends every mount in order`, [
          `kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data`,
        ]),
        hand(`only if that cannot be done: power it off, and once it is not Ready`, [
          `rwo-guard recover ${keyText(use)} --node-is-off ${node} --apply`,
        ]),
      ];
    case 'slow-termination':
      return [
        {
          title: 'wait until it has ended; the volume moves by itself then',
          commands: [`rwo-guard who-uses ${keyText(use)}`],
          applied: true,
        },
        hand(
          `if it is past its grace: see why its containers do not end on ${node}; force would leave them running unseen`,
          [`kubectl describe node ${node}`],
        ),
      ];
    case 'replicas-split':
      return [
        hand('scale it to one replica, or give each replica a claim of its own', ['rwo-guard rules replicas-split']),
        hand('or keep its pods on one node by required pod affinity'),
      ];
    case 'volume-limit':
      return [
        hand('add a node, or move pods with volumes of this driver off the node that is to have it', [
          'kubectl get csinodes -o yaml',
          'kubectl get volumeattachments',
        ]),
        hand('a larger machine type often takes more volumes'),
      ];
    case 'mode-refused':
      return [
        hand('make a claim of a mode that the driver takes, and move the data', [
          'rwo-guard rules access-mode-unsupported',
        ]),
        hand('where the driver says that the volume is attached already: look for it at the storage itself'),
      ];
    case 'not-told':
      return [
        hand(
          'look at what the kubelet says of the pod, and the CSI driver of the node',
          view.waiting.slice(0, 3).map(({ namespace, name }) => `kubectl -n ${namespace} describe pod ${name}`),
        ),
      ];
    default:
      return [];
  }
}
