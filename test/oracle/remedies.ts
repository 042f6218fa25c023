import { fixOf } from '../../src/lint/fix.ts';
import { changesOf } from '../../src/mutations/repair.ts';
import { type JsonObject, listAt, objectAt, stringAt } from '../../src/objects/json.ts';
import { claimShared } from '../../src/rules/claim-shared.ts';
import type { Finding } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { judge } from '../../src/rules/judge.ts';
import { COME_TOGETHER } from '../../src/rules/remedy.ts';
import { replicasSplit } from '../../src/rules/replicas-split.ts';
import { rolloutBlocked } from '../../src/rules/rollout-blocked.ts';
import { rolloutDeadlock } from '../../src/rules/rollout-deadlock.ts';
import { applied } from '../mutations/applied.ts';
import { HOSTNAME } from './draft.ts';
import { askedIn, json } from './forecast-of.ts';
import type { Situation } from './situation.ts';

type Change = (wanted: JsonObject) => JsonObject;

/** Something that a user is told to do. */
export interface Remedy {
  /** `lint --fix: recreate`, or the words of the findings. */
  readonly name: string;
  /** What it makes of the manifest; nothing where a person has to think. */
  readonly change: Change | undefined;
}

const PLAYED: ReadonlySet<string> = new Set(
  [rolloutDeadlock, rolloutBlocked, replicasSplit, claimShared].map(({ meta }) => meta.id),
);

/** Whether a finding tells of pods that wait for ever. */
export function tellsOfPodsThatWait({ rule }: Finding): boolean {
  return PLAYED.has(rule.id);
}

/**
 * What the words of findings ask for. A later one counts where two change the same field: a Deployment that is told to let one
 * pod go, and to have Recreate, has Recreate.
 */
const CHANGES: ReadonlyMap<string, Change> = new Map([
  ['set maxUnavailable: 1', rolling({ maxUnavailable: 1 })],
  ['set strategy Recreate', recreate],
  ['set maxSurge: 0', rolling({ maxSurge: 0, maxUnavailable: 1 })],
  [COME_TOGETHER.short, recreate],
  ['run one replica', runOne],
  ['run one, with Recreate', (wanted) => runOne(recreate(wanted))],
  ['run one, or use ReadWriteMany', runOne],
  ['run one at a time', runOne],
  ['use ReadWriteMany or one node', onFirstNode],
  ['let it mean its own', meanTheirOwn],
  ['let it mean its own, with Recreate', (wanted) => meanTheirOwn(recreate(wanted))],
  ['set concurrencyPolicy: Forbid', (wanted) => withSpec(wanted, { concurrencyPolicy: 'Forbid' })],
]);

/** Words that no change of the manifest alone answers to. */
const BY_HAND: ReadonlySet<string> = new Set([
  'give each its own',
  'move its data first',
  'let both run on one node',
  'let pods run there',
  'lower maxReplicas',
  'scale to 0 and back',
]);

/** What lint and admission would tell of a situation that an act of its kind shows: only an update starts a rollout. */
export function findingsIn(situation: Situation): readonly Finding[] {
  const { facts, before } = askedIn(situation);
  return judge({ rules }, facts, { before })
    .filter(tellsOfPodsThatWait)
    .filter(({ judges }) => situation.action === 'update' || judges !== 'rollout');
}

/** What a user would do about these findings: what `lint --fix` writes, and what the words of all of them ask for. */
export function remediesFor(situation: Situation, findings: readonly Finding[]): readonly Remedy[] {
  if (findings.length === 0) return [];
  const fix = computedFix(situation);
  return [...(fix === undefined ? [] : [fix]), inWords(findings.map(({ fix }) => fix.short))];
}

/** Nothing where it is not enough, which the guard tells: a second user of the claim stays, or old pods are where new ones may not be. */
function computedFix(situation: Situation): Remedy | undefined {
  const { facts, before } = askedIn(situation);
  const fix = fixOf(facts, json(situation.wanted), (asked) => judge({ rules }, asked));
  if (fix === undefined || !('mutation' in fix)) return undefined;
  const { mutation, workload } = fix;
  const left = judge({ rules }, { ...facts, workload }, { before });
  if (left.some(({ rule }) => rule.id === claimShared.meta.id || rule.id === rolloutBlocked.meta.id)) return undefined;
  return { name: `lint --fix: ${mutation}`, change: (wanted) => applied(wanted, changesOf(mutation, wanted)) };
}

export function inWords(words: readonly string[]): Remedy {
  const asked = new Set(words);
  const strange = words.find((word) => !CHANGES.has(word) && !BY_HAND.has(word));
  if (strange !== undefined) throw new Error(`Nobody knows what "${strange}" asks for`);
  const name = [...asked].toSorted().join('; ');
  if (words.some((word) => BY_HAND.has(word))) return { name, change: undefined };
  const changes = [...CHANGES].filter(([word]) => asked.has(word)).map(([, change]) => change);
  return { name, change: (wanted) => changes.reduce((changed, change) => change(changed), wanted) };
}

function withSpec(object: JsonObject, fields: JsonObject): JsonObject {
  return { ...object, spec: { ...objectAt(object, 'spec'), ...fields } };
}

function rolling(numbers: JsonObject): Change {
  return (wanted) => {
    const field = stringAt(wanted, 'kind') === 'DaemonSet' ? 'updateStrategy' : 'strategy';
    const rollingUpdate = objectAt(objectAt(objectAt(wanted, 'spec'), field), 'rollingUpdate');
    return withSpec(wanted, { [field]: { type: 'RollingUpdate', rollingUpdate: { ...rollingUpdate, ...numbers } } });
  };
}

function recreate(wanted: JsonObject): JsonObject {
  return withSpec(wanted, { strategy: { type: 'Recreate' } });
}

function runOne(wanted: JsonObject): JsonObject {
  switch (stringAt(wanted, 'kind')) {
    case 'CronJob': {
      const job = objectAt(objectAt(wanted, 'spec'), 'jobTemplate') ?? {};
      return withSpec(wanted, { jobTemplate: withSpec(job, { parallelism: 1 }) });
    }
    case 'Job':
      return withSpec(wanted, { parallelism: 1 });
    default:
      return withSpec(wanted, { replicas: 1 });
  }
}

/** Changes what the template asks of its pods. */
function withPods(wanted: JsonObject, change: Change): JsonObject {
  const template = objectAt(objectAt(wanted, 'spec'), 'template');
  return withSpec(wanted, { template: { ...template, spec: change(objectAt(template, 'spec') ?? {}) } });
}

/** The first node of a scenario is the one that its old pods were brought up on. */
function onFirstNode(wanted: JsonObject): JsonObject {
  const first = `${stringAt(objectAt(wanted, 'metadata'), 'namespace')}-0`;
  return withPods(wanted, (pods) => ({
    ...pods,
    nodeSelector: { ...objectAt(pods, 'nodeSelector'), [HOSTNAME]: first },
  }));
}

function meanTheirOwn(wanted: JsonObject): JsonObject {
  const labelSelector = objectAt(objectAt(wanted, 'spec'), 'selector');
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  return withPods(wanted, (pods) => {
    const affinity = objectAt(pods, 'affinity');
    const podAffinity = objectAt(affinity, 'podAffinity');
    const terms = listAt(podAffinity, required).map((term) => {
      const { topologyKey } = term as JsonObject;
      return { labelSelector, topologyKey };
    });
    return { ...pods, affinity: { ...affinity, podAffinity: { ...podAffinity, [required]: terms } } };
  });
}
