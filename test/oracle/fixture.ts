import { stringify } from 'yaml';
import { asWritten, writtenName } from './as-written.ts';
import type { Plan } from './plan.ts';
import type { Judged } from './play.ts';

/** What became of the pods. */
export interface Happening {
  readonly multiAttach: boolean;
  readonly stuck: boolean;
}

/** In the words in which fixtures tell it. */
export const HAPPENINGS: ReadonlyMap<string, Happening> = new Map([
  ['no harm', { multiAttach: false, stuck: false }],
  ['stuck without Multi-Attach', { multiAttach: false, stuck: true }],
  ['Multi-Attach for a moment', { multiAttach: true, stuck: false }],
  ['Multi-Attach and stuck', { multiAttach: true, stuck: true }],
]);

/**
 * An act of a scenario as a fixture. Its last object is what was asked for; before that comes the same workload as it ran,
 * if it ran. The last two lines of its comment are read when it is replayed.
 */
export function fixtureOf(plan: Plan, { situation, foretold, observed, remedies }: Judged): string {
  const { objects, running, wanted, places, action } = situation;
  const scenario = wanted.metadata?.namespace ?? '';
  const asked = action === 'create' || running === undefined ? [] : [running];
  const documents = asWritten([...objects, ...asked, wanted], scenario).map((object) => stringify(object));
  const nodes = places.map((name) => writtenName(name, scenario)).join(', ');
  const comment = [
    `Scenario ${plan.id}: ${JSON.stringify(plan)}`,
    `Foretold: ${JSON.stringify(foretold)}`,
    `Observed: ${JSON.stringify(observed)}`,
    ...remedies.map((one) => `Remedy: ${JSON.stringify(one)}`),
    `Action: ${action}; old pods on: ${nodes || 'no node'}`,
    `Happened: ${inWords(observed)}`,
  ];
  return [comment.map((line) => `# ${line}\n`).join(''), ...documents].join('---\n');
}

function inWords({ multiAttach, stuck }: Happening): string {
  const [words = ''] = [...HAPPENINGS].find(([, one]) => one.multiAttach === multiAttach && one.stuck === stuck) ?? [];
  return words;
}
