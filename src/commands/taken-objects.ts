import { Interned } from '../cluster/interned.ts';
import type { ScannedKind } from '../cluster/listed-cluster.ts';
import type { JsonObject } from '../objects/json.ts';
import type { Kind } from '../objects/kinds.ts';
import { metadataFrom } from '../objects/metadata.ts';
import { keyOf } from '../objects/object-key.ts';
import { podFrom } from '../objects/pod.ts';
import { type ObjectsByKind, readAs } from '../objects/read-object.ts';
import { volumeAttachmentFrom } from '../objects/volume-attachment.ts';
import { RunningPods } from '../scan/running-pods.ts';
import { ClusterState } from '../snapshot/cluster-state.ts';

/** What is kept of the objects of a cluster while they are read, which may be hundreds of thousands. */
export class TakenObjects {
  readonly state: ClusterState;
  readonly pods: RunningPods;
  /** How many were read. */
  count = 0;
  readonly #interned = new Interned();

  constructor(available: ConstructorParameters<typeof ClusterState>[0]) {
    this.state = new ClusterState(available);
    this.pods = new RunningPods(this.state);
  }

  /** Throws UnreadableObjectError where a field has another type than its API says. */
  take(kind: ScannedKind, object: JsonObject): void {
    this.count++;
    if (kind === 'Pod') this.#takePod(object);
    else if (kind === 'VolumeAttachment') this.#takeAttachment(object);
    else this.#put(kind, object);
  }

  /** As `take`, and drops an attachment that nobody waits for. All pods have been taken. */
  takeAwaited(object: JsonObject): void {
    this.count++;
    const attachment = volumeAttachmentFrom(object);
    if (attachment.attached && this.pods.isAwaited(attachment)) this.pods.addAttachment(attachment);
  }

  #takePod(object: JsonObject): void {
    const pod = podFrom(object);
    if (pod !== undefined) this.pods.add(this.#interned.pod(pod));
  }

  #takeAttachment(object: JsonObject): void {
    const attachment = volumeAttachmentFrom(object);
    if (attachment.attached) this.pods.addAttachment(this.#interned.attachment(attachment));
  }

  #put<K extends Kind>(kind: K, object: JsonObject): void {
    const read = readAs(kind, object);
    const value = this.#interned.object(kind, read);
    const { namespace, name } = metadataFrom(object);
    if (value !== undefined) this.state.set(keyOf(namespace, name), { kind, value });
    else this.#leaveOut(read);
  }

  #leaveOut(object: ObjectsByKind[Kind]): void {
    if ('template' in object) this.pods.addMakerOf(object);
  }
}
