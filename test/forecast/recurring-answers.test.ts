import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../src/budget.ts';
import type { Claim } from '../../src/facts/claim.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { forecast, type How } from '../../src/forecast/forecast.ts';
import type { Forecast, Outcomes } from '../../src/forecast/outcome.ts';
import { RecurringAnswers } from '../../src/forecast/recurring-answers.ts';
import type { Running } from '../../src/forecast/running.ts';
import type { PodTemplate } from '../../src/objects/pod-template.ts';
import type { Workload } from '../../src/objects/workload.ts';
import { everyFixture, findingsIn, fixture } from '../fixtures.ts';
import { claim, deployment } from '../lint/manifests.ts';
import { situationsUnplayed } from '../oracle/classes.ts';
import { forecastOf, PRODUCT } from '../oracle/forecast-of.ts';
import { planOf } from '../oracle/generate.ts';
import { KINDS } from '../oracle/plan.ts';
import { CLASS, DRIVER, factsOf, nodes } from '../stories/told.ts';

/** Asks with what was found so far and without, and says how often that had the answer. */
class Compared {
  readonly answers = new RecurringAnswers();
  known = 0;

  readonly ask = (facts: WorkloadFacts, running: Running = {}, how: Partial<How> = {}): Forecast => {
    const [alone, remembering] = [new Budget(), new Budget()];
    const found = forecast({ ...facts, budget: alone }, running, how);
    let searched = false;
    const answers = {
      answer: (some: WorkloadFacts, key: string, search: () => Outcomes): Outcomes => {
        const noted = (): Outcomes => {
          searched = true;
          return search();
        };
        const outcomes = this.answers.answer(some, key, noted);
        if (!searched) this.known++;
        return outcomes;
      },
    };
    assert.deepEqual(forecast({ ...facts, budget: remembering }, running, { ...how, answers }), found);
    // An update that changes nothing which decides.
    const [same, other] = [
      { ...facts, budget: new Budget() },
      { ...facts, budget: new Budget() },
    ];
    assert.deepEqual(
      forecast(same, { ...running, before: same }, { ...how, answers }),
      forecast(other, { ...running, before: other }, how),
    );
    return found;
  };
}

test('what was found of one workload is what would be found of the next, in all fixtures', () => {
  const compared = new Compared();
  for (const { rule, verdict, name } of everyFixture()) {
    const judged = fixture(rule, verdict, name);
    if (judged.subject.kind !== 'PersistentVolumeClaim') findingsIn(judged, compared.ask);
  }
  assert.ok(compared.known > 50, `${compared.known}`);
});

test('the same is so of whatever else may be asked', () => {
  const compared = new Compared();
  for (let index = 0; index < 1_500; index++) {
    const plan = planOf(79, index, { kinds: KINDS, without: new Set() });
    for (const situation of situationsUnplayed(plan)) forecastOf(situation, { ...PRODUCT, forecast: compared.ask });
  }
  assert.ok(compared.known > 200, `${compared.known}`);
});

test('an answer that is known costs what the search took, and names the claims of whoever asks', () => {
  const answers = new RecurringAnswers();
  const said = ['one', 'other'].map((name) => {
    const facts = { ...factsOf(...nodes({ 'node-a': {}, 'node-b': {} }), CLASS, DRIVER, ...mounting(name)) };
    const since = facts.budget.spent;
    const { certain } = forecast(facts, {}, { answers });
    return { operations: facts.budget.spent - since, claims: certain.rollout.waits.map(({ claims }) => claims) };
  });
  assert.deepEqual(said[1], { operations: said[0]?.operations, claims: [['other']] });
});

function mounting(name: string): readonly object[] {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: name } }];
  return [claim({ storageClassName: 'disks' }, { name }), deployment({}, {}, { volumes })];
}

/** What becomes of each field: it is part of the key, keeps a question from being one that recurs, or decides no answer. */
type Role = 'key' | 'not recurring' | 'nothing';

/** A new field has to be thought of, or the types do not hold. */
const WORKLOAD: Readonly<Record<keyof Workload, Role>> = {
  kind: 'key',
  replicas: 'key',
  concurrencyPolicy: 'key',
  parallel: 'key',
  strategy: 'key',
  onEveryNode: 'not recurring',
  indexed: 'not recurring',
  template: 'not recurring',
  ownClaims: 'not recurring',
  paused: 'nothing', // without pods before it, it starts none
  isRollingOut: 'nothing', // of the workload before an update alone
  metadata: 'nothing',
  uid: 'nothing',
  resourceVersion: 'nothing',
  observedReplicas: 'nothing',
  selector: 'nothing',
  orphanLabels: 'nothing',
};

/** Of what says where pods may be, the number of nodes that take them is what counts. */
const TEMPLATE: Readonly<Record<keyof PodTemplate, Role>> = {
  nodeSelector: 'key',
  nodeAffinity: 'key',
  tolerations: 'key',
  requests: 'key',
  runtimeClassName: 'key',
  volumes: 'key',
  nodeName: 'not recurring',
  podAffinity: 'not recurring',
  podAntiAffinity: 'not recurring',
  spread: 'not recurring',
  hostPorts: 'not recurring',
  restrictedDisks: 'not recurring',
  labels: 'nothing', // no term is there to mean them
};

const CLAIM: Readonly<Record<keyof Claim, Role>> = {
  accessModes: 'key',
  attachable: 'key',
  onePod: 'key',
  nodeAffinity: 'key',
  zones: 'key',
  onceBound: 'not recurring',
  deleting: 'not recurring',
  unmounted: 'not recurring',
  identity: 'not recurring',
  name: 'not recurring',
  waitsForPod: 'nothing', // only beside a nodeName
  claimsOfDisk: 'nothing',
  disk: 'nothing',
  madeBy: 'nothing',
  storage: 'nothing',
};

test('every field of a workload, its template and its claims has its role in what recurs', () => {
  const roles = [WORKLOAD, TEMPLATE, CLAIM].map(
    (fields) => Object.values(fields).filter((role) => role === 'key').length,
  );
  assert.deepEqual(roles, [5, 6, 5]);
});
