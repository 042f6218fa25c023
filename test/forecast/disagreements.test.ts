import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { forecast } from '../../src/forecast/model/forecast.ts';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { everyFixture, FIXTURES } from '../fixtures.ts';
import { HAPPENINGS } from '../oracle/fixture.ts';
import { forecastOf, PRODUCT } from '../oracle/forecast-of.ts';
import type { Situation } from '../oracle/situation.ts';

/** Fixtures in which real controllers once did something else than was foretold tell what they did. */
for (const { name, file } of everyFixture()) {
  const text = readFileSync(new URL(file, FIXTURES), 'utf8');
  if (!text.includes('# Happened:')) continue;
  for (const [how, product] of [
    ['foretold', PRODUCT],
    ['found by the search', { ...PRODUCT, forecast }],
  ] as const) {
    test(`what real controllers do is ${how}: ${name.replaceAll('-', ' ')}`, () => {
      const foretold = forecastOf(situationFrom(text), product);
      assert.deepEqual(foretold.open, []);
      const { multiAttach, stuck, reasons } = foretold;
      assert.deepEqual({ multiAttach, stuck }, HAPPENINGS.get(line(text, 'Happened')), reasons.join());
    });
  }
}

/** Its last object is what was asked for; before it comes the workload as it ran, where it ran before. */
function situationFrom(text: string): Situation {
  const objects: KubernetesObject[] = parseAllDocuments(text).map((document) => document.toJS());
  const [, action = '', on = ''] = /^(\w+); old pods on: (.*)$/.exec(line(text, 'Action')) ?? [];
  if (!isAction(action)) throw new Error(`no action "${action}"`);
  const wanted = objects.pop();
  if (wanted === undefined) throw new Error('nothing is asked for');
  const running = action === 'update' || action === 'scale' ? objects.pop() : undefined;
  const places = on === 'no node' ? [] : on.split(', ');
  return { action, objects, running, wanted, nodesChanged: false, places };
}

function isAction(text: string): text is Situation['action'] {
  return ['create', 'update', 'scale', 'autoscale'].includes(text);
}

function line(text: string, name: string): string {
  const found = new RegExp(`^# ${name}: (.*)$`, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`there is no line "${name}"`);
  return found;
}
