import { weightOf } from '../../src/objects/json-size.ts';
import type { Random } from '../oracle/random.ts';
import { anyValue, longText, oddKeys, type Raw } from './values.ts';

/** A JSON value that may be changed. */
// biome-ignore lint/suspicious/noExplicitAny: what is changed here is meant to be of any shape, the wrong one included
export type Json = any;

/** One change to a review, or to a part of it. It may leave it as it is. */
type Mutation = (review: Json, random: Random, raw: Raw) => void;

/** No server reads as much. */
const MOST_WEIGHT = 30_000_000;

/** Between one change and several: what hides behind another mistake is found by few, what needs two by many. */
export function mutated(text: string, random: Random, raw: Raw): Json {
  const review = JSON.parse(text);
  for (
    let changes = random.weighted([
      [1, 4],
      [2, 3],
      [4, 2],
      [9, 1],
    ]);
    changes > 0;
    changes--
  ) {
    random.weighted(MUTATIONS)(review, random, raw);
    if (weightOf(review, MOST_WEIGHT) > MOST_WEIGHT) return JSON.parse(text); // one after the other they multiply
  }
  return review;
}

interface Place {
  readonly holder: Json;
  readonly key: string;
}

/** Larger ones have been changed before. */
const MOST_PLACES = 3_000;

/** Every member and item in the value, outermost first. */
function placesIn(value: Json): readonly Place[] {
  const places: Place[] = [];
  const waiting = [value];
  for (let holder = waiting.shift(); holder !== undefined && places.length < MOST_PLACES; holder = waiting.shift()) {
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      if (typeof holder[key] === 'object' && holder[key] !== null) waiting.push(holder[key]);
    }
  }
  return places;
}

function somewhere(review: Json, random: Random): Place | undefined {
  const within = random.chance(0.7) ? (review?.request?.object ?? review) : review;
  const places = placesIn(typeof within === 'object' ? within : review);
  return places.length === 0 ? undefined : random.pick(places);
}

const set = (holder: Json, key: string, value: unknown): void => {
  if (typeof holder !== 'object' || holder === null) return;
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};

/** The object at the end of a path, made where something else or nothing is there. */
function made(review: Json, ...path: readonly string[]): Json {
  let here = review;
  for (const key of path) {
    if (typeof here[key] !== 'object' || here[key] === null) set(here, key, {});
    here = here[key];
  }
  return here;
}

const OBJECT = ['request', 'object'] as const;
const POD_SPEC = [...OBJECT, 'spec', 'template', 'spec'] as const;

const anyReplaced: Mutation = (review, random, raw) => {
  const place = somewhere(review, random);
  if (place !== undefined) set(place.holder, place.key, anyValue(random, raw));
};

const anyTakenOut: Mutation = (review, random) => {
  const place = somewhere(review, random);
  if (place === undefined) return;
  if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 1);
  else delete place.holder[place.key];
};

const anyWrapped: Mutation = (review, random) => {
  const place = somewhere(review, random);
  if (place === undefined) return;
  const value = place.holder[place.key];
  const text = JSON.stringify(value) ?? ''; // nothing is there any more where two were swapped
  const wrapped = [[value], { 0: value }, { value }, [value, value], text, Object.values(value ?? {})];
  set(place.holder, place.key, random.pick<unknown>(wrapped));
};

const anyRepeated: Mutation = (review, random) => {
  const lists = placesIn(review).filter(({ holder, key }) => Array.isArray(holder[key]) && holder[key].length > 0);
  if (lists.length === 0) return;
  const { holder, key } = random.pick(lists);
  const times = random.weighted([
    [2, 40],
    [random.between(3, 40), 20],
    [random.between(500, 3_000), 1],
  ]);
  const size = JSON.stringify(holder[key]).length;
  set(holder, key, Array.from({ length: Math.min(times, Math.ceil(1_000_000 / size)) }, () => holder[key]).flat());
};

const anyMoved: Mutation = (review, random) => {
  const from = somewhere(review, random);
  const to = somewhere(review, random);
  if (from !== undefined && to !== undefined) set(to.holder, to.key, structuredClone(from.holder[from.key]));
};

const odd: Mutation = (review, random) => {
  const place = somewhere(review, random);
  const value = place?.holder[place.key];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) oddKeys(random, value);
};

const swapped: Mutation = ({ request }) => {
  if (typeof request !== 'object' || request === null) return;
  [request.object, request.oldObject] = [request.oldObject, request.object];
};

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '', 'create', 'PATCH', '*', 'CREATE\n'];
const SUBRESOURCES = ['', 'scale', 'status', 'exec', 'Scale', 'scale/', '__proto__', 'ephemeralcontainers'];
const RESOURCES = [
  ...['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'jobs', 'cronjobs', 'persistentvolumeclaims'],
  ...['pods', 'nodes', 'configmaps', 'constructor', '', 'Deployments'],
];
const GROUPS = ['', 'apps', 'batch', 'extensions', 'autoscaling', '__proto__'];

const asked: Mutation = (review, random) => {
  const request = made(review, 'request');
  random.pick([
    () => set(request, 'operation', random.pick(OPERATIONS)),
    () => set(request, 'subResource', random.pick(SUBRESOURCES)),
    () => set(made(request, 'resource'), 'resource', random.pick(RESOURCES)),
    () => set(made(request, 'resource'), 'group', random.pick(GROUPS)),
    () => set(made(request, 'resource'), 'version', random.pick(['v1', 'v1beta1', '', 'v2'])),
    () => set(request, 'dryRun', random.pick([true, false, null, 'true', 1])),
    () => set(request, 'name', random.pick(['', 'web', longText(random), '\u202e'])),
    () => set(request, 'namespace', random.pick(['', 'hazard', 'shop', longText(random), '../x'])),
  ])();
};

const USERS = [
  ...['', 'system:apiserver', 'system:kube-scheduler', 'system:node:a', 'jane\n', '\u202ejane', '__proto__'],
  ...['system:serviceaccount:kube-system:horizontal-pod-autoscaler', 'system:serviceaccount:shop:default'],
];

const sent: Mutation = (review, random, raw) => {
  const user = made(review, 'request', 'userInfo');
  random.pick([
    () => set(user, 'username', random.pick([...USERS, longText(random)])),
    () =>
      set(
        user,
        'groups',
        random.pick<unknown>([null, [], ['system:nodes'], [longText(random)], anyValue(random, raw)]),
      ),
    () =>
      set(
        user,
        'groups',
        Array.from({ length: random.between(100, 3_000) }, (_, n) => `group-${n}`),
      ),
    () => set(user, 'extra', anyValue(random, raw)),
  ])();
};

const UIDS = ['', 'u', '\u202e', '\u0000', '"}', '💾', 'x'.repeat(253), 'x'.repeat(254), 5, null, {}, ['u'], true];

const identified: Mutation = (review, random) => {
  if (random.chance(0.9)) set(made(review, 'request'), 'uid', random.pick<unknown>(UIDS));
  else delete made(review, 'request').uid;
};

const headed: Mutation = (review, random, raw) => {
  const key = random.pick(['apiVersion', 'kind', 'request', 'response', 'extra']);
  if (random.chance(0.3)) delete review[key];
  else set(review, key, anyValue(random, raw));
};

const IGNORES = [
  ...['rollout-deadlock: known', 'rollout-deadlock', ': x', 'no-such-rule: x', 'rollout-deadlock,claim-shared:\n', ','],
  ...[
    'rollout-deadlock: \u202eknown\u2028',
    `${'rollout-deadlock,'.repeat(2_000)}rollout-deadlock: x`,
    'constructor: x',
  ],
];
const ANNOTATIONS = ['ignore', 'replicas-before', 'mutated', '', '__proto__', 'mode'];

const annotated: Mutation = (review, random, raw) => {
  const { stand } = raw;
  const metadata = made(review, ...OBJECT, 'metadata');
  const value = random.pick<unknown>([...IGNORES, 'Infinity', '1e400', '-1', '3', stand('3'), longText(random), null]);
  set(made(metadata, 'annotations'), `rwo-guard.dev/${random.pick(ANNOTATIONS)}`, value);
};

const owned: Mutation = (review, random, raw) => {
  const metadata = made(review, ...OBJECT, 'metadata');
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
  const entry = { manager: 'kubectl', operation: 'Apply', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1: {} };
  random.pick([
    () =>
      set(
        metadata,
        'ownerReferences',
        random.pick<unknown>([[owner], [owner, owner], [true], owner, [{ ...owner, controller: 'true' }]]),
      ),
    () =>
      set(
        metadata,
        'managedFields',
        random.pick<unknown>([
          [true],
          [null],
          'x',
          [entry],
          [{ ...entry, fieldsV1: [] }],
          [{ ...entry, fieldsV1: anyValue(random, raw) }],
        ]),
      ),
    () => set(metadata, 'deletionTimestamp', random.pick<unknown>([null, '2026-01-01T00:00:00Z', 5, ''])),
    () => set(metadata, 'generateName', random.pick(['web-', '', longText(random)])),
    () =>
      set(metadata, random.pick(['name', 'namespace']), random.pick<unknown>([5, '', null, longText(random), 'web'])),
    () =>
      set(
        made(metadata, 'annotations'),
        'kubectl.kubernetes.io/last-applied-configuration',
        random.pick(['{', 'null', '[]', '"x"', '{"spec":{"strategy":5}}', longText(random)]),
      ),
  ])();
};

const many = (random: Random): number =>
  random.weighted([
    [random.between(1, 20), 60],
    [random.between(100, 400), 8],
    [random.between(1_000, 4_000), 1],
  ]);
const SELECTORS: readonly unknown[] = [
  ...[null, {}, [], 'app=web', { matchLabels: { app: 5 } }, { matchLabels: ['app'] }, { matchLabels: { app: 'web' } }],
  ...[{ matchExpressions: [{ key: 'app', operator: 'Near', values: ['x'] }] }, { matchExpressions: [true] }],
  { matchExpressions: [{ key: 'app', operator: 'In', values: 'web' }] },
  { matchExpressions: [{ key: 'app', operator: 'Gt', values: ['9'.repeat(30)] }] },
  { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [1, null] }] },
];

const peopled: Mutation = (review, random, raw) => {
  const spec = made(review, ...POD_SPEC);
  const odd = (): string => random.pick(['data', `claim-${random.between(0, 5)}`, '\u202edata', longText(random)]);
  const list = <T>(item: (n: number) => T): T[] => Array.from({ length: many(random) }, (_, n) => item(n));
  const selector = () => structuredClone(random.pick(SELECTORS)); // what comes of one request is not seen by the next
  const topologyKey = () =>
    random.pick(['kubernetes.io/hostname', 'topology.kubernetes.io/zone', '', 'x'.repeat(300), 5]);
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  random.pick([
    () =>
      set(
        spec,
        'volumes',
        list((n) => ({ name: `v${n}`, persistentVolumeClaim: { claimName: n === 0 ? odd() : `missing-${n}` } })),
      ),
    () =>
      set(
        spec,
        'volumes',
        list((n) => ({ name: `v${n}`, awsElasticBlockStore: { volumeID: `vol-${n}` } })),
      ),
    () =>
      set(spec, 'volumes', [
        {
          name: 'data',
          ...random.pick<object>([
            { iscsi: {} },
            { rbd: { monitors: 'x' } },
            { gcePersistentDisk: 5 },
            { azureFile: {} },
            { persistentVolumeClaim: [] },
          ]),
        },
      ]),
    () =>
      set(
        spec,
        'tolerations',
        list(() => random.pick<unknown>([{ operator: 'Exists' }, { key: 'a', value: 5 }, {}, null])),
      ),
    () =>
      set(
        spec,
        'nodeSelector',
        random.pick<unknown>([
          { disk: longText(random) },
          { '': '' },
          { a: 5 },
          ['a'],
          Object.fromEntries(list((n) => [`k${n}`, 'v'])),
        ]),
      ),
    () =>
      set(
        made(spec, 'affinity', random.pick(['podAffinity', 'podAntiAffinity'])),
        required,
        list(() => ({
          labelSelector: selector(),
          topologyKey: topologyKey(),
          namespaces: random.pick<unknown>([[], ['shop'], 'shop', null]),
        })),
      ),
    () =>
      set(
        made(spec, 'affinity', 'nodeAffinity'),
        required,
        random.pick<unknown>([{ nodeSelectorTerms: list(() => selector()) }, { nodeSelectorTerms: {} }, []]),
      ),
    () =>
      set(
        spec,
        'topologySpreadConstraints',
        list(() => ({
          maxSkew: random.pick<unknown>([1, 0, -1, 1.5, '1']),
          topologyKey: topologyKey(),
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: selector(),
        })),
      ),
    () =>
      set(
        spec,
        'containers',
        list((n) => ({
          name: `c${n}`,
          ports: [{ containerPort: 80, hostPort: random.pick<unknown>([80, 0, -1, '80', 70_000]) }],
        })),
      ),
    () => set(made(review, ...OBJECT, 'spec'), 'selector', selector()),
    () =>
      set(
        made(review, ...OBJECT, 'spec'),
        random.pick(['strategy', 'updateStrategy']),
        random.pick<unknown>([
          { type: 'Recreate', rollingUpdate: {} },
          { type: 'Recreate' },
          { type: 5 },
          'Recreate',
          { rollingUpdate: { maxSurge: anyValue(random, raw), maxUnavailable: anyValue(random, raw) } },
        ]),
      ),
    () =>
      set(
        made(review, ...OBJECT, 'spec'),
        'replicas',
        random.pick<unknown>([0, 1, 2, 3, 1_000, 2 ** 31 - 1, -1, 1.5, raw.stand('1e400')]),
      ),
    () =>
      set(
        made(review, ...OBJECT, 'spec'),
        'volumeClaimTemplates',
        list((n) => ({ metadata: { name: `t${n}` } })),
      ),
    () => set(made(review, ...OBJECT, 'metadata'), 'labels', Object.fromEntries(list((n) => [`l${n}`, 'v']))),
  ])();
};

const MUTATIONS: readonly (readonly [Mutation, number])[] = [
  [anyReplaced, 10],
  [anyTakenOut, 5],
  [anyWrapped, 4],
  [anyRepeated, 2],
  [anyMoved, 3],
  [odd, 2],
  [swapped, 1],
  [asked, 4],
  [sent, 2],
  [identified, 1],
  [headed, 1],
  [annotated, 3],
  [owned, 3],
  [peopled, 10],
];
