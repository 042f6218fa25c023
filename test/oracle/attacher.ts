import { setTimeout as sleep } from 'node:timers/promises';
import type { V1VolumeAttachment } from '@kubernetes/client-node';
import { type KubernetesApi, KubernetesApiError } from '../control-plane/kubernetes-api.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** As `external-attacher` names its own: while it is there, the attachment is not gone. */
const FINALIZER = 'external-attacher/oracle-example-com';

/** Long enough to be seen, and as short as that. Real drivers take seconds. */
const SHORTEST_MS = 100;
const LONGEST_MS = 500;

/** Plays the CSI attacher: what the controller asks for is attached or detached a moment later. */
export function playAttacher(api: KubernetesApi, world: World, random: Random): void {
  const busy = new Set<string>();
  const look = (name: string): void => {
    const attachment = world.attachments.get('', name);
    if (attachment === undefined || busy.has(name) || isSettled(attachment)) return;
    busy.add(name);
    void sleep(random.between(SHORTEST_MS, LONGEST_MS))
      .then(() => settle(api, world.attachments.get('', name)))
      .finally(() => {
        busy.delete(name);
        look(name);
      });
  };
  world.attachments.onChange(({ metadata }) => look(metadata?.name ?? ''));
}

function isSettled({ metadata, status }: V1VolumeAttachment): boolean {
  if (metadata?.deletionTimestamp !== undefined) return !(metadata.finalizers ?? []).includes(FINALIZER);
  return status?.attached === true;
}

async function settle(api: KubernetesApi, attachment: V1VolumeAttachment | undefined): Promise<void> {
  if (attachment === undefined) return;
  const key = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    name: attachment.metadata?.name ?? '',
  };
  const goes = attachment.metadata?.deletionTimestamp !== undefined;
  try {
    await api.patch(key, 'merge', { metadata: { finalizers: goes ? [] : [FINALIZER] } });
    if (!goes) await api.patch(key, 'merge', { status: { attached: true } }, { subresource: 'status' });
  } catch (error) {
    // Deleted between the look and the write.
    if (!(error instanceof KubernetesApiError && (error.code === 404 || error.code === 409 || error.code === 422))) {
      throw error;
    }
  }
}
