import type { Forecast, Outcome, Outcomes } from '../../src/forecast/outcome.ts';
import type { Reason } from '../../src/forecast/reasons.ts';

/** An outcome with its causes in place of who holds pods up and for how long. */
interface SeenOutcome extends Omit<Outcome, 'waits'> {
  readonly reasons: readonly Reason[];
}

export interface SeenOutcomes extends Omit<Outcomes, 'rollout' | 'steady' | 'autoscaled'> {
  readonly rollout: SeenOutcome;
  readonly steady: SeenOutcome;
  readonly autoscaled: { readonly replicas: number; readonly outcome: SeenOutcome } | undefined;
}

export interface SeenForecast extends Omit<Forecast, 'certain' | 'possible'> {
  readonly certain: SeenOutcomes;
  /** Who holds new pods up in the rollout, and for how long. */
  readonly waits: Outcome['waits'];
  readonly possible: readonly SeenOutcomes[];
}

export function seen({ certain, possible, ...rest }: Forecast): SeenForecast {
  return {
    ...rest,
    waits: certain.rollout.waits,
    certain: seenOutcomes(certain),
    possible: possible.map(seenOutcomes),
  };
}

function seenOutcomes({ rollout, steady, autoscaled, ...rest }: Outcomes): SeenOutcomes {
  return {
    ...rest,
    rollout: seenOutcome(rollout),
    steady: seenOutcome(steady),
    autoscaled: autoscaled && { ...autoscaled, outcome: seenOutcome(autoscaled.outcome) },
  };
}

function seenOutcome({ waits, ...outcome }: Outcome): SeenOutcome {
  return { ...outcome, reasons: waits.map(({ cause, claims }) => ({ cause, claims })) };
}
