import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { type Foretold, forecastOf } from '../oracle/forecast-of.ts';
import type { Situation } from '../oracle/situation.ts';

/** Scenarios in which the real controllers once did something else than was foretold, as the oracle wrote them down. */
const FOLDER = new URL('disagreements/', import.meta.url);

interface Happened {
  readonly multiAttach: boolean;
  readonly stuck: boolean;
}

for (const file of readdirSync(FOLDER)) {
  const text = readFileSync(new URL(file, FOLDER), 'utf8');
  test(`what real controllers do is foretold: ${file.replace(/\.yaml$/, '').replaceAll('-', ' ')}`, () => {
    const { places: _places, reasons: _reasons, ...happened } = JSON.parse(line(text, 'Happened'));
    const foretold = forecastOf(situationFrom(text));
    assert.deepEqual(foretold.open, []);
    assert.deepEqual(happening(foretold), happened, foretold.reasons.join());
  });
}

function happening({ multiAttach, stuck }: Foretold): Happened {
  return { multiAttach, stuck };
}

/** Its last object is what was asked for; before it comes the workload as it ran, where it ran before. */
function situationFrom(text: string): Situation {
  const objects: KubernetesObject[] = parseAllDocuments(text).map((document) => document.toJS());
  const [, action = '', on = ''] = /^(\w+); old pods on: (.*)$/.exec(line(text, 'Action')) ?? [];
  if (!isAction(action)) throw new Error(`no action "${action}"`);
  const wanted = objects.pop();
  const running = text.includes('# The workload comes twice') ? objects.pop() : undefined;
  if (wanted === undefined) throw new Error('nothing is asked for');
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
