import type { Choice, Plan, StorageName } from './plan.ts';
import type { Random } from './random.ts';
import { TRAITS } from './traits/traits.ts';

/**
 * What a scenario is meant to show. Left to chance alone most scenarios would be harmless for several reasons at once;
 * this leans the draw towards each outcome, and chance may still lead elsewhere.
 */
export type Aim = (typeof AIMS)[number][0];

export const AIMS = [
  ['multi-attach', 8],
  ['pending', 11],
  ['transient', 47],
  ['one-node', 11],
  ['affinity', 52],
  ['storage', 23],
] as const;

/** Storage by weight, so that each sort gets its share; the aim decides from which of these tables. */
type Weighted = readonly (readonly [StorageName, number])[];

const ONE_NODE_AT_A_TIME: Weighted = [
  ['csi', 40],
  ['csi-without-driver-object', 4],
  ['fc', 5],
  ['iscsi', 5],
  ['migrated-aws', 2],
  ['migrated-gce', 2],
  ['migrated-gce-rwx', 2],
  ['migrated-azure', 2],
  ['migrated-cinder', 2],
  ['migrated-vsphere', 2],
  ['migrated-portworx', 2],
  ['inline-aws', 2],
  ['inline-gce', 2],
  ['inline-azure', 3],
  ['inline-cinder', 2],
  ['inline-vsphere', 2],
  ['inline-portworx', 2],
];

const HARMLESS: Weighted = [
  ['csi-no-attach', 36],
  ['migrated-azure-file', 27],
  ['inline-azure-file', 20],
  ['csi-rwx', 8],
  ['csi-rox', 6],
  ['csi-superset', 6],
  ['csi-rwo-rox', 5],
  ['nfs', 4],
  ['host-path', 3],
  ['inline-gce-read-only', 3],
];

const PINNED: Weighted = [['local', 1]];
const ONE_POD: Weighted = [['csi-rwop', 1]];

/** How often a scenario with this aim has storage that the aim is not about. */
const OTHER_STORAGE: Readonly<Record<Aim, readonly (readonly [Weighted, number])[]>> = {
  'multi-attach': [[ONE_NODE_AT_A_TIME, 1]],
  pending: [
    [ONE_POD, 55],
    [ONE_NODE_AT_A_TIME, 35],
    [HARMLESS, 10],
  ],
  transient: [[ONE_NODE_AT_A_TIME, 1]],
  'one-node': [
    [PINNED, 90],
    [ONE_NODE_AT_A_TIME, 10],
  ],
  affinity: [[ONE_NODE_AT_A_TIME, 1]],
  storage: [[HARMLESS, 1]],
};

export function storageFor(aim: Aim, random: Random): StorageName {
  return random.weighted(random.weighted(OTHER_STORAGE[aim]));
}

export type Base = Omit<Plan, 'traits'>;

/** What the aim needs, beside the storage. */
export function neededFor(aim: Aim, base: Base, random: Random): readonly Choice[] {
  switch (aim) {
    case 'affinity':
      return [{ trait: 'self-affinity', variant: random.pick(HOLDING) }];
    case 'one-node':
      return base.nodes === 1 || base.storage === 'local' ? [] : [random.pick(ONE_NODE)];
    case 'pending':
      return base.storage === 'csi-rwop' ? [] : random.pick(base.nodes === 1 ? APART : PENDING);
    case 'transient':
      return base.kind === 'CronJob' ? [{ trait: 'cron-job', variant: 'replace' }] : [];
    default:
      return [];
  }
}

/** What would keep the aim from being seen: nothing moves while a Deployment is paused. */
export function spoils(aim: Aim, { variant }: Choice): boolean {
  return aim === 'transient' && variant === 'paused';
}

/** Forms of self-affinity that hold from the beginning to the end. */
const HOLDING = ['labels', 'expressions', 'expressions', 'two-terms'];

const ONE_NODE: readonly Choice[] = [
  ...forms('match-expressions', /^(in-home|lt|contradiction)$/),
  ...forms('match-fields', /^home$/),
  ...forms('match-fields', /^home$/),
  ...forms('node-name', /./),
  ...forms('taints', /^(not-tolerated|no-execute|other-value|other-effect)$/),
  ...forms('node-pinned', /^(hostname|one-zone)$/),
  ...forms('zone-label', /^(zone|beta)$/),
];

const APART: readonly (readonly Choice[])[] = [
  ...forms('host-port', /^(both|any-address)$/),
  ...forms('host-network', /^port$/),
  ...forms('anti-affinity', /^(both|before-only|after-only|mismatch-label-keys)$/),
  ...forms('init-container', /^sidecar-port$/),
  ...forms('spread', /^min-domains$/),
].map((choice) => [choice]);

const TOGETHER: Choice = { trait: 'self-affinity', variant: 'labels' };
const PIN: Choice = { trait: 'node-pinned', variant: 'hostname' };
const PENDING: readonly (readonly Choice[])[] = [
  ...APART.flatMap((apart) => [
    [...apart, TOGETHER],
    [...apart, PIN],
  ]),
  [TOGETHER, { trait: 'spread', variant: 'hostname' }],
  [TOGETHER, { trait: 'cordon', variant: 'home-later' }],
  [TOGETHER, { trait: 'taint-later', variant: 'home' }],
];

function forms(trait: string, variants: RegExp): readonly Choice[] {
  const names = Object.keys(TRAITS.get(trait)?.variants ?? {}).filter((variant) => variants.test(variant));
  return names.map((variant) => ({ trait, variant }));
}
