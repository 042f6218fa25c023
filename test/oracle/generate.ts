import { AIMS, type Aim, type Base, neededFor, spoils, storageFor } from './aims.ts';
import { ACTIONS, type Action, type Choice, type Kind, type Plan } from './plan.ts';
import { type Random, randomForScenario, spreadEvenly, weightedAt } from './random.ts';
import { fits } from './traits/trait.ts';
import { EXCLUSIVE, isContradictory, TRAITS } from './traits/traits.ts';

export interface GeneratorOptions {
  readonly kinds: readonly Kind[];
  /** Dimensions to leave out. */
  readonly without: ReadonlySet<string>;
}

const STAYING = ['default', '1/0', '25%/25%', '1/0', '2/0', '150%/0', '200%/0', '1/25%', '50%/0'] as const;
const LEAVING = [
  'Recreate',
  'Recreate',
  'Recreate',
  'Recreate',
  'Recreate',
  '0/1',
  '1/1',
  '1/100%',
  '0/100%',
  '200%/100%',
  '2/1',
  '0/1%',
  '120%/100%',
] as const;

/** Deployments have the most dimensions of their own. */
const KIND_WEIGHTS: Readonly<Record<Kind, number>> = {
  Deployment: 53,
  StatefulSet: 15,
  DaemonSet: 8,
  ReplicaSet: 8,
  Job: 9,
  CronJob: 8,
};

const ACTION_WEIGHTS: Readonly<Partial<Record<Kind, Readonly<Record<Action, number>>>>> = {
  Deployment: { update: 73, scale: 23, create: 4 },
  StatefulSet: { update: 56, scale: 34, create: 10 },
  ReplicaSet: { update: 12, scale: 64, create: 24 },
  DaemonSet: { update: 60, scale: 0, create: 40 },
};

/**
 * Of a hundred scenarios in which a trait could be, and is not because the aim needs it, how many have it. Set so that
 * each dimension of `dimensions.ts` comes to its share: what fits few scenarios has to come up in more of those.
 */
const CHANCES: Readonly<Record<string, number>> = {
  neighbour: 10,
  respelled: 30,
  'several-claims': 9,
  'claim-update': 3,
  'init-container': 8,
  ephemeral: 9,
  'claim-template': 58,
  'read-only': 3,
  'block-volume': 9,
  'node-pinned': 7,
  unbound: 20,
  'zone-label': 9,
  'match-expressions': 9,
  'match-fields': 9,
  'node-name': 5,
  'node-name-update': 10,
  taints: 8,
  'toleration-update': 6,
  'taint-later': 14,
  cordon: 34,
  'selector-update': 16,
  'self-affinity': 12,
  'affinity-namespaces': 26,
  'affinity-keys': 64,
  bystander: 20,
  'anti-affinity': 6,
  'host-port': 4,
  'host-network': 8,
  spread: 7,
  paused: 54,
  'strategy-update': 33,
  'replicas-update': 8,
  'stateful-set': 90,
  autoscaler: 95,
  'cron-job': 60,
};

/** Affinity by zone says something only where both zones with one node and zones with two come up. */
const ZONES_CHANCE = 50;

/** A scenario with more than these is about too many things at once. */
const MOST_TRAITS = 6;

/** The same for the same seed and index, whatever other scenarios are made. */
export function planOf(seed: number, index: number, options: GeneratorOptions): Plan {
  const random = randomForScenario(seed, index);
  const [aimed, formed] = spreadEvenly(seed, index);
  const aim = weightedAt(aimed, AIMS);
  const kind = weightedAt(
    formed,
    options.kinds.map((name) => [name, KIND_WEIGHTS[name]] as const),
  );
  const action = actionFor(kind, aim, random);
  const nodes = nodesFor(aim, random);
  const replicas = replicasFor(kind, action, aim, random);
  const storage = storageFor(aim, random);
  const base = {
    id: `${seed}-${index}`,
    kind,
    action,
    nodes,
    replicas,
    from: action === 'scale' ? fromFor(replicas, random) : replicas,
    strategy: strategyFor(aim, random),
    // A DaemonSet wants a pod on every node, and a local volume lets it have one.
    storage: kind === 'DaemonSet' && nodes > 1 && storage === 'local' ? 'csi' : storage,
  };
  return { ...base, traits: traitsFor(aim, base, options, random) };
}

function actionFor(kind: Kind, aim: Aim, random: Random): Action {
  const weights = ACTION_WEIGHTS[kind];
  if (weights === undefined) return 'create';
  if (aim === 'transient' && kind !== 'ReplicaSet') return 'update';
  return random.weighted(ACTIONS.map((action) => [action, weights[action]] as const));
}

function nodesFor(aim: Aim, random: Random): number {
  const weights = { 'one-node': [35, 40, 20, 5], pending: [40, 40, 15, 5] } as const;
  const some = [3, 60, 27, 10] as const;
  const chosen = aim === 'one-node' || aim === 'pending' ? weights[aim] : some;
  return random.weighted(chosen.map((weight, index) => [index + 1, weight] as const));
}

function replicasFor(kind: Kind, action: Action, aim: Aim, random: Random): number {
  if (aim === 'transient' && kind === 'CronJob') return 1;
  if (action !== 'update' || kind === 'Job') {
    return random.weighted([
      [1, kind === 'Job' || action === 'scale' ? 8 : 20],
      [2, 50],
      [3, 30],
    ] as const);
  }
  if (aim === 'transient') return 1;
  return random.weighted([
    [0, 2],
    [1, 58],
    [2, 25],
    [3, 10],
    [4, 5],
  ] as const);
}

function fromFor(replicas: number, random: Random): number {
  return random.chance(0.2) ? 0 : random.between(0, replicas - 1);
}

function strategyFor(aim: Aim, random: Random): string {
  if (aim === 'transient') return random.pick(LEAVING);
  return random.chance(aim === 'affinity' ? 0.9 : 0.75) ? random.pick(STAYING) : random.pick(LEAVING);
}

function traitsFor(aim: Aim, base: Base, options: GeneratorOptions, random: Random): Choice[] {
  const choices: Choice[] = [];
  for (const choice of neededFor(aim, base, random)) addIfPossible(choices, choice, base, options);
  // In another order each time, or the first ones would keep out those that they exclude.
  for (const trait of shuffled(
    [...TRAITS.keys()].filter((name) => name !== 'zones'),
    random,
  )) {
    if (choices.length >= MOST_TRAITS) break;
    const chance = CHANCES[trait];
    if (chance === undefined) throw new Error(`Nothing says how often scenarios have ${trait}`);
    if (!random.chance(chance / 100)) continue;
    const choice = { trait, variant: variantOf(trait, random) };
    if (!spoils(aim, choice)) addIfPossible(choices, choice, base, options);
  }
  if (random.chance(ZONES_CHANCE / 100) && choices.some(asksForZone)) {
    addIfPossible(choices, { trait: 'zones', variant: variantOf('zones', random) }, base, options);
  }
  return choices;
}

function asksForZone({ trait, variant }: Choice): boolean {
  return trait === 'zone-label' || /zone|two-terms/.test(variant);
}

function addIfPossible(choices: Choice[], choice: Choice, base: Base, { without }: GeneratorOptions): void {
  const trait = TRAITS.get(choice.trait);
  if (trait === undefined || without.has(choice.trait) || !fits(trait, base)) return;
  if (trait.needs !== undefined && choices.every((other) => other.trait !== trait.needs)) return;
  if (clashes(choice.trait, choices) || isContradictory([...choices, choice], base)) return;
  choices.push(choice);
}

function shuffled(names: readonly string[], random: Random): readonly string[] {
  // What needs another trait comes after it.
  const last = names.filter((name) => TRAITS.get(name)?.needs !== undefined);
  const first = names.filter((name) => !last.includes(name)).map((name) => ({ name, at: random.next() }));
  return [...first.toSorted((a, b) => a.at - b.at).map(({ name }) => name), ...last];
}

function clashes(name: string, choices: readonly Choice[]): boolean {
  const taken = choices.map(({ trait }) => trait);
  if (taken.includes(name)) return true;
  return EXCLUSIVE.some((group) => group.includes(name) && group.some((other) => taken.includes(other)));
}

function variantOf(trait: string, random: Random): string {
  return random.pick(Object.keys(TRAITS.get(trait)?.variants ?? {}));
}
