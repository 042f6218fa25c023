import { ACTIONS, type Action, type Choice, type Kind, type Plan, STORAGES, type StorageName } from './plan.ts';
import { type Random, randomForScenario } from './random.ts';
import { fits } from './traits/trait.ts';
import { EXCLUSIVE, isContradictory, TRAITS } from './traits/traits.ts';

export interface GeneratorOptions {
  readonly kinds: readonly Kind[];
  /** Dimensions to leave out. */
  readonly without: ReadonlySet<string>;
}

/**
 * What a scenario is meant to show. Left to chance alone most scenarios would be harmless for several reasons at once;
 * this leans the draw towards each outcome, and chance may still lead elsewhere.
 */
type Aim = (typeof AIMS)[number][0];

const AIMS = [
  ['multi-attach', 20],
  ['pending', 18],
  ['transient', 16],
  ['one-node', 14],
  ['affinity', 14],
  ['storage', 14],
  ['anything', 12],
] as const;

const EXCLUSIVE_STORAGES: readonly StorageName[] = STORAGES.filter(
  (name) => !/rwx|rox|rwop|superset|no-attach|local|nfs|host-path|read-only/.test(name) || name === 'migrated-gce-rwx',
);
const HARMLESS_STORAGES = [
  'csi-no-attach',
  'csi-rwx',
  'csi-rox',
  'csi-superset',
  'csi-rwo-rox',
  'nfs',
  'host-path',
  'inline-gce-read-only',
] as const;

const STAYING = ['default', '1/0', '25%/25%', '1/0', '2/0', '150%/0', '200%/0', '1/25%', '50%/0'] as const;
const LEAVING = [
  'Recreate',
  'Recreate',
  'Recreate',
  '0/1',
  '1/1',
  '1/100%',
  '0/100%',
  '200%/100%',
  '150%/100%',
  '2/1',
  '0/1%',
  '120%/100%',
] as const;

/** Deployments have the most dimensions of their own, and a CronJob takes a minute. */
const KIND_WEIGHTS: Readonly<Record<Kind, number>> = {
  Deployment: 10,
  StatefulSet: 2,
  DaemonSet: 1.4,
  ReplicaSet: 1.2,
  Job: 1.2,
  CronJob: 1.1,
};

/** How many dimensions are thrown in beside those that the aim needs. */
const EXTRA_TRAITS = [
  [0, 10],
  [1, 30],
  [2, 30],
  [3, 20],
  [4, 10],
] as const;

export function planOf(seed: number, index: number, options: GeneratorOptions): Plan {
  const random = randomForScenario(seed, index);
  const aim = random.weighted(AIMS);
  const kind = random.weighted(options.kinds.map((name) => [name, KIND_WEIGHTS[name]] as const));
  const action = actionFor(kind, aim, random);
  const nodes = nodesFor(aim, random);
  const replicas = replicasFor(kind, action, aim, random);
  const base = {
    id: `${seed}-${index}`,
    kind,
    action,
    nodes,
    replicas,
    from: action === 'scale' ? random.between(0, replicas - 1) : replicas,
    strategy: strategyFor(aim, random),
    // A DaemonSet wants a pod on every node, and a local volume lets it have one.
    storage: kind === 'DaemonSet' && nodes > 1 ? storageFor(aim, random, 'local') : storageFor(aim, random),
  };
  const needed = neededTraits(aim, base, random);
  return { ...base, traits: withExtras(needed, base, options, random) };
}

function actionFor(kind: Kind, aim: Aim, random: Random): Action {
  if (kind === 'Job' || kind === 'CronJob') return 'create';
  if (kind === 'DaemonSet') return random.pick(['update', 'create']);
  if (aim === 'transient') return 'update';
  return random.weighted(ACTIONS.map((action) => [action, action === 'update' ? 70 : 15] as const));
}

function nodesFor(aim: Aim, random: Random): number {
  if (aim === 'one-node')
    return random.weighted([
      [1, 50],
      [2, 30],
      [3, 20],
    ] as const);
  if (aim === 'pending')
    return random.weighted([
      [1, 40],
      [2, 40],
      [3, 20],
    ] as const);
  return random.weighted([
    [1, 5],
    [2, 60],
    [3, 35],
  ] as const);
}

function replicasFor(kind: Kind, action: Action, aim: Aim, random: Random): number {
  if (action !== 'update' || kind === 'Job')
    return random.weighted([
      [1, 20],
      [2, 50],
      [3, 30],
    ] as const);
  if (aim === 'transient') return 1;
  return random.weighted([
    [0, 3],
    [1, 57],
    [2, 25],
    [3, 10],
    [4, 5],
  ] as const);
}

function strategyFor(aim: Aim, random: Random): string {
  if (aim === 'transient') return random.pick(LEAVING);
  const staying = aim === 'anything' ? 0.5 : 0.8;
  return random.chance(staying) ? random.pick(STAYING) : random.pick(LEAVING);
}

function storageFor(aim: Aim, random: Random, except?: StorageName): StorageName {
  const storage = anyStorageFor(aim, random);
  return storage === except ? 'csi' : storage;
}

function anyStorageFor(aim: Aim, random: Random): StorageName {
  if (aim === 'storage') return random.pick(HARMLESS_STORAGES);
  if (aim === 'anything') return random.pick(STORAGES);
  if (aim === 'pending' && random.chance(0.35)) return 'csi-rwop';
  if (aim === 'one-node' && random.chance(0.15)) return 'local';
  return random.chance(0.45) ? 'csi' : random.pick(EXCLUSIVE_STORAGES);
}

type Base = Omit<Plan, 'traits'>;

function neededTraits(aim: Aim, base: Base, random: Random): readonly Choice[] {
  switch (aim) {
    case 'affinity':
      return [
        {
          trait: 'self-affinity',
          variant: variantOf('self-affinity', random, /^(after|before|changing|zone|pref|match-label)/),
        },
      ];
    case 'one-node':
      return base.nodes === 1 || base.storage === 'local' ? [] : [random.pick(ONE_NODE)];
    case 'pending':
      return base.storage === 'csi-rwop' ? [] : random.pick(base.nodes === 1 ? PENDING_ALONE : PENDING);
    default:
      return [];
  }
}

const ONE_NODE: readonly Choice[] = [
  { trait: 'match-expressions', variant: 'in-home' },
  { trait: 'match-expressions', variant: 'lt' },
  { trait: 'match-expressions', variant: 'contradiction' },
  { trait: 'match-fields', variant: 'home' },
  { trait: 'node-name', variant: 'home' },
  { trait: 'taints', variant: 'not-tolerated' },
  { trait: 'taints', variant: 'no-execute' },
  { trait: 'taints', variant: 'other-value' },
  { trait: 'taints', variant: 'other-effect' },
  { trait: 'node-pinned', variant: 'hostname' },
  { trait: 'node-pinned', variant: 'one-zone' },
  { trait: 'zone-label', variant: 'zone' },
  { trait: 'zone-label', variant: 'beta' },
];

const PENDING_ALONE: readonly (readonly Choice[])[] = [
  [{ trait: 'host-port', variant: 'both' }],
  [{ trait: 'host-network', variant: 'port' }],
  [{ trait: 'host-port', variant: 'any-address' }],
  [{ trait: 'anti-affinity', variant: 'both' }],
  [{ trait: 'anti-affinity', variant: 'before-only' }],
  [{ trait: 'anti-affinity', variant: 'after-only' }],
  [{ trait: 'anti-affinity', variant: 'mismatch-label-keys' }],
  [{ trait: 'init-container', variant: 'sidecar-port' }],
  [{ trait: 'spread', variant: 'min-domains' }],
];

const TOGETHER: Choice = { trait: 'self-affinity', variant: 'labels' };
const PINNED: Choice = { trait: 'node-pinned', variant: 'hostname' };
const PENDING: readonly (readonly Choice[])[] = [
  ...PENDING_ALONE.flatMap((apart) => [
    [...apart, TOGETHER],
    [...apart, PINNED],
  ]),
  [TOGETHER, { trait: 'spread', variant: 'hostname' }],
  [TOGETHER, { trait: 'cordon', variant: 'home-later' }],
  [TOGETHER, { trait: 'taint-later', variant: 'home' }],
];

function withExtras(needed: readonly Choice[], base: Base, { without }: GeneratorOptions, random: Random): Choice[] {
  const choices: Choice[] = [];
  for (const choice of needed) {
    const stays = isAllowed(choice.trait, base, without) && !isContradictory([...choices, choice], base);
    if (stays) choices.push(choice);
  }
  for (let left = random.weighted(EXTRA_TRAITS); left > 0; left--) {
    const free = [...TRAITS.keys()].filter((name) => isAllowed(name, base, without) && !clashes(name, choices));
    if (free.length === 0) break;
    const trait = random.weighted(free.map((name) => [name, weightOf(name)] as const));
    const choice = { trait, variant: variantOf(trait, random) };
    if (!isContradictory([...choices, choice], base)) choices.push(choice);
  }
  return choices;
}

/** What means something in few scenarios has to come up in more of those. */
function weightOf(name: string): number {
  const { kinds, actions } = TRAITS.get(name) ?? {};
  return (kinds?.length === 1 ? 3 : 1) * (actions === undefined ? 1 : 2.5);
}

function isAllowed(name: string, base: Base, without: ReadonlySet<string>): boolean {
  const trait = TRAITS.get(name);
  return trait !== undefined && !without.has(name) && fits(trait, base);
}

function clashes(name: string, choices: readonly Choice[]): boolean {
  const taken = choices.map(({ trait }) => trait);
  if (taken.includes(name)) return true;
  return EXCLUSIVE.some((group) => group.includes(name) && group.some((other) => taken.includes(other)));
}

function variantOf(trait: string, random: Random, except = /^$/): string {
  const variants = Object.keys(TRAITS.get(trait)?.variants ?? {}).filter((variant) => !except.test(variant));
  return random.pick(variants);
}
