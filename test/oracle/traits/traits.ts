import type { Choice, Plan } from '../plan.ts';
import { neighbourTraits } from './neighbour-traits.ts';
import { nodeTraits } from './node-traits.ts';
import { rolloutTraits } from './rollout-traits.ts';
import { sharingTraits } from './sharing-traits.ts';
import type { Trait } from './trait.ts';
import { volumeTraits } from './volume-traits.ts';

/** Every dimension that a scenario may have, in the order in which they write into a draft. */
export const TRAITS: ReadonlyMap<string, Trait> = new Map(
  Object.entries({ ...sharingTraits, ...volumeTraits, ...nodeTraits, ...neighbourTraits, ...rolloutTraits }),
);

/** Traits that write the same field: a scenario has at most one of each group. */
export const EXCLUSIVE: readonly (readonly string[])[] = [
  ['match-expressions', 'match-fields'],
  ['node-name', 'node-name-update', 'selector-update'],
  ['taints', 'toleration-update'],
  ['host-port', 'host-network'],
  ['node-name-update', 'match-expressions'],
  ['node-name-update', 'match-fields'],
  ['node-name-update', 'taints'],
  ['node-name-update', 'toleration-update'],
  ['paused', 'strategy-update'],
  ['unbound', 'neighbour'],
  ['respelled', 'neighbour'],
  ['respelled', 'zone-label'],
  ['unbound', 'block-volume'],
  ['unbound', 'node-name'],
  ['unbound', 'node-name-update'],
];

/**
 * Forms that leave a pod only the first node, and forms that leave it only the others. Together no pod could ever run,
 * which is no scenario.
 */
const ONLY_HOME: Readonly<Record<string, RegExp>> = {
  'match-expressions': /^(in-home|not-in-away|lt|contradiction)$/,
  'match-fields': /^home$/,
  'node-name': /./,
  'node-pinned': /^(hostname|one-zone)$/,
  'zone-label': /^(zone|beta)$/,
  unbound: /^one-zone-allowed$/,
  taints: /^(not-tolerated|no-execute|other-)/,
  'taint-later': /^away$/,
  'toleration-update': /^goes$/,
  'selector-update': /^to-home$/,
};
const NOT_HOME: Readonly<Record<string, RegExp>> = {
  'selector-update': /^to-away$/,
  'taint-later': /^home$/,
  cordon: /^home-later$/,
  'node-name-update': /^(moves|appears)$/,
};

/** A volume that only the first node can use, which pods of a DaemonSet on other nodes can do nothing about. */
const PINNED: Readonly<Record<string, RegExp>> = {
  'node-pinned': /^(hostname|one-zone)$/,
  'zone-label': /^(zone|beta)$/,
};

const FOR_MANY_NODES = /rwx|rox|no-attach|azure-file|^(local|nfs|host-path)$/;

/** What may keep pods off nodes where others are. */
const CLOSING: Readonly<Record<string, RegExp>> = {
  cordon: /./,
  taints: /./,
  'taint-later': /./,
  'toleration-update': /./,
  'selector-update': /./,
  'node-name-update': /./,
  ...ONLY_HOME,
};

export function isContradictory(
  choices: readonly Choice[],
  { kind, action, storage, nodes, from, strategy }: Omit<Plan, 'traits'>,
): boolean {
  const has = (trait: string, variants = /./): boolean =>
    choices.some((choice) => choice.trait === trait && variants.test(choice.variant));
  const some = (forms: Readonly<Record<string, RegExp>>): boolean =>
    choices.some(({ trait, variant }) => forms[trait]?.test(variant) ?? false);
  if (kind === 'DaemonSet' && nodes > 1 && some(PINNED)) return true;
  // Which of its pods comes first, and so decides on the zone, or on the node beside another workload's or not, is luck.
  if (kind === 'DaemonSet' && has('self-affinity', has('neighbour') || has('respelled') ? /./ : /^zone$/)) return true;
  // Pods that come while a disk is being made follow the first to its node, and those that come later do not.
  const comeAtOnce = kind !== 'StatefulSet' && action !== 'update';
  if (has('unbound', /^(zonal|one-zone-allowed)$/) && comeAtOnce && (nodes > 2 || has('zones'))) return true;
  // Without a pod an autoscaler does nothing.
  if (from === 0 && has('autoscaler')) return true;
  // Nobody shares a claim that no pod mounts, and required terms of two kinds have to be met by one pod.
  if ((has('neighbour') || has('respelled')) && has('claim-template', /^instead/)) return true;
  if (has('neighbour', /^held$/) && has('self-affinity')) return true;
  // Who uses a volume that all nodes may have is not looked at, and so not where affinity to them leads.
  if (has('neighbour', /^held$/) && kind === 'DaemonSet' && FOR_MANY_NODES.test(storage)) return true;
  if (has('bystander') && from === 0) return true;
  // When the last pod has gone, the next has to be with the bystander, whether it may go there or not.
  const comesAfter = kind !== 'Deployment' || /^(Recreate|0)/.test(strategy);
  if (has('bystander') && comesAfter && some(CLOSING)) return true;
  // Cordons are weather as long as nothing runs.
  if (action === 'scale' && from === 0 && some({ cordon: /./ })) return true;
  const nextIsClosed = nodes === 2 && has('cordon', /^(next|away)/);
  return (storage === 'local' || some(ONLY_HOME) || nextIsClosed) && some(NOT_HOME);
}
