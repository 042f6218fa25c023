import { type JsonObject, objectAt, objectsAt, stringAt, stringMapAt, stringsAt } from './json.ts';
import { metadataFrom, PREFIX } from './metadata.ts';
import { type Taint, taintFrom } from './toleration.ts';

/** What a Node says of how it fares, and of the volumes that it has. */
export interface NodeStatus {
  readonly name: string;
  /** Of its condition Ready; a node without one is `Unknown` (`pkg/util/node/node.go:IsNodeReady`). */
  readonly ready: 'True' | 'False' | 'Unknown';
  /** Since when it is so, as the API writes times. */
  readonly readySince: string | undefined;
  readonly taints: readonly Taint[];
  readonly deleting: boolean;
  /** Which start of its machine it runs: another one after every boot. */
  readonly bootId: string | undefined;
  /** What the kubelet says that it has mounted, as `kubernetes.io/csi/<driver>^<handle>`. */
  readonly volumesInUse: readonly string[];
  readonly volumesAttached: readonly string[];
  /** Only our own annotations. */
  readonly annotations: ReadonlyMap<string, string>;
}

/** The taint that says that a node's machine is off (`k8s.io/api/core/v1/well_known_taints.go:TaintNodeOutOfService`). */
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

export function nodeStatusFrom(object: JsonObject): NodeStatus {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const ready = objectsAt(status, 'conditions').find((condition) => stringAt(condition, 'type') === 'Ready');
  const said = stringAt(ready, 'status');
  const { name, deleting } = metadataFrom(object);
  return {
    name,
    deleting,
    ready: said === 'True' || said === 'False' ? said : 'Unknown',
    readySince: stringAt(ready, 'lastTransitionTime'),
    taints: objectsAt(spec, 'taints').map(taintFrom),
    bootId: stringAt(objectAt(status, 'nodeInfo'), 'bootID') || undefined,
    volumesInUse: stringsAt(status, 'volumesInUse'),
    volumesAttached: objectsAt(status, 'volumesAttached').map((volume) => stringAt(volume, 'name') ?? ''),
    annotations: stringMapAt(objectAt(object, 'metadata'), 'annotations', PREFIX),
  };
}

/** On a node, written when that taint came: the boot id of that moment. Another one later tells that the machine started anew since. */
export const BOOT_ID_ANNOTATION = `${PREFIX}out-of-service-boot-id`;

/** Whether somebody said that its machine is off; the attach-detach controller looks at the key alone (`pkg/controller/volume/attachdetach/reconciler/reconciler.go:hasOutOfServiceTaint`). */
export function isOutOfService({ taints }: Pick<NodeStatus, 'taints'>): boolean {
  return taints.some(({ key }) => key === OUT_OF_SERVICE);
}
