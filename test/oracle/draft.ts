import type {
  V1CSIDriver,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1PodSpec,
  V1PodTemplateSpec,
  V1StorageClass,
  V1Taint,
} from '@kubernetes/client-node';
import type { Plan } from './plan.ts';

/** A scenario in the making: traits write into it, each what it stands for. */
export interface Draft {
  readonly plan: Plan;
  readonly namespace: string;
  readonly namespaceLabels: Record<string, string>;
  readonly nodes: V1Node[];
  readonly drivers: V1CSIDriver[];
  readonly classes: V1StorageClass[];
  readonly volumes: V1PersistentVolume[];
  readonly claims: V1PersistentVolumeClaim[];
  /** Of the pods that run when the action comes, and of those it asks for. */
  readonly before: Template;
  readonly after: Template;
  /** What happens to nodes once the old pods run. */
  readonly weather: NodeChange[];
  readonly claimTemplates: V1PersistentVolumeClaim[];
  /** Another workload that is there first, and stays. */
  neighbour: Neighbour | undefined;
  /** Whether a workload without a volume comes last, to the last node, with a label that the pods have. */
  bystander: boolean;
  strategyBefore: string;
  pause: 'never' | 'update' | 'until-update';
  onlyStrategyChanges: boolean;
  replicasBefore: number | undefined;
  /** What an autoscaler may ask for: it does the scale. */
  maximum: number | undefined;
  /** Of kinds that can do things in more than one way: `Parallel`, `OnDelete`, `Replace`, a partition. */
  readonly manner: Set<string>;
}

/** One pod of another workload, by kind and by the claim that it mounts. */
export interface Neighbour {
  readonly kind: NeighbourKind;
  readonly claim: string;
}

export type NeighbourKind = 'Deployment' | 'StatefulSet' | 'ReplicaSet' | 'Job';

export interface Template extends V1PodTemplateSpec {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  spec: V1PodSpec;
}

export interface NodeChange {
  readonly name: string;
  readonly unschedulable?: boolean;
  readonly taint?: V1Taint;
}

/** The label `app` of the other workload's pods, which share a namespace with nobody else's. */
export const NEIGHBOUR = 'neighbour';
export const BYSTANDER = 'bystander';
/** A label that pods of one scenario have, those of a bystander too. */
export const SCENE = 'oracle.example.com/scene';
/** A label that every pod has, and no selector names. */
export const TIER = 'oracle.example.com/tier';
/** Keeps scenarios apart: every node has it, and every pod selects it unless it names its node. */
export const SCENARIO_LABEL = 'oracle.example.com/scenario';
export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';
/** Named as GCE names its own, whose in-tree disks are only translated if a region can be read from a zone. */
export const EARTH = 'earth-west1';
export const NORTH = `${EARTH}-a`;
export const SOUTH = `${EARTH}-b`;
/** `home` on the first node, `away` on all others. */
export const PLACE = 'oracle.example.com/place';
/** Numbers the nodes from 1, for Gt and Lt. */
export const RANK = 'oracle.example.com/rank';

export function draftOf(plan: Plan): Draft {
  const namespace = nameOf(plan);
  return {
    plan,
    namespace,
    namespaceLabels: { 'oracle.example.com/team': 'blue' },
    nodes: Array.from({ length: plan.nodes }, (_, index) => node(plan, index)),
    drivers: [],
    classes: [],
    volumes: [],
    claims: [],
    before: template(plan),
    after: template(plan),
    weather: [],
    claimTemplates: [],
    neighbour: undefined,
    bystander: false,
    strategyBefore: plan.strategy,
    pause: 'never',
    onlyStrategyChanges: false,
    replicasBefore: undefined,
    maximum: undefined,
    manner: new Set(),
  };
}

/** Names everything of a scenario, in all clusters' worth of objects. */
export function nameOf({ id }: Plan): string {
  return `s${id}`;
}

export function homeOf(draft: Draft): V1Node {
  const [home] = draft.nodes;
  if (home === undefined) throw new Error('A scenario has at least one node');
  return home;
}

/** Both templates, for what does not change. */
export function templatesOf({ before, after }: Draft): readonly Template[] {
  return [before, after];
}

export function containerOf({ spec }: Template) {
  const [container] = spec.containers;
  if (container === undefined) throw new Error('A template has a container');
  return container;
}

/** Two zones as soon as there are two nodes; the third node shares the second's. */
function node(plan: Plan, index: number): V1Node {
  const name = `${nameOf(plan)}-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        [SCENARIO_LABEL]: nameOf(plan),
        [HOSTNAME]: name,
        [ZONE]: index === 0 ? NORTH : SOUTH,
        [REGION]: EARTH,
        [PLACE]: index === 0 ? 'home' : 'away',
        [RANK]: `${index + 1}`,
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: {},
  };
}

function template(plan: Plan): Template {
  return {
    metadata: { labels: { app: nameOf(plan), [TIER]: 'back' }, annotations: {} },
    spec: {
      nodeSelector: { [SCENARIO_LABEL]: nameOf(plan) },
      containers: [{ name: 'app', image: 'example.com/app' }],
      volumes: [],
    },
  };
}
