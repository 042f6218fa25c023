import { KubernetesApiError } from '../control-plane/kubernetes-api.ts';
import { type Act, live, Undecided } from './life.ts';
import type { Scenario } from './scenario.ts';
import { type Stage, tearDown } from './stage.ts';

/** What the controllers made of a scenario. */
export interface Played {
  readonly acts: readonly Act[];
  /** Why nothing can be said of it. */
  readonly refused?: string;
  readonly detail?: string;
}

/** Plays a scenario and takes it away again. */
export async function playedOn(stage: Stage, scenario: Scenario): Promise<Played> {
  try {
    return { acts: await live(stage, scenario) };
  } catch (error) {
    if (error instanceof Undecided) return { acts: [], refused: error.reason, detail: error.message };
    if (!(error instanceof KubernetesApiError && error.code === 422)) throw error;
    return { acts: [], refused: 'the API server refuses it', detail: error.message };
  } finally {
    await tearDown(stage, scenario);
  }
}
