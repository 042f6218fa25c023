import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { type Foretold, forecastOf } from './forecast-of.ts';
import type { Plan, StorageName } from './plan.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { objectsOf, type Situation } from './situation.ts';

export const CLASSES = [
  'stuck by Multi-Attach',
  'stuck Pending',
  'transient',
  'saved by one node',
  'saved by affinity',
  'saved by storage that does not attach',
  'nothing in the way',
] as const;
export type OutcomeClass = (typeof CLASSES)[number];

/** The classes of which a run has to have its share: all but the last. */
export const WANTED_CLASSES: readonly OutcomeClass[] = CLASSES.slice(0, -1);

type Said = Pick<Foretold, 'multiAttach' | 'stuck' | 'reasons'>;

/**
 * What kind of end is foretold. A harmless one is put down to whatever saves it: without that, the same forecast says
 * something else.
 */
export function forecastClassOf(plan: Plan, foretold: readonly Said[]): OutcomeClass {
  const stuck = foretold.find((one) => one.stuck);
  if (stuck !== undefined) return stuck.multiAttach ? 'stuck by Multi-Attach' : 'stuck Pending';
  if (foretold.some(({ multiAttach }) => multiAttach)) return 'transient';
  for (const [name, without] of SAVIOURS) {
    const robbed = without(plan);
    if (robbed !== undefined && goesWrong(robbed)) return name;
  }
  return 'nothing in the way';
}

/** What the forecast makes of a plan that nobody has played: it does not know where the old pods are. */
export function foretoldUnplayed(plan: Plan): readonly Foretold[] {
  return situationsUnplayed(plan).map((situation) => forecastOf(situation));
}

/** What would be asked of a plan, did its old pods run somewhere that nobody knows. */
export function situationsUnplayed(plan: Plan): readonly Situation[] {
  const scenario = scenarioOf(plan);
  const { running, wanted, next } = scenario;
  const first = situationUnplayed(scenario);
  const again = { ...first, action: 'update' as const, running: wanted, wanted: next ?? wanted };
  const situations = next === undefined ? [first] : scenario.startsNothing ? [again] : [first, again];
  return situations.map((situation) => (running === undefined ? { ...situation, running } : situation));
}

function goesWrong(plan: Plan): boolean {
  return foretoldUnplayed(plan).some(({ stuck, multiAttach }) => stuck || multiAttach);
}

function situationUnplayed(scenario: Scenario): Situation {
  const { action, running, wanted } = scenario;
  return {
    action,
    objects: objectsOf(scenario).map(asBound),
    running: action === 'autoscale' ? undefined : running,
    wanted: action === 'autoscale' ? (running ?? wanted) : wanted,
    nodesChanged: false,
    places: [],
  };
}

/** As the controllers bind what a scenario makes: a claim's name is the end of its volume's. */
function asBound(object: KubernetesObject): KubernetesObject {
  const { kind, metadata } = object;
  if (kind === 'PersistentVolumeClaim') return { ...object, status: { phase: 'Bound' } } as KubernetesObject;
  if (kind !== 'PersistentVolume') return object;
  const [namespace = '', name = ''] = /^(.*)-([a-z]+)$/.exec(metadata?.name ?? '')?.slice(1) ?? [];
  const { spec } = object as { spec?: object };
  return name === '' ? object : ({ ...object, spec: { ...spec, claimRef: { namespace, name } } } as KubernetesObject);
}

export function isHarmless(storage: StorageName): boolean {
  return HARMLESS.test(storage) && storage !== 'migrated-gce-rwx';
}

const HARMLESS = /rwx|rox|superset|no-attach|azure-file|nfs|host-path|read-only/;

/** Traits that may leave a pod one node. */
const NARROWING: ReadonlySet<string> = new Set([
  'match-expressions',
  'match-fields',
  'node-name',
  'node-name-update',
  'taints',
  'taint-later',
  'cordon',
  'toleration-update',
  'selector-update',
  'node-pinned',
  'zone-label',
]);

type Without = (plan: Plan) => Plan | undefined;

const attaching: Without = (plan) => (isHarmless(plan.storage) ? { ...plan, storage: 'csi' } : undefined);

const onSeveralNodes: Without = (plan) => ({
  ...plan,
  nodes: Math.max(2, plan.nodes),
  storage: plan.storage === 'local' ? 'csi' : plan.storage,
  traits: plan.traits.filter(({ trait }) => !NARROWING.has(trait)),
});

const withoutAffinity: Without = (plan) => ({
  ...plan,
  traits: plan.traits.filter(({ trait, variant }) => trait !== 'self-affinity' && variant !== 'held'),
});

const SAVIOURS: readonly (readonly [OutcomeClass, Without])[] = [
  ['saved by storage that does not attach', attaching],
  ['saved by affinity', withoutAffinity],
  ['saved by one node', onSeveralNodes],
  // What several save at once is put down to the one that is the rarest to be alone.
  ['saved by storage that does not attach', (plan) => attaching(onSeveralNodes(withoutAffinity(plan) ?? plan) ?? plan)],
  ['saved by one node', (plan) => onSeveralNodes(withoutAffinity(plan) ?? plan)],
];
