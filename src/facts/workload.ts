import { booleanAt, countAt, type JsonObject, objectAt, stringAt, UnreadableObjectError } from './json.ts';
import { type Metadata, metadataFrom } from './metadata.ts';
import { type PodTemplate, podTemplateFrom } from './pod-template.ts';

export const WORKLOAD_KINDS = ['Deployment'] as const;

export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** A number of pods, or a percentage of the replicas. */
export type IntOrPercent =
  | { readonly type: 'int'; readonly value: number }
  | { readonly type: 'percent'; readonly value: number };

export type Strategy =
  | { readonly type: 'Recreate' }
  | { readonly type: 'RollingUpdate'; readonly maxSurge: IntOrPercent; readonly maxUnavailable: IntOrPercent };

/** An object that keeps pods running, with the defaults of its API applied. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly metadata: Metadata;
  readonly replicas: number;
  readonly paused: boolean;
  readonly strategy: Strategy;
  readonly template: PodTemplate;
}

/** `pkg/apis/apps/v1/defaults.go:SetDefaults_Deployment`. */
const QUARTER: IntOrPercent = { type: 'percent', value: 25 };

export function deploymentFrom(object: JsonObject): Workload {
  const spec = objectAt(object, 'spec');
  return {
    kind: 'Deployment',
    metadata: metadataFrom(object),
    replicas: countAt(spec, 'replicas') ?? 1,
    paused: booleanAt(spec, 'paused') ?? false,
    strategy: strategyFrom(objectAt(spec, 'strategy')),
    template: podTemplateFrom(objectAt(spec, 'template')),
  };
}

function strategyFrom(strategy: JsonObject | undefined): Strategy {
  const type = stringAt(strategy, 'type') || 'RollingUpdate';
  if (type === 'Recreate') return { type };
  if (type !== 'RollingUpdate') throw new UnreadableObjectError('type', 'RollingUpdate or Recreate', type);
  const rollingUpdate = objectAt(strategy, 'rollingUpdate');
  return {
    type,
    maxSurge: intOrPercentAt(rollingUpdate, 'maxSurge') ?? QUARTER,
    maxUnavailable: intOrPercentAt(rollingUpdate, 'maxUnavailable') ?? QUARTER,
  };
}

function intOrPercentAt(object: JsonObject | undefined, key: string): IntOrPercent | undefined {
  const value = object?.[key];
  if (typeof value !== 'string') {
    const count = countAt(object, key);
    return count === undefined ? undefined : { type: 'int', value: count };
  }
  const digits = /^(\d{1,9})%$/.exec(value)?.[1];
  if (digits === undefined) throw new UnreadableObjectError(key, 'a whole number or a percentage', value);
  return { type: 'percent', value: Number(digits) };
}

/** Whether its pods share a volume at all: a claim by name, or a disk written into the template. */
export function mountsVolumes(workload: Workload): boolean {
  return workload.template.volumes.length > 0;
}

/** The names of the claims that its pods share, each once. */
export function claimNames(workload: Workload): readonly string[] {
  const names = workload.template.volumes.flatMap((volume) => (volume.type === 'claim' ? [volume.claimName] : []));
  return [...new Set(names)];
}
