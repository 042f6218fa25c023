import type { AccessMode } from './access-mode.ts';
import {
  booleanAt,
  countAt,
  type JsonObject,
  labelsAt,
  nameAt,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
} from './json.ts';
import { inlineDiskFrom, type VolumeSource } from './persistent-volume.ts';
import { type Request, requestsOf } from './requests.ts';
import { type RestrictedDisk, restrictedDisksFrom } from './restricted-disk.ts';
import {
  isIn,
  type LabelSelector,
  labelSelectorAt,
  type NodeSelectorTerm,
  nodeSelectorTermFrom,
  type Requirement,
} from './selector.ts';
import { type Toleration, tolerationsAt } from './toleration.ts';

/** What of a pod template decides where its pods land and which volumes they hold. */
export interface PodTemplate {
  readonly labels: ReadonlyMap<string, string>;
  /** Set, it goes past the scheduler: the pod runs there or nowhere. */
  readonly nodeName: string | undefined;
  /** Whose nodes and tolerations its pods get besides. */
  readonly runtimeClassName: string | undefined;
  readonly nodeSelector: readonly Requirement[];
  /** Required node affinity: alternatives, one of which has to match; `undefined` means any node. */
  readonly nodeAffinity: readonly NodeSelectorTerm[] | undefined;
  readonly tolerations: readonly Toleration[];
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  /** DoNotSchedule only: the rest is a preference. */
  readonly spread: readonly SpreadConstraint[];
  readonly hostPorts: readonly HostPort[];
  readonly requests: readonly Request[];
  readonly volumes: readonly PodVolume[];
  readonly restrictedDisks: readonly RestrictedDisk[];
}

/** A required term of pod affinity or anti-affinity; preferred ones hold nothing and are left out. */
export interface PodAffinityTerm {
  readonly topologyKey: string;
  readonly selector: LabelSelector | undefined;
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | undefined;
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys: readonly string[];
}

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** Fewer nodes than this count as if an empty one were among them. */
  readonly minDomains: number;
  readonly selector: LabelSelector | undefined;
  readonly matchLabelKeys: readonly string[];
  /** Whether nodes that the pod's own selectors, or its tolerations, leave out count as places to spread over. */
  readonly countsUnselected: boolean;
  readonly countsTainted: boolean;
}

export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly hostIP: string;
}

/** A volume that other pods of the same template share. Ephemeral volumes are per pod and do not occur here. */
export type PodVolume =
  | (Mountable & { readonly type: 'claim'; readonly claimName: string })
  | (Mountable & {
      readonly type: 'disk';
      readonly source: VolumeSource;
      readonly accessModes: readonly AccessMode[];
    });

interface Mountable {
  readonly volume: string;
  /** Whether a container uses it: for any other the kubelet does not wait, although it is attached. */
  readonly isMounted: boolean;
}

export function podTemplateFrom(template: JsonObject | undefined): PodTemplate {
  const spec = objectAt(template, 'spec');
  const affinity = objectAt(spec, 'affinity');
  return {
    labels: labelsAt(objectAt(template, 'metadata'), 'labels'),
    nodeName: stringAt(spec, 'nodeName') || undefined,
    runtimeClassName: stringAt(spec, 'runtimeClassName') || undefined,
    nodeSelector: [...labelsAt(spec, 'nodeSelector')].map(([label, value]) => isIn(label, value)),
    nodeAffinity: nodeAffinityOf(objectAt(affinity, 'nodeAffinity')),
    tolerations: tolerationsAt(spec, 'tolerations'),
    podAffinity: objectsAt(objectAt(affinity, 'podAffinity'), REQUIRED).map(podAffinityTermFrom),
    podAntiAffinity: objectsAt(objectAt(affinity, 'podAntiAffinity'), REQUIRED).map(podAffinityTermFrom),
    spread: objectsAt(spec, 'topologySpreadConstraints')
      .filter((constraint) => stringAt(constraint, 'whenUnsatisfiable') === 'DoNotSchedule')
      .map(spreadConstraintFrom),
    hostPorts: hostPortsOf(spec),
    requests: requestsOf(spec),
    volumes: podVolumesOf(spec),
    restrictedDisks: objectsAt(spec, 'volumes').flatMap(restrictedDisksFrom),
  };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

function nodeAffinityOf(nodeAffinity: JsonObject | undefined): readonly NodeSelectorTerm[] | undefined {
  const required = objectAt(nodeAffinity, REQUIRED);
  return required === undefined ? undefined : objectsAt(required, 'nodeSelectorTerms').map(nodeSelectorTermFrom);
}

function podAffinityTermFrom(term: JsonObject): PodAffinityTerm {
  return {
    topologyKey: stringAt(term, 'topologyKey') ?? '',
    selector: labelSelectorAt(term, 'labelSelector'),
    namespaces: stringsAt(term, 'namespaces'),
    namespaceSelector: labelSelectorAt(term, 'namespaceSelector'),
    matchLabelKeys: stringsAt(term, 'matchLabelKeys'),
    mismatchLabelKeys: stringsAt(term, 'mismatchLabelKeys'),
  };
}

function spreadConstraintFrom(constraint: JsonObject): SpreadConstraint {
  return {
    topologyKey: stringAt(constraint, 'topologyKey') ?? '',
    maxSkew: countAt(constraint, 'maxSkew') ?? 1,
    minDomains: countAt(constraint, 'minDomains') ?? 1,
    selector: labelSelectorAt(constraint, 'labelSelector'),
    matchLabelKeys: stringsAt(constraint, 'matchLabelKeys'),
    countsUnselected: stringAt(constraint, 'nodeAffinityPolicy') === 'Ignore',
    countsTainted: stringAt(constraint, 'nodeTaintsPolicy') !== 'Honor',
  };
}

/** `pkg/scheduler/util/utils.go:GetHostPorts`: containers, and init containers that keep running beside them. */
function hostPortsOf(spec: JsonObject | undefined): readonly HostPort[] {
  const sidecars = objectsAt(spec, 'initContainers').filter((init) => stringAt(init, 'restartPolicy') === 'Always');
  const hostNetwork = booleanAt(spec, 'hostNetwork') ?? false;
  return [...sidecars, ...objectsAt(spec, 'containers')].flatMap((container) =>
    objectsAt(container, 'ports').flatMap((port) => hostPortFrom(port, hostNetwork)),
  );
}

/** With hostNetwork a container port is a host port (`pkg/apis/core/v1/defaults.go:defaultHostNetworkPorts`). */
function hostPortFrom(port: JsonObject, hostNetwork: boolean): readonly HostPort[] {
  const number = countAt(port, 'hostPort') || (hostNetwork ? (countAt(port, 'containerPort') ?? 0) : 0);
  if (number === 0) return [];
  return [{ port: number, protocol: stringAt(port, 'protocol') ?? 'TCP', hostIP: stringAt(port, 'hostIP') ?? '' }];
}

/** The volumes of a pod that others may share. */
export function podVolumesOf(spec: JsonObject | undefined): readonly PodVolume[] {
  // Without containers it is a part of a template, of which the rest may mount everything.
  const isWhole = objectsAt(spec, 'containers').length > 0;
  let mounted: ReadonlySet<string> | undefined;
  return objectsAt(spec, 'volumes').flatMap((object): PodVolume | readonly PodVolume[] => {
    const volume = stringAt(object, 'name') ?? '';
    const claimName = nameAt(objectAt(object, 'persistentVolumeClaim'), 'claimName');
    const disk = claimName === undefined ? inlineDiskFrom(object) : undefined;
    if (claimName === undefined && disk === undefined) return [];
    mounted ??= mountedIn(spec);
    const isMounted = !isWhole || mounted.has(volume);
    if (claimName !== undefined) return { type: 'claim', volume, isMounted, claimName };
    return disk === undefined ? [] : { type: 'disk', volume, isMounted, ...disk };
  });
}

/** `pkg/volume/util/util.go:GetPodVolumeNames`: what containers of any kind mount, or have as a device. */
function mountedIn(spec: JsonObject | undefined): ReadonlySet<string> {
  const mounted = new Set<string>();
  for (const container of [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')]) {
    for (const list of ['volumeMounts', 'volumeDevices']) {
      for (const mount of objectsAt(container, list)) mounted.add(stringAt(mount, 'name') ?? '');
    }
  }
  return mounted;
}

/** What nodes have to match for pods of the template: each of these, by one of its terms. */
export function selectorsOf({ nodeSelector, nodeAffinity }: PodTemplate): readonly (readonly NodeSelectorTerm[])[] {
  return [
    ...(nodeSelector.length > 0 ? [[{ expressions: nodeSelector, fields: [] }]] : []),
    ...(nodeAffinity === undefined ? [] : [nodeAffinity]),
  ];
}
