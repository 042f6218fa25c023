import type { Plan, StorageName } from './plan.ts';

/** A property of scenarios of which each seed has to show its share. */
export interface Dimension {
  readonly name: string;
  has(plan: Plan): boolean;
}

/** Every one of these is in at least so many percent of all scenarios; the report marks those that are not. */
export const LEAST_PERCENT = { dimension: 5, kind: 5, forecast: 10 } as const;

export const DIMENSIONS: readonly Dimension[] = [
  is(
    'StatefulSet with a plain claim',
    (plan) => plan.kind === 'StatefulSet' && !chose(plan, 'claim-template', /^instead/),
  ),
  chooses('StatefulSet with claim templates', 'claim-template'),
  chooses('StatefulSet with a partition', 'stateful-set', /partition/),
  is('Job with parallelism', ({ kind, replicas }) => kind === 'Job' && replicas > 1),
  chooses('two workloads on one claim', 'neighbour'),
  is('ReadWriteOncePod', (plan) => plan.storage === 'csi-rwop' || chose(plan, 'several-claims', /^one-pod$/)),
  chooses('several claims in one pod', 'several-claims'),
  chooses('init containers', 'init-container'),
  chooses('generic ephemeral volumes', 'ephemeral'),
  stored('inline disks', /^inline-(?!azure-file)/),
  stored('migrated disks', /^migrated-(?!azure-file)/),
  stored('azureFile', /azure-file/),
  chooses('block volumes', 'block-volume'),
  stored('fc and iscsi', /^(fc|iscsi)$/),
  is(
    'attachRequired false',
    (plan) => plan.storage === 'csi-no-attach' || chose(plan, 'several-claims', /^not-attached$/),
  ),
  stored('local volumes', /^local$/),
  chooses('node-pinned volumes', 'node-pinned'),
  chooses('zone labels', 'zone-label'),
  is('nodeName', (plan) => chose(plan, 'node-name') || chose(plan, 'node-name-update')),
  is('tolerations', (plan) => chose(plan, 'taints', TOLERATING) || chose(plan, 'toleration-update')),
  chooses('matchExpressions', 'match-expressions'),
  chooses('matchFields', 'match-fields'),
  chooses('nodes cordoned before', 'cordon', /before/),
  chooses('nodes cordoned later', 'cordon', /later/),
  is('nodes tainted before', (plan) => chose(plan, 'taints') || chose(plan, 'toleration-update')),
  chooses('nodes tainted later', 'taint-later'),
  chooses('update of the node selector', 'selector-update'),
  chooses('self-affinity by labels', 'self-affinity', /^(?!expressions|preferred)/),
  chooses('self-affinity by expressions', 'self-affinity', /^expressions$/),
  both('self-affinity by namespaces', 'affinity-namespaces'),
  both('self-affinity with matchLabelKeys', 'affinity-keys', /^match/),
  both('self-affinity with mismatchLabelKeys', 'affinity-keys', /^mismatch/),
  chooses('anti-affinity', 'anti-affinity'),
  is('host ports', (plan) => chose(plan, 'host-port') || chose(plan, 'init-container', /port/)),
  chooses('hostNetwork', 'host-network'),
  chooses('spread', 'spread', /^(?!schedule-anyway)/),
  chooses('paused', 'paused', /^paused$/),
  chooses('unpaused', 'paused', /^unpaused$/),
  is('Recreate', ({ kind, strategy }) => kind === 'Deployment' && strategy === 'Recreate'),
  is(
    'percentages above 100',
    ({ kind, strategy }) => kind === 'Deployment' && /[2-9]\d\d%|1[1-9]\d%|10[1-9]%/.test(strategy),
  ),
  is('scale from 0', ({ action, from }) => action === 'scale' && from === 0),
  is(
    'update of the template alone',
    (plan) => plan.action === 'update' && !OTHER_UPDATES.some((trait) => chose(plan, trait)),
  ),
  chooses('update of the strategy alone', 'strategy-update', /^from/),
  chooses('autoscalers', 'autoscaler'),
];

const OTHER_UPDATES = ['strategy-update', 'replicas-update', 'paused'];

/** Forms of taints with a toleration in the template. */
const TOLERATING = /^(no-operator|equal|exists|everything|other-value|other-effect|home-tolerated)$/;

/** The names of the dimensions that the plan has. */
export function dimensionsOf(plan: Plan): readonly string[] {
  return DIMENSIONS.filter((dimension) => dimension.has(plan)).map(({ name }) => name);
}

/** Everything else that a plan says, down to the form of each trait. */
export function formsOf({ kind, action, nodes, replicas, storage, strategy, traits }: Plan): readonly string[] {
  return [
    `action ${action}`,
    `nodes ${nodes}`,
    `replicas ${replicas}`,
    `storage ${storage}`,
    ...(kind === 'Deployment' ? [`strategy ${strategy}`] : []),
    ...traits.map(({ trait, variant }) => `${trait}: ${variant}`),
  ];
}

export function chose({ traits }: Pick<Plan, 'traits'>, name: string, variants = /./): boolean {
  return traits.some(({ trait, variant }) => trait === name && variants.test(variant));
}

function is(name: string, has: Dimension['has']): Dimension {
  return { name, has };
}

function chooses(name: string, trait: string, variants?: RegExp): Dimension {
  return { name, has: (plan) => chose(plan, trait, variants) };
}

/** A trait that says more about self-affinity. */
function both(name: string, trait: string, variants?: RegExp): Dimension {
  return { name, has: (plan) => chose(plan, 'self-affinity') && chose(plan, trait, variants) };
}

function stored(name: string, storages: RegExp): Dimension {
  return { name, has: ({ storage }: { readonly storage: StorageName }) => storages.test(storage) };
}
