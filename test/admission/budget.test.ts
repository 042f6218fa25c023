import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { claim, creating, deployment, enforcing, type Scene, scene, settings, updating } from './scene.ts';

const STRICT = settings({ policy: { dryRun: 'warn', existing: 'warn', exemptions: 'allow', overBudget: 'deny' } });

/** Harmless by itself, and more than anybody reads. */
const PADDING = Array.from({ length: 20_000 }, (_, n) => ({ key: `k${n}`, operator: 'Exists', effect: 'NoSchedule' }));

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Read in no time, and long in being compared. */
const MANY_TERMS = {
  affinity: {
    podAntiAffinity: {
      [REQUIRED]: Array.from({ length: 5_000 }, (_, n) => ({
        topologyKey: `label-${n}`,
        labelSelector: { matchLabels: { app: 'web' } },
      })),
    },
  },
};

function asking(pod: object): JsonObject {
  return deployment({}, {}, pod);
}

function mounting(...names: readonly string[]): JsonObject {
  const volumes = names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return deployment({}, {}, { volumes });
}

const UNJUDGED = /^Deployment shop\/web: not judged: it takes more steps or look-ups than one request has/;

test('an object that is too long to be read is let through with a warning, and counted', async () => {
  const { response, observation, warnings } = await scene({ labels: enforcing }).validate(
    creating(asking({ tolerations: PADDING })),
  );
  assert.equal(response.allowed, true);
  assert.match(warnings.join(), UNJUDGED);
  assert.deepEqual([observation.overBudget, observation.verdict], [true, 'warn']);
});

test('an object that takes too many steps is denied where the operator wants that', async () => {
  for (const pod of [{ tolerations: PADDING }, MANY_TERMS]) {
    const request = creating(asking(pod));
    const allowed = async (options: Parameters<typeof scene>[0]): Promise<boolean> => {
      const { add, validate } = scene(options);
      add(claim('data', { accessModes: ['ReadWriteMany'] }));
      const { response } = await validate(request);
      if (!response.allowed) {
        assert.match(
          response.status?.message ?? '',
          /more steps or look-ups than one request has\n.*fewer volumes, terms/,
        );
      }
      return response.allowed;
    };
    assert.equal(await allowed({ labels: enforcing, settings: STRICT }), false);
    assert.equal(await allowed({ settings: STRICT }), true); // in mode warn
    assert.equal(await allowed({ labels: enforcing }), true);
  }
});

test('what takes too many steps is new each time', async () => {
  const { response } = await scene({ labels: enforcing, settings: STRICT }).validate(
    updating(asking(MANY_TERMS), deployment({ replicas: 2 }, {}, MANY_TERMS)),
  );
  assert.equal(response.allowed, false);
});

test('an ordinary object is within the budget', async () => {
  for (const settled of [settings({}), STRICT]) {
    const { observation } = await scene({ settings: settled }).validate(creating(deployment()));
    assert.equal(observation.overBudget, false);
  }
});

test('a hazard that was found before the budget ended is denied whatever pads the object', async () => {
  const { add, validate } = scene({ labels: enforcing });
  for (let n = 0; n < 5_000; n++) add(claim(`data-${n}`));
  const names = Array.from({ length: 2_000 }, (_, n) => `data-${n}`);
  const { response, observation } = await validate(creating(mounting('data', ...names)));
  assert.equal(response.allowed, false);
  assert.match(response.status?.message ?? '', /rollout-deadlock/);
  assert.equal(observation.overBudget, true);
});

test('what is too long to be judged is not repaired', async () => {
  const labels = { 'rwo-guard.dev/mutate': 'recreate' };
  for (const pod of [{ tolerations: PADDING }, MANY_TERMS]) {
    const { response, observation } = await scene({ labels }).mutate(creating(asking(pod)));
    assert.deepEqual([response.allowed, response.patch, observation.overBudget], [true, undefined, true]);
  }
});

function asked(): { readonly scene: Scene; readonly names: string[] } {
  const names: string[] = [];
  const lookUp: NonNullable<Parameters<typeof scene>[0]>['lookUp'] = async (refs) => {
    names.push(...refs.map(({ name }) => name));
    return refs.map((ref) => ({ ...ref, found: { known: true, value: undefined } }));
  };
  return { scene: scene({ lookUp }), names };
}

test('one review looks up sixteen objects and no more, each once', async () => {
  for (const many of [40, 400]) {
    const { scene: scened, names } = asked();
    const missing = Array.from({ length: many }, (_, n) => `missing-${n}`);
    const [before, after] = [mounting(...missing), mounting(...missing, 'one-more')];
    const { warnings, observation } = await scened.validate(updating(before, after));
    assert.deepEqual(names, missing.slice(0, 16));
    assert.equal(warnings.filter((warning) => /looks up no more than 16 objects/.test(warning)).length, 1);
    assert.equal(observation.overBudget, true);
  }
});

test('of the workloads that wait for a claim sixteen are judged', async () => {
  for (const many of [16, 17, 160]) {
    const { add, validate } = scene({ labels: enforcing });
    for (let n = 0; n < many; n++) {
      const volumes = [{ name: 'late', persistentVolumeClaim: { claimName: 'late' } }];
      add(deployment({}, { name: `web-${n}` }, { volumes }));
    }
    const { response, observation } = await validate(creating(claim('late')));
    assert.equal(response.allowed, false);
    const denied = observation.findings.filter(({ severity }) => severity === 'error');
    assert.deepEqual([denied.length, observation.overBudget], [Math.min(many, 16), many > 16]);
  }
});

test('fewer replicas of what is more than can be judged pass, and bring nothing new', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `missing-${n}`);
  const volumes = ['data', ...names].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  for (const policy of [{}, { settings: STRICT }]) {
    const { validate } = scene({ labels: enforcing, ...policy });
    const running = (replicas: number) => deployment({ replicas }, {}, { volumes });
    const { response, observation } = await validate(creating(running(3)));
    assert.deepEqual([response.allowed, observation.overBudget], [false, true]);
    assert.equal((await validate(updating(running(3), running(1)))).response.allowed, true);
  }
});
