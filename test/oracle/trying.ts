import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { json } from './forecast-of.ts';
import type { Act } from './life.ts';
import type { Plan } from './plan.ts';
import { type Played, playedOn } from './played.ts';
import { findingsIn, type Remedy, remediesFor } from './remedies.ts';
import { ALONE, type Scenario, scenarioOf } from './scenario.ts';
import type { Stage } from './stage.ts';

export const ENDS = ['ended the trouble', 'nothing to end', 'did not help', 'undecided', 'by hand'] as const;

/** A remedy, and what came of it from the same start. */
export interface Tried {
  readonly remedy: string;
  readonly end: (typeof ENDS)[number];
  /** Why the pods wait still, or why nothing can be said. */
  readonly because: readonly string[];
}

/** Plays what a user is told about an act, in place of what was asked for there. */
export async function tried(stage: Stage, plan: Plan, act: Act, index: number): Promise<readonly Tried[]> {
  const { situation } = act;
  const remedies = remediesFor(situation, findingsIn(situation));
  const all: Tried[] = [];
  for (const [number, remedy] of remedies.entries()) {
    // Its objects have names of their own.
    const scenario = scenarioOf({ ...plan, id: `${plan.id}-fix${index}${number}` });
    const asked = remedied(scenario, remedy, act, index);
    if (asked === undefined) all.push({ remedy: remedy.name, end: 'by hand', because: [] });
    else all.push({ remedy: remedy.name, ...endOf(await playedOn(stage, asked), act) });
  }
  return all;
}

/** The scenario with the remedy in what is asked for at this act and after it. */
export function remedied(
  scenario: Scenario,
  { change }: Remedy,
  { situation }: Pick<Act, 'situation'>,
  index: number,
): Scenario | undefined {
  if (change === undefined) return undefined;
  const changed = (object: KubernetesObject): KubernetesObject => change(json(object));
  const { running, wanted, action } = scenario;
  const next = scenario.next && changed(scenario.next);
  if (index > 0) return { ...scenario, next };
  // Its first pods never all ran, so there was nothing to act on.
  if (situation.action === 'create' && action !== 'create' && running !== undefined) {
    return { ...scenario, ...ALONE, wanted: changed(running) };
  }
  // An autoscaler comes when the pods are as the remedy makes them.
  if (action === 'autoscale' && running !== undefined) {
    return { ...scenario, action: 'update', wanted: changed(running), next: changed(wanted) };
  }
  const asked = changed(wanted);
  // A scale through its subresource changes nothing else.
  const onlyScales = action === 'update' || JSON.stringify(atScale(asked)) === JSON.stringify(atScale(wanted));
  return { ...scenario, wanted: asked, next, action: onlyScales || action === 'create' ? action : 'update' };
}

function atScale(object: KubernetesObject): object {
  const plain = json(object);
  return { ...plain, spec: { ...(plain.spec as object), replicas: 0 } };
}

function endOf({ acts, refused, detail }: Played, { situation, observed }: Act): Pick<Tried, 'end' | 'because'> {
  if (refused !== undefined) return { end: 'undecided', because: [refused, detail ?? ''] };
  const stuck = acts.find(({ observed }) => observed.stuck);
  // Who finds something expects a cordon to pass, and knows of no node that changes.
  const end = situation.nodesChanged ? 'undecided' : 'did not help';
  if (stuck !== undefined) return { end, because: stuck.observed.reasons };
  if (acts.some(({ observed }) => observed.places.length === 0)) return { end: 'undecided', because: ['no pod came'] };
  return { end: observed.stuck ? 'ended the trouble' : 'nothing to end', because: [] };
}
